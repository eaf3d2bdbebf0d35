"""The same photograph, marks and model give the same labels, bit for bit, whoever asks: the command, the server, Python's
Segmenter, and what predicts for tasks, as the command and as Python."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import s3svm
from s3svm import Mark
from support import generator

S3SVM = os.environ.get("S3SVM")
SOURCE = Path(os.environ.get("SOURCE_DIR", Path(__file__).resolve().parents[2]))
DATA = SOURCE / "docs" / "segmentation"
METHODS = {name: model for name, _, _, model in s3svm._s3svm.segmenter_methods()}
ENERGIES = ["amn", "s3svm", "counts"]

sys.path.insert(0, str(SOURCE / "tests" / "serve"))
from client import Server  # noqa: E402


def has_server():
    return S3SVM and "without libmicrohttpd" not in subprocess.run([S3SVM, "version"], capture_output=True, text=True).stdout


pytestmark = pytest.mark.skipif(not has_server(), reason="no command, or one without a server")


def run(*arguments):
    done = subprocess.run([S3SVM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def mask(path):
    return s3svm.read_image(path, "grey")


def odd_photograph(height, width):
    return generator(7).integers(0, 256, (height, width, 3), dtype=np.uint8)


def noisy_square(height, width):
    """An object with holes and specks around it, which tidying has something to do with."""
    rng = generator(8)
    truth = np.zeros((height, width), bool)
    truth[height // 4:-height // 4, width // 4:-width // 4] = True
    shown = truth ^ (rng.random(truth.shape) < 0.03)
    colours = np.where(shown[..., None], [200, 60, 50], [60, 130, 60]) + rng.normal(0, 10, (height, width, 3))
    return np.clip(colours, 0, 255).astype(np.uint8)


def steps_for(height, width):
    """A click, a correction, and a box: steps that models which have learned from dialogues see one after the other."""
    x, y = width // 2, height // 2
    corners = [[width // 8, height // 8], [width - 1 - width // 8, height - 1 - height // 8]]
    return [[("stroke", [[x, y]], "object", 3.0)], [("stroke", [[0, 0], [width // 3, 0]], "background", 2.0)],
            [("box", corners), ("stroke", [[x, min(y + 3, height - 1)]], "object", 1.0)]]


@pytest.fixture(scope="module")
def album(tmp_path_factory):
    """A data set: the documentation's photographs, small and with their scribbles, and odd ones; marks as pictures and as lists."""
    folder = tmp_path_factory.mktemp("album")
    for part in ("images", "scribbles"):
        (folder / part).mkdir()
    photographs = {}
    for path in sorted((DATA / "images").glob("*.jpg")):
        photograph = s3svm.read_image(path)
        scribbles = s3svm.read_scribbles(DATA / "scribbles" / (path.stem + ".png"), photograph)
        every = 3 if not photographs else 5  # the first is large enough for specks of several pixels
        photographs[path.stem] = photograph[::every, ::every], scribbles[::every, ::every]
    photographs["specks"] = noisy_square(61, 83), None
    for height, width in ((1, 1), (1, 9), (31, 17)):
        photographs[f"odd-{height}x{width}"] = odd_photograph(height, width), None
    for name, (photograph, scribbles) in photographs.items():
        s3svm.write_image(folder / "images" / (name + ".png"), np.ascontiguousarray(photograph))
        marked = s3svm.Segmenter(photograph, "grabcut", iterations=1)
        if scribbles is not None:
            marked.scribbles(np.ascontiguousarray(scribbles))
            s3svm.write_image(folder / "scribbles" / (name + ".png"), np.ascontiguousarray(scribbles))
        for step in steps_for(*photograph.shape[:2]) if scribbles is None else ():
            marked.mark(step)
        marked.save_marks(folder / (name + ".json"))
        if scribbles is None:
            (folder / "scribbles" / (name + ".json")).write_bytes((folder / (name + ".json")).read_bytes())
    return folder


def by_server(server, method, picture, marks):
    opened = server.upload(picture.read_bytes()).json
    answer = server.post(f"/api/pictures/{opened['id']}/labels", {"marks": json.loads(marks.read_text()), "method": method})
    assert answer.status == 200, answer
    server.ask("DELETE", f"/api/pictures/{opened['id']}")
    return base64.b64decode(answer.json["mask"].split(",")[1])


def check_all(album, out, server, method, model, options):
    """model: for Python; options: of the command; method: of the server."""
    run("segment", album, "-o", out / "segment", *options)
    predicts = model != "grabcut"
    if predicts:
        run("predict", album, "-o", out / "predict", "-m", model)
        predictor = s3svm.prepare(METHODS.get(model, model) if isinstance(model, str) else model)
    tidied = 0
    for picture in sorted((album / "images").iterdir()):
        marks, photograph = album / (picture.stem + ".json"), s3svm.read_image(picture)
        session = s3svm.Segmenter(photograph, model)
        labels = session.replay(marks)
        tidied += session.result["tidied"]
        wanted = 255 * np.asarray(labels, np.uint8)
        command = out / "segment" / "masks" / (picture.stem + ".png")
        assert np.array_equal(mask(command), wanted), (picture.stem, "command")
        assert by_server(server, method, picture, marks) == command.read_bytes(), (picture.stem, "server")
        if predicts:
            assert np.array_equal(mask(out / "predict" / (picture.stem + ".png")), wanted), (picture.stem, "predict")
        if predicts and session.steps == 1:
            assert np.array_equal(predictor.predict(photograph, session.marks), labels), (picture.stem, "Predictor")
    return tidied


@pytest.mark.parametrize("method", METHODS)
def test_methods_inside(album, tmp_path, method):
    with Server() as server:
        tidied = check_all(album, tmp_path, server, method, METHODS[method] or method, ["--method", method])
    assert tidied > 0 or method != "grabcut"  # else the album would not tell who tidies


@pytest.fixture(scope="module")
def lesson():
    photographs, marks, truths = [], [], []
    for k in range(2):
        height, width = 30 + 3 * k, 40
        y, x = np.mgrid[:height, :width]
        truth = ((x - 18 - k) ** 2 + (y - 15) ** 2 < 80).astype(np.uint8)
        colours = np.where(truth[..., None], [200, 60, 50 + 20 * k], [60, 130, 60]) + generator(k).normal(0, 12, (height, width, 3))
        photographs.append(np.clip(colours, 0, 255).astype(np.uint8))
        truths.append(truth)
        strokes = np.zeros((height, width), np.uint8)
        strokes[14:17, 15:20], strokes[1:3, 3:35] = Mark.OBJECT, Mark.BACKGROUND
        marks.append(strokes)
    return photographs, marks, truths


@pytest.mark.parametrize("features,method", [("paper", method) for method in ENERGIES] + [("full", "amn")])
def test_methods_learned(album, tmp_path, lesson, features, method):
    model = s3svm.train_segment(*lesson, features, method, tol=0.5, samples=100, n_jobs=1)
    path = tmp_path / "model.json"
    model.save(path)
    few = tmp_path / "few"
    for part in ("images", "scribbles", "."):
        (few / part).mkdir(parents=True, exist_ok=True)
    for name in ("specks", "odd-1x9"):
        for file in (f"images/{name}.png", f"scribbles/{name}.json", f"{name}.json"):
            (few / file).write_bytes((album / file).read_bytes())
    with Server("-m", str(path)) as server:
        check_all(few, tmp_path, server, "model", path, ["-m", path])
