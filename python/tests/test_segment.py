"""Objects in photographs: marks, steps, GrabCut, the pictures that come out."""

import os
import subprocess
import threading
import _thread
from pathlib import Path

import numpy as np
import pytest

import s3svm
from s3svm import Mark
from support import generator

S3SVM = os.environ.get("S3SVM")
SOURCE = Path(os.environ.get("SOURCE_DIR", Path(__file__).resolve().parents[2]))
FRUIT = SOURCE / "docs" / "segmentation" / "images" / "fruit.jpg"
STROKES = SOURCE / "docs" / "segmentation" / "scribbles" / "fruit.png"


def ball(height=60, width=80, noise=12):
    """A ball on grass, and where it is."""
    y, x = np.mgrid[:height, :width]
    truth = ((x - width / 2) ** 2 + (y - height / 2) ** 2 < (height / 4) ** 2).astype(np.uint8)
    colours = np.where(truth[..., None], [200, 60, 50], [60, 130, 60])
    return np.clip(colours + generator(100).normal(0, noise, colours.shape), 0, 255).astype(np.uint8), truth


def strokes(height=60, width=80):
    marks = np.zeros((height, width), np.uint8)
    marks[height // 2 - 3:height // 2 + 3, width // 2 - 3:width // 2 + 3] = Mark.OBJECT
    marks[3:5, 5:-5] = marks[-5:-3, 5:-5] = Mark.BACKGROUND
    return marks


@pytest.mark.parametrize("model", ["segment", "segment-amn", "grabcut"])
def test_steps_and_taking_them_back(model, tmp_path):
    photograph, truth = ball()
    s = s3svm.Segmenter(photograph, model)
    assert s.steps == 0 and not s.labels.any()
    first = s.scribbles(strokes())
    assert np.mean(first != truth) < 0.03 and s.steps == 1
    second = s.stroke([[10, 10], [30, 10]], "background", 3)
    assert s.steps == 2 and second.shape == truth.shape
    assert (s.marks[10, 10:31] == Mark.BACKGROUND).all() and s.marks[30, 40] == Mark.OBJECT
    assert np.array_equal(s.undo(), first) and s.steps == 1
    assert np.array_equal(s.stroke([[10, 10], [30, 10]], "background", 3), second)
    s.save_marks(tmp_path / "marks.json")
    again = s3svm.Segmenter(photograph, model)
    assert np.array_equal(again.replay(tmp_path / "marks.json"), second) and again.steps == 2
    s.clear()
    assert s.steps == 0 and not s.labels.any()
    clicked = s.click(40, 30)
    assert clicked[30, 40] == 1
    assert f"{60} x {80} pixels by {model}, 1 steps" in repr(s) and s._repr_png_()[:4] == b"\x89PNG"
    assert s.result["reduction"] == 1


def test_shapes_of_marks():
    photograph, truth = ball()
    s = s3svm.Segmenter(photograph, "grabcut")
    assert np.mean(s.box(15, 8, 65, 52) != truth) < 0.03
    s.undo()
    assert np.mean(s.outline([[15, 8], [65, 8], [65, 52], [15, 52]]) != truth) < 0.03
    s.undo()
    both = s.mark([("stroke", [[40, 30]], "object", 4), ("stroke", [[3, 3], [70, 3]], "background", 2)])
    assert np.mean(both != truth) < 0.03 and s.steps == 1
    opencv = np.where(strokes() == Mark.OBJECT, 1, np.where(strokes() == Mark.BACKGROUND, 0, 2))
    s.undo()
    assert np.mean(s.scribbles(opencv, "opencv") != truth) < 0.03
    for wrong in (lambda: s.stroke([[1, 2, 3]]), lambda: s.stroke([[1, 2]], "sky"), lambda: s.stroke([]),
                  lambda: s.stroke([[np.nan, 1]]), lambda: s.box(200, 200, 210, 210), lambda: s.outline([[1, 1], [2, 2]]),
                  lambda: s.scribbles(np.zeros((3, 3), int)), lambda: s.scribbles(np.full(truth.shape, 7)),
                  lambda: s.mark([("circle", 3)]), lambda: s.mark([]), lambda: s.scribbles(strokes(), "napkin")):
        steps = s.steps
        with pytest.raises(ValueError):
            wrong()
        assert s.steps == steps


def test_photographs_of_all_kinds():
    photograph, truth = ball()
    labels = s3svm.segment(photograph, strokes())
    for other in (photograph / 255.0, np.dstack([photograph, np.full(truth.shape, 255, np.uint8)]),
                  np.asfortranarray(photograph), photograph[::-1][::-1]):
        assert np.array_equal(s3svm.segment(other, strokes()), labels)
    assert s3svm.segment(photograph[..., 0], strokes()).shape == truth.shape  # grey
    for wrong in (np.zeros((3, 3, 2), np.uint8), np.zeros(5, np.uint8), np.full((5, 5, 3), 2.0), np.zeros((5, 5, 3), complex),
                  np.zeros((0, 0, 3), np.uint8)):
        with pytest.raises((ValueError, TypeError, s3svm.RangeError)):
            s3svm.Segmenter(wrong, "grabcut")
    with pytest.raises(OSError):
        s3svm.Segmenter(photograph, "nowhere.json")


@pytest.mark.skipif(not FRUIT.exists() or not S3SVM, reason="no photograph, or no command")
def test_the_command_finds_the_same(tmp_path):
    subprocess.run([S3SVM, "segment", FRUIT, "--scribbles", STROKES, "-o", tmp_path / "mask.png", "--cutout",
                    tmp_path / "cutout.png"], check=True, capture_output=True)
    photograph = s3svm.read_image(FRUIT)
    s = s3svm.Segmenter(photograph)
    labels = s.scribbles(s3svm.read_scribbles(STROKES, photograph))
    assert np.array_equal(s3svm.read_image(tmp_path / "mask.png", "grey"), 255 * np.asarray(labels))
    assert np.array_equal(s3svm.Segmenter(photograph).replay(STROKES), labels)


def test_specks_and_what_is_connected():
    photograph, truth = ball()
    photograph[5:8, 70:73] = photograph[30, 40]  # a speck of the object's colour
    marks = strokes()
    found = [s3svm.segment(photograph, marks, "grabcut", **settings)[6, 71] for settings in
             ({}, {"specks": 20}, {"specks": 0}, {"connected": True})]
    assert found == [1, 0, 1, 0]
    s = s3svm.Segmenter(photograph, "grabcut", specks=20)
    assert s.scribbles(marks)[6, 71] == 0 and s.result["tidied"] >= 9
    with pytest.raises(ValueError, match="specks"):
        s3svm.Segmenter(photograph, "grabcut", specks=-1)


@pytest.mark.parametrize("method", ["s3svm", "amn", "grabcut"])
def test_methods_by_name(method):
    photograph, _ = ball(40, 50)
    marks = strokes(40, 50)
    name = {"s3svm": "segment", "amn": "segment-amn"}.get(method, method)
    assert np.array_equal(s3svm.segment(photograph, marks, method), s3svm.segment(photograph, marks, name))


def test_pictures_of_the_object():
    photograph, truth = ball()
    matte = s3svm.cutout(photograph, truth)
    assert matte.shape == (60, 80, 4) and matte[30, 40, 3] == 255 and matte[0, 0, 3] == 0
    hard = s3svm.cutout(photograph, truth, edge=0)
    assert set(np.unique(hard[..., 3])) == {0, 255} and np.array_equal(hard[truth == 1][:, :3], photograph[truth == 1])
    shown = s3svm.overlay(photograph, truth, strokes())
    assert shown.shape == photograph.shape and s3svm.overlay(photograph, truth).shape == photograph.shape
    s = s3svm.Segmenter(photograph, "grabcut")
    s.scribbles(strokes())
    assert s.cutout().shape == (60, 80, 4) and s.overlay().shape == (60, 80, 3)
    with pytest.raises(ValueError):
        s3svm.cutout(photograph, truth[:-1])
    with pytest.raises(ValueError):
        s3svm.cutout(photograph, truth, edge=-1)


def test_grabcut():
    photograph, truth = ball()
    by_marks = s3svm.grabcut(photograph, strokes())
    by_box = s3svm.grabcut(photograph, rect=(15, 8, 50, 44))
    for found in (by_marks, by_box):
        assert np.mean(found.labels != truth) < 0.02 and found.iterations >= 1 and found.beta > 0
        assert set(np.unique(found.mask)) <= {0, 1, 2, 3} and np.array_equal(found.mask & 1, found.labels)
        assert "GrabCut: " in repr(found) and found._repr_png_() and np.asarray(found).shape == truth.shape
    assert np.array_equal(s3svm.grabcut(photograph, by_marks.mask, convention="opencv").labels, by_marks.labels)
    assert np.array_equal(s3svm.grabcut(photograph, strokes(), n_jobs=1).labels, by_marks.labels)
    for wrong in (lambda: s3svm.grabcut(photograph), lambda: s3svm.grabcut(photograph, rect=(90, 90, 5, 5)),
                  lambda: s3svm.grabcut(photograph, strokes()[:-1]), lambda: s3svm.grabcut(photograph, strokes(), components=0)):
        with pytest.raises(ValueError):
            wrong()


def test_grabcut_agrees_with_opencv():
    cv2 = pytest.importorskip("cv2")
    photograph, truth = ball()
    mask = np.full(truth.shape, cv2.GC_PR_BGD, np.uint8)
    mask[strokes() == Mark.OBJECT] = cv2.GC_FGD
    mask[strokes() == Mark.BACKGROUND] = cv2.GC_BGD
    ours = s3svm.grabcut(photograph, mask, convention="opencv").labels
    cv2.grabCut(photograph[..., ::-1].copy(), mask, None, np.zeros((1, 65)), np.zeros((1, 65)), 5, cv2.GC_INIT_WITH_MASK)
    assert np.mean((mask & 1) != ours) < 0.01


def test_stopping():
    photograph, _ = ball(240, 320)
    with pytest.raises(ZeroDivisionError):
        s3svm.grabcut(photograph, strokes(240, 320), progress=lambda phase, done: 1 / 0)
    s = s3svm.Segmenter(photograph, "grabcut")
    with pytest.raises(s3svm.Cancelled):
        s.scribbles(strokes(240, 320), progress=lambda phase, done: False)
    assert s.steps == 0
    assert s.scribbles(strokes(240, 320)).any()


def test_ctrl_c_while_marking():
    photograph, _ = ball(300, 400, 60)
    s = s3svm.Segmenter(photograph, "grabcut", iterations=1000)
    timer = threading.Timer(0.15, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            s.scribbles(strokes(300, 400))
            s.clear()
    timer.join()
    s.clear()


def test_larger_photographs_are_reduced():
    photograph, truth = ball(120, 160)
    s = s3svm.Segmenter(photograph, max_pixels=5000)
    assert np.mean(s.scribbles(strokes(120, 160)) != truth) < 0.05 and s.result["reduction"] > 1
    assert s3svm.Segmenter(photograph, max_pixels=0).scribbles(strokes(120, 160)).shape == truth.shape


def test_a_segmenter_outlives_its_photograph():
    photograph, truth = ball()
    s = s3svm.Segmenter(photograph.copy(), s3svm.Model.embedded("segment-amn"))
    import gc
    gc.collect()
    assert np.mean(s.scribbles(strokes()) != truth) < 0.03


@pytest.mark.parametrize("seed", range(4))
def test_a_small_object_in_a_box_is_found_where_its_colours_lie_elsewhere_too(seed):
    """Colours of all of the photograph say that there is nothing in the box: half of it has those of the object."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[:240, :427]
    left, top = int(rng.integers(240, 320)), int(rng.integers(40, 150))
    truth = ((columns - left - 39) / 39) ** 2 + ((rows - top - 15) / 15) ** 2 < 1
    photograph = np.empty((240, 427, 3))
    photograph[:] = rng.integers(60, 120, 3)
    photograph[truth | (columns < 213)] = rng.integers(130, 220, 3)
    photograph = np.clip(photograph + rng.normal(0, 22, photograph.shape), 0, 255).astype(np.uint8)
    segmenter = s3svm.Segmenter(photograph, n_jobs=1)
    found = np.asarray(segmenter.box(left - 4, top - 2, left + 81, top + 31)) > 0
    assert (found & truth).sum() > 0.8 * (found | truth).sum()
    assert segmenter.result["object_assumed"]
    corrected = np.asarray(segmenter.click(left + 39, top + 15, "background")) > 0  # the middle was only assumed
    assert not corrected[top + 15, left + 39]


def test_confidence_says_how_sure_pieces_are_and_where_to_look_next():
    photograph, _ = ball()
    s = s3svm.Segmenter(photograph, "segment-amn", n_jobs=1)
    nothing = s.confidence()
    assert nothing.next is None and nothing.label is None and not nothing.map.any()
    labels = s.scribbles(strokes())
    c = s.confidence()
    assert c.map.shape == labels.shape and c.map.dtype == np.float32 and c.pieces > 20 and c.doubt < 1e-6
    x, y = c.next
    assert c.label == ("object" if labels[y, x] else "background")
    assert c.map[y, x] == pytest.approx(c.least)
    marked = (s.marks == Mark.OBJECT) | (s.marks == Mark.BACKGROUND)
    assert (c.map[marked] == 100).all() and (c.grey[marked] == 255).all() and c.map.min() >= 0
    assert c.grey.dtype == np.uint8 and c.grey[y, x] == int(255 * c.map[y, x] / (1 + c.map[y, x]) + 0.5)
    many = s3svm.Segmenter(photograph, "segment-amn", n_jobs=3)
    many.scribbles(strokes())
    assert np.array_equal(many.confidence().map, c.map)
    assert c._repr_png_().startswith(b"\x89PNG") and f"({x}, {y})" in repr(c)
    with pytest.raises(s3svm.Cancelled):
        s.confidence(progress=lambda phase, done: False)
    with pytest.raises(ValueError, match="GrabCut"):
        s3svm.Segmenter(photograph, "grabcut").confidence()
