"""Models of one's own pictures: arrays teach what a folder teaches the command, byte by byte; what does not fit is refused."""

import os
import subprocess

import numpy as np
import pytest

import s3svm
from support import generator

S3SVM = os.environ.get("S3SVM")
command = pytest.mark.skipif(not S3SVM or not os.path.exists(S3SVM), reason="$S3SVM names no command")
SIDES = (26, 34)


def discs(count=3):
    """Discs on a ground, as all tasks see them: drawings, photographs with marks, labels, and maps."""
    rng = generator(130)
    y, x = np.mgrid[:SIDES[0], :SIDES[1]]
    items = []
    for i in range(count):
        away = np.hypot(x - 11 - 5 * i, y - 13)
        inside = away < 8
        colour = np.where(inside[..., None], [200, 110, 50], [40, 70, 130]) + rng.normal(0, 25, (*SIDES, 3))
        marks = np.zeros(SIDES, np.uint8)
        marks[away < 3], marks[:2] = s3svm.Mark.OBJECT, s3svm.Mark.BACKGROUND
        truth = np.where(abs(away - 8) < 1, 128, np.where(inside, 255, 0)).astype(np.uint8)
        items.append({"images": np.clip(colour, 0, 255).astype(np.uint8), "scribbles": marks, "labels": truth,
                      "maps": np.dstack([away / 10, rng.normal(size=SIDES)]).astype(np.float32)})
    return items


def drawings():
    """Ink is 1 in truths, and black in files."""
    rng = generator(131)
    return [{"images": np.clip(255 * (i["labels"] == 0) + rng.normal(0, 80, SIDES), 0, 255).astype(np.uint8),
             "labels": (i["labels"] != 0).astype(np.uint8)} for i in discs()]


def regions():
    """Three labels, of some pixels of which nobody knows."""
    items = discs()
    for item in items:
        labels = np.where(item["labels"] == 255, 2, (np.arange(SIDES[0]) > 13)[:, None]).astype(np.uint8)
        labels[:3, :4] = 255
        item["labels"] = labels
    return items


def keep(folder, items):
    for number, item in enumerate(items):
        for kind, array in item.items():
            (folder / kind).mkdir(parents=True, exist_ok=True)
            if kind == "maps":
                np.save(folder / kind / f"p{number}.npy", array)
            else:
                s3svm.write_image(folder / kind / f"p{number}.png", array)


def columns(items, *kinds):
    return [[item[kind] for item in items] for kind in kinds]


def plain(model):
    """Without the record of the training, which the command adds."""
    for fact in ("training", "command"):
        model.set_fact(fact, None)
    return model.to_bytes()


CASES = [
    ("denoise", drawings, {"model": "paper"}, {}),
    ("denoise", drawings, {"model": "full", "samples": 3000, "feature_seed": 2}, {}),
    ("segment", discs, {"method": "amn", "features": "paper"}, {}),
    ("segment", discs, {"method": "amn", "samples": 300, "outlines": True, "dialogues": True}, {}),
    ("segment", discs, {"method": "s3svm"}, {"map_kind": "bins", "alone": True}),
    ("label", regions, {"model": "pairwise"}, {}),
    ("label", regions, {"model": "unary", "names": ["sky", "grass", "ball"], "balance": True}, {"map_kind": "weights", "alone": True}),
    ("trace", discs, {"model": "lines", "samples": 1500, "broken": 2}, {}),
    ("trace", discs, {"model": "pairs"}, {"map_kind": "weights", "alone": True}),
]


@command
@pytest.mark.parametrize("task, make, settings, maps", CASES, ids=lambda v: v if isinstance(v, str) else "")
def test_arrays_teach_what_a_folder_teaches_the_command(task, make, settings, maps, tmp_path):
    items = make()
    stored = [{**item, "labels": 255 * (1 - item["labels"])} if task == "denoise" else item for item in items]
    keep(tmp_path / "data", [{k: v for k, v in item.items() if k != "maps" or maps} for item in stored])
    options = [f"--{name.replace('_', '-')}" if value is True else
               f"--{name.replace('_', '-')}={','.join(value) if isinstance(value, list) else value}"
               for name, value in {**settings, **({"maps": maps["map_kind"], "maps_alone": True} if maps else {})}.items()]
    subprocess.run([S3SVM, "train", task, "--data", tmp_path / "data", "-o", tmp_path / "m.json", "--C=10", "--gap=0.3",
                    *options], check=True, capture_output=True)
    theirs = plain(s3svm.Model.load(tmp_path / "m.json"))
    from_folder = s3svm.learn(task, tmp_path / "data", C=10, tol=0.3, **settings, **maps)
    pictures, truths = columns(items, "images", "labels")
    marks = columns(items, "scribbles")[0] if task == "segment" else None
    from_arrays = s3svm.learn(task, pictures, truths, marks=marks, maps=columns(items, "maps")[0] if maps else None, C=10,
                              tol=0.3, n_jobs=1, **settings, **maps)
    assert from_folder.to_bytes() == theirs
    assert from_arrays.to_bytes() == theirs


def test_functions_of_the_tasks_are_what_learn_does():
    items = discs(2)
    pictures, marks, truths, maps = columns(items, "images", "scribbles", "labels", "maps")
    same = {"C": 10, "tol": 0.5}
    one = s3svm.train_segment(pictures, marks, truths, method="amn", maps=maps, alone=True, **same)
    assert one.to_bytes() == s3svm.learn("segment", pictures, truths, marks=marks, method="amn", maps=maps, alone=True, **same).to_bytes()
    first = [np.moveaxis(p, 2, 0) for p in pictures], [np.moveaxis(m, 2, 0) for m in maps]
    other = s3svm.train_segment(first[0], marks, truths, method="amn", maps=first[1], alone=True, channels_first=True, **same)
    assert other.to_bytes() == one.to_bytes()
    seen = s3svm.prepare(one)
    labels = seen.predict(pictures[0], marks[0], maps[0])
    assert np.array_equal(labels, seen.predict(first[0][0], marks[0], first[1][0], channels_first=True))
    assert seen.problem(first[0][0], marks[0], first[1][0], channels_first=True).shape == SIDES


def test_learning_away_from_a_model():
    pictures, marks, truths, maps = columns(discs(2), "images", "scribbles", "labels", "maps")
    same = {"maps": maps, "alone": True, "tol": 0.5}
    model = s3svm.train_segment(pictures, marks, truths, method="amn", C=10, **same)
    near = s3svm.train_segment(pictures[:1], marks[:1], truths[:1], start=model, maps=maps[:1], C=1e-6, tol=0.5)
    assert np.allclose(near.weights, model.weights, atol=1e-3) and not np.allclose(model.weights, 0)
    with pytest.raises(s3svm.ArgumentError, match="method s3svm: the model given by start has amn"):
        s3svm.train_segment(pictures, marks, truths, method="s3svm", start=model, maps=maps)


def test_folders(tmp_path):
    keep(tmp_path / "a", [{"images": d["images"], "labels": 255 * (1 - d["labels"])} for d in drawings()])
    model = s3svm.train_denoise(tmp_path / "a", kind="paper", C=10, tol=0.5)
    assert model.facts["task"] == "denoise" and model.facts["noise"] == []
    noisy = s3svm.train_denoise(str(tmp_path / "a"), kind="paper", sigma=0.5, C=10, tol=0.5)
    assert noisy.facts["noise"][0]["sigma"] == 0.5
    with pytest.raises(ValueError, match="a folder has truths"):
        s3svm.learn("denoise", tmp_path / "a", [np.zeros((3, 3), int)])
    with pytest.raises(s3svm.FileError, match="nowhere"):
        s3svm.train_denoise(tmp_path / "nowhere")
    files = [tmp_path / "a" / "images" / f"p{i}.png" for i in range(3)]
    truths = [d["labels"] for d in drawings()]
    assert s3svm.train_denoise(files, truths, "paper", C=10, tol=0.5).to_bytes() == model.to_bytes()
    assert np.array_equal(s3svm.denoise(files[0], model), s3svm.denoise(s3svm.read_image(files[0], "grey"), model))


ITEMS = discs(2)
PICTURES, MARKS, TRUTHS, MAPS = columns(ITEMS, "images", "scribbles", "labels", "maps")
INK = [(t != 0).astype(int) for t in TRUTHS]
GREY = [np.zeros(SIDES), np.zeros(SIDES)]


def with_nan(array):
    bad = np.array(array, dtype=float)
    bad[3, 4] = np.nan
    return bad


@pytest.mark.parametrize("words, call", [
    (r"there is no task 'segmant'; .*did you mean 'segment'", lambda: s3svm.learn("segmant", PICTURES, TRUTHS)),
    (r"'denoise' has no setting 'modle'; did you mean 'model'", lambda: s3svm.learn("denoise", GREY, INK, modle="paper")),
    (r"there are 2 pictures, but 1 truths", lambda: s3svm.learn("denoise", GREY, INK[:1])),
    (r"there are 2 pictures, but 1 marks", lambda: s3svm.train_segment(PICTURES, MARKS[:1], TRUTHS)),
    (r"there are 2 pictures, but 3 maps", lambda: s3svm.train_denoise(GREY, INK, maps=[0, 0, 0])),
    (r"truths\[0\] is missing", lambda: s3svm.learn("denoise", GREY)),
    (r"pictures\[1\] must be finite: row 3, column 4 is not", lambda: s3svm.train_denoise([GREY[0], with_nan(GREY[1])], INK)),
    (r"pictures\[1\] of real numbers must lie between 0 and 1: row 3, column 4",
     lambda: s3svm.train_segment([PICTURES[0], with_nan(PICTURES[1] / 255)], MARKS, TRUTHS)),
    (r"pictures\[1\] must be height x width x 3, not of shape \(26, 34, 2\)",
     lambda: s3svm.train_segment([PICTURES[0], PICTURES[1][..., :2]], MARKS, TRUTHS)),
    (r"pictures\[0\] must be height x width x 3, not of shape \(3, 26, 34\); channels_first=True",
     lambda: s3svm.train_segment([np.moveaxis(p, 2, 0) for p in PICTURES], MARKS, TRUTHS)),
    (r"truths\[1\] must have the size of its picture, \(26, 34\), not \(25, 34\)",
     lambda: s3svm.train_segment(PICTURES, MARKS, [TRUTHS[0], TRUTHS[1][1:]])),
    (r"truths\[1\] must be whole numbers", lambda: s3svm.train_segment(PICTURES, MARKS, [TRUTHS[0], TRUTHS[1] / 2])),
    (r"truths\[0\] must be numbers from 0 to 255", lambda: s3svm.train_denoise(GREY, [t * 300 for t in INK])),
    (r"truths\[1\] has masked entries", lambda: s3svm.train_denoise(GREY, [INK[0], np.ma.array(INK[1], mask=INK[1] == 1)])),
    (r"marks\[1\] must have the size", lambda: s3svm.train_segment(PICTURES, [MARKS[0], MARKS[1][1:]], TRUTHS)),
    (r"maps\[1\] must have the size of the picture", lambda: s3svm.train_denoise(GREY, INK, maps=[MAPS[0], MAPS[1][1:]])),
    (r"maps\[0\] must be finite: row 3, column 4", lambda: s3svm.train_denoise(GREY, INK, maps=[with_nan(MAPS[0]), MAPS[1]])),
    (r"'pictures\[0\]' has no picture of marks", lambda: s3svm.train_segment(PICTURES, None, TRUTHS)),
    (r"kind takes one of paper.*not 'magic'", lambda: s3svm.train_denoise(GREY, INK, "magic")),
    (r"alone needs map_kind weights, odds or bins", lambda: s3svm.train_denoise(GREY, INK, alone=True)),
    (r"no drawing has ink", lambda: s3svm.train_denoise(GREY, [np.full(SIDES, 255)] * 2)),
    (r"there are no training pictures", lambda: s3svm.train_denoise([], [])),
    (r"names of labels have neither", lambda: s3svm.train_label(PICTURES, INK, ["a,b", "c"])),
    (r"names: 1 label; there must be 2", lambda: s3svm.train_label(PICTURES, INK, 1)),
    (r"'pictures\[0\]': column .* has label 3, but there are 2", lambda: s3svm.train_label(PICTURES, [3 * t for t in INK], 2)),
])
def test_what_is_wrong_is_said_and_of_which_picture(words, call):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
