"""Restoring drawings, labelling, models of one's own pictures, and pictures in files."""

import os
import subprocess
import threading

import numpy as np
import pytest

import s3svm
from support import generator

S3SVM = os.environ.get("S3SVM")
needs_command = pytest.mark.skipif(not S3SVM or not os.path.exists(S3SVM), reason="$S3SVM names no command")


def run(*arguments):
    return subprocess.run([S3SVM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def noisy_drawing(number, height=80, width=100, sigma=0.4):
    clean = s3svm.draw(height, width, number)
    noise = generator(90, number).normal(0, sigma, clean.shape)
    return clean, np.rint(255 * np.clip(1 - clean + noise, 0, 1)).astype(np.uint8)


def test_drawings_are_restored():
    clean, noisy = noisy_drawing(2, 240, 320)
    labels = s3svm.denoise(noisy)
    threshold = np.mean((noisy < 128) != clean)
    assert np.mean(labels != clean) < 0.2 * threshold
    assert labels.names == ["paper", "ink"] and labels._repr_png_()[:4] == b"\x89PNG"
    assert np.array_equal(labels, s3svm.denoise(noisy / 255.0)) and np.array_equal(labels, s3svm.denoise(noisy[..., None]))
    assert np.array_equal(s3svm.denoise(np.asfortranarray(noisy)), labels)


@needs_command
def test_drawings_as_the_command_restores_them(tmp_path):
    _, noisy = noisy_drawing(1)
    s3svm.write_image(tmp_path / "noisy.png", noisy)
    assert np.array_equal(s3svm.read_image(tmp_path / "noisy.png", "grey"), noisy)
    s3svm.Model.embedded("denoise").save(tmp_path / "model.json")
    run("predict", "-m", tmp_path / "model.json", tmp_path / "noisy.png", "-o", tmp_path / "out")
    theirs = s3svm.read_image(tmp_path / "out" / "noisy.png", "grey") < 128
    assert np.array_equal(theirs, s3svm.denoise(noisy, tmp_path / "model.json"))


def test_a_model_of_drawings_of_one_s_own():
    pairs = [noisy_drawing(n, 48, 64) for n in range(4)]
    rounds = []
    model = s3svm.train_denoise([x for _, x in pairs[:3]], [t for t, _ in pairs[:3]], "paper", tol=0.05,
                                callback=lambda r: rounds.append(r["round"]))
    assert rounds and model.facts["task"] == "denoise"
    clean, noisy = pairs[3]
    labels = s3svm.denoise(noisy, model)
    assert np.mean(labels != clean) < np.mean((noisy < 128) != clean)
    assert np.array_equal(labels, s3svm.Model.from_bytes(model.to_bytes()).predict(s3svm.prepare(model).problem(noisy)))


def test_features_are_what_the_energy_is_made_of():
    predictor = s3svm.prepare("denoise")
    clean, noisy = noisy_drawing(3, 40, 50)
    problem = predictor.problem(noisy)
    features = predictor.features(noisy)
    assert all(array.shape[:2] == (40, 50) for array in features.values()) and features
    assert np.array_equal(problem.minimize(predictor.model), predictor.predict(noisy))
    name = next(iter(features))
    assert np.array_equal(problem.features(name), features[name])
    assert predictor.task == "denoise" and predictor.labels == ["paper", "ink"] and "denoise" in repr(predictor)


def test_maps_of_one_s_own():
    pairs = [noisy_drawing(n, 40, 48) for n in range(4)]
    maps = [np.stack([t + generator(91, i).normal(0, 0.4, t.shape), np.zeros(t.shape)], axis=-1)
            for i, (t, _) in enumerate(pairs)]
    model = s3svm.train_denoise([x for _, x in pairs[:3]], [t for t, _ in pairs[:3]], "paper", maps=maps[:3], tol=0.1)
    clean, noisy = pairs[3]
    assert np.mean(s3svm.denoise(noisy, model, maps=maps[3]) != clean) < 0.08
    predictor = s3svm.prepare(model)
    assert predictor.maps == 2 and predictor.features(noisy, maps=maps[3])["maps"].shape[:2] == (40, 48)
    for wrong in (None, maps[3][..., :1], maps[3][:-1], maps[3] * np.nan):
        with pytest.raises(ValueError):
            s3svm.denoise(noisy, model, maps=wrong)
    with pytest.raises(ValueError):
        s3svm.denoise(noisy, maps=maps[3])


def scenes(count=4):
    """Sky above grass, with a ball on some."""
    rng = generator(92)
    pictures, truths = [], []
    for i in range(count):
        y, x = np.mgrid[:40, :48]
        truth = (y > 18 + 3 * np.sin(x / 7 + i)).astype(np.uint8)
        truth[(x - 10 - 8 * i) ** 2 + (y - 20) ** 2 < 40] = 2
        colours = np.array([[120, 160, 230], [60, 140, 60], [200, 60, 50]])[truth]
        pictures.append(np.clip(colours + rng.normal(0, 25, colours.shape), 0, 255).astype(np.uint8))
        truths.append(truth)
    return pictures, truths


def test_labels_learned_and_found():
    pictures, truths = scenes()
    truths[0][:5] = 255  # nobody knows
    maps = [(p / 255.0) for p in pictures]
    model = s3svm.train_label(pictures[:3], truths[:3], ["sky", "grass", "ball"], "pairwise", maps=maps[:3], alone=True,
                              tol=0.2)
    labels = s3svm.label(pictures[3], model, maps=maps[3])
    assert labels.names == ["sky", "grass", "ball"] and np.mean(labels == truths[3]) > 0.9
    assert labels._repr_png_()[:4] == b"\x89PNG"
    assert s3svm.prepare(model).problem(pictures[3], maps=maps[3]).shape == (40, 48)
    with pytest.raises(ValueError):
        s3svm.denoise(pictures[3], model)
    with pytest.raises(ValueError):
        s3svm.train_label(pictures[:3], truths[:3], ["a,b", "c", "d"])
    with pytest.raises(ValueError):
        s3svm.train_label(pictures[:3], truths[:3], 2)  # there is a third


def marked_scenes():
    """Balls, scribbles on them and beside, and where they are."""
    pictures, truths = scenes()
    truths = [(t == 2).astype(np.uint8) for t in truths]
    marks = []
    for t in truths:
        m = np.zeros(t.shape, np.uint8)
        y, x = np.argwhere(t).mean(axis=0).astype(int)
        m[y - 2:y + 3, x - 2:x + 3] = s3svm.Mark.OBJECT
        m[:2] = m[-2:] = s3svm.Mark.BACKGROUND
        marks.append(m)
    return pictures, marks, truths


def test_masks_of_all_conventions_teach_the_same():
    pictures, marks, truths = marked_scenes()
    maps = [p / 255.0 for p in pictures]

    def learn(masks, **settings):
        return s3svm.train_segment(pictures[:2], marks[:2], masks, method="amn", maps=maps[:2], alone=True, tol=0.3, **settings)

    plain = learn(truths[:2])
    assert np.mean(s3svm.prepare(plain).predict(pictures[2], marks[2], maps[2]) == truths[2]) > 0.9
    for masks in ([255 * t for t in truths[:2]], [t.astype(bool) for t in truths[:2]], [t.astype(np.int64) for t in truths[:2]]):
        assert learn(masks).to_bytes() == plain.to_bytes()
    unsure = [np.where(np.arange(48) < 3, 255, t) for t in truths[:2]]
    want = learn(unsure).to_bytes()
    assert learn([np.where(np.arange(48) < 3, 128, 255 * t) for t in truths[:2]]).to_bytes() == want
    assert learn([np.where(np.arange(48) < 3, 7, t) for t in truths[:2]], unsure=7).to_bytes() == want
    with pytest.warns(UserWarning, match=r"pictures\[1\].* no object"):
        learn([truths[0], 0 * truths[1]])
    with pytest.raises(s3svm.FormatError, match=r"pictures\[1\].*column 0, row 0 is 7"):
        learn([truths[0], truths[1] + 7])
    with pytest.raises(s3svm.FormatError, match="which one is the object"):
        learn([truths[0], 255 * truths[1]])
    with pytest.raises(ValueError, match="no picture has an object"):
        learn([255 * t for t in truths[:2]], unsure=255)  # what was the default once
    with pytest.raises(ValueError, match="no pixel of the true labels is sure"):
        learn([np.full_like(t, 128) for t in truths[:2]])
    with pytest.raises(ValueError, match=r"truths\[0\] must have the size of its picture, \(40, 48\), not \(39, 48\)"):
        learn([truths[0][1:], truths[1]])
    with pytest.raises(ValueError, match="there are 2 pictures, but 1 truths"):
        learn(truths[:1])


def test_a_model_of_photographs_of_one_s_own():
    pictures, marks, truths = marked_scenes()
    model = s3svm.train_segment(pictures[:3], marks[:3], truths[:3], "paper", "amn", tol=0.2, samples=200)
    labels = s3svm.segment(pictures[3], marks[3], model)
    assert np.mean(labels == truths[3]) > 0.95
    assert np.mean(s3svm.prepare(model).predict(pictures[3], marks[3]) == truths[3]) > 0.9
    features = s3svm.prepare(model).features(pictures[3], marks[3])
    assert features and all(f.shape[:2] == (40, 48) for f in features.values())
    with pytest.raises(ValueError, match="marks"):
        s3svm.prepare(model).predict(pictures[3])
    with pytest.raises(ValueError):
        s3svm.train_segment(pictures[:3], marks[:2], truths[:3], "paper", "amn")
    with pytest.raises(ValueError, match="method takes one of amn.s3svm.counts"):
        s3svm.train_segment(pictures[:3], marks[:3], truths[:3], "paper", "magic")


@pytest.mark.parametrize("call", [
    lambda: s3svm.denoise(np.zeros((3, 3, 3))),
    lambda: s3svm.denoise(np.full((5, 5), np.nan)),
    lambda: s3svm.denoise(np.zeros((0, 5))),
    lambda: s3svm.train_denoise([], [], "paper"),
    lambda: s3svm.train_denoise([np.zeros((9, 9))], [np.zeros((8, 9), int)], "paper"),
    lambda: s3svm.train_denoise([np.zeros((9, 9))], [np.full((9, 9), 2)], "paper"),
    lambda: s3svm.train_denoise([np.zeros((9, 9))], [np.zeros((9, 9), int)], "magic"),
    lambda: s3svm.label(np.zeros((9, 9, 3), np.uint8), "denoise"),
    lambda: s3svm.read_image("x.png", "sound"),
    lambda: s3svm.write_image("x.png", np.zeros((3, 3, 2), np.uint8)),
    lambda: s3svm.write_image("x.png", np.full((3, 3), 1.5)),
    lambda: s3svm.draw(5, 5),
])
def test_what_is_wrong_is_refused(call):
    with pytest.raises((ValueError, s3svm.RangeError)):
        call()


def test_models_that_are_for_something_else(tmp_path):
    s3svm.Model().save(tmp_path / "model.json")
    with pytest.raises(s3svm.FormatError):
        s3svm.prepare(tmp_path / "model.json")
    with pytest.raises(OSError):
        s3svm.denoise(np.zeros((9, 9)), tmp_path / "nowhere.json")


def test_one_predictor_for_many_threads():
    predictor = s3svm.prepare("denoise")
    pictures = [noisy_drawing(n, 40, 48)[1] for n in range(6)]
    alone = [predictor.predict(p) for p in pictures]
    found = [None] * len(pictures)

    def work(i):
        found[i] = predictor.predict(pictures[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(pictures))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(alone, found))


def test_pictures_in_files(tmp_path):
    rng = generator(93)
    colour = rng.integers(0, 256, (7, 9, 3), dtype=np.uint8)
    for name in ("p.png", "p.ppm"):
        s3svm.write_image(tmp_path / name, colour)
        assert np.array_equal(s3svm.read_image(tmp_path / name), colour)
    s3svm.write_image(tmp_path / "f.png", colour / 255.0)
    assert np.array_equal(s3svm.read_image(tmp_path / "f.png"), colour)
    s3svm.write_image(tmp_path / "alpha.png", np.dstack([colour, np.full((7, 9), 255, np.uint8)]))
    assert np.array_equal(s3svm.read_image(tmp_path / "alpha.png"), colour)
    s3svm.write_image(tmp_path / "l.png", colour[..., 0])
    assert np.array_equal(s3svm.read_image(tmp_path / "l.png", "labels"), colour[..., 0])
    with pytest.raises(s3svm.FileError):
        s3svm.read_image(tmp_path / "nowhere.png")
    (tmp_path / "bad.png").write_bytes(b"nothing")
    with pytest.raises(s3svm.FormatError):
        s3svm.read_image(tmp_path / "bad.png")


def test_pngs_of_our_own_are_pngs(tmp_path):
    from s3svm._display import png

    for shape in ((5, 6), (5, 6, 3)):
        picture = generator(94).integers(0, 256, shape, dtype=np.uint8)
        (tmp_path / "p.png").write_bytes(png(picture))
        assert np.array_equal(s3svm.read_image(tmp_path / "p.png", "grey" if len(shape) == 2 else "colour"), picture)
