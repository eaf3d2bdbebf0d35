"""What a network says of photographs: proposals before the first mark, marks with it, numbers that are no evidence."""

import os
import subprocess

import numpy as np
import pytest

import s3svm
from s3svm import Calibration, Mark, Segmenter
from support import generator

S3SVM = os.environ.get("S3SVM")
needs_command = pytest.mark.skipif(not S3SVM or not os.path.exists(S3SVM), reason="$S3SVM names no command")
HEIGHT, WIDTH = 48, 64


def scene(number):
    """A ball on grass, where it is, and what a network says of it: right but for noise, and for a corner."""
    rng = generator(110, number)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    truth = ((x - 20 - 3 * number) ** 2 + (y - 24) ** 2 < 150).astype(np.uint8)
    colours = np.where(truth[..., None], [190, 70, 60], [70, 120, 70])
    photograph = np.clip(colours + rng.normal(0, 20, colours.shape), 0, 255).astype(np.uint8)
    said = np.where(truth | ((x > 58) & (y < 5)), 3.0, -3.0) + rng.normal(0, 1.5, truth.shape)
    return photograph, truth, said


@pytest.fixture(scope="module")
def model():
    photographs, truths, maps = zip(*(scene(number) for number in range(6)))
    return s3svm.train_segment(list(photographs), None, list(truths), method="amn", maps=list(maps), samples=300, dialogues=True,
                               evidence=True, C=100, tol=0.3)


def test_a_proposal_and_marks_after_it(model):
    photograph, truth, said = scene(3)
    s = Segmenter(photograph, model, maps=said)
    assert s.steps == 0 and not s.labels.any()
    proposed = s.propose()
    assert s.steps == 0 and np.array_equal(s.labels, proposed) and np.array_equal(s.propose(), proposed)
    assert np.mean(proposed != truth) < 0.05
    assert not s.marks.any() and s.result["object"] == proposed.sum() and s.cutout().shape == (HEIGHT, WIDTH, 4)
    marked = s.click(60, 2, "background")
    assert marked[2, 60] == 0 and s.steps == 1
    with pytest.raises(ValueError, match="after the first mark"):
        s.propose()
    assert np.array_equal(s.undo(), proposed)
    s.clear()
    assert np.array_equal(s.labels, proposed)
    without = Segmenter(photograph, model, maps=said)
    assert np.array_equal(without.click(60, 2, "background"), marked), "a proposal changes nothing that follows"


def test_arrays_of_all_kinds_say_the_same(model):
    photograph, _, said = scene(1)
    rounded = said.astype(np.float32)
    wanted = Segmenter(photograph, model, maps=rounded).propose()
    for same in (rounded.astype(np.float64), rounded[..., None], np.asfortranarray(rounded), rounded.tolist()):
        assert np.array_equal(Segmenter(photograph, model, maps=same).propose(), wanted)
    first = Segmenter(np.moveaxis(photograph, 2, 0), model, maps=rounded[None], channels_first=True)
    assert np.array_equal(first.propose(), wanted)
    kept = rounded.copy()
    s = Segmenter(photograph, model, maps=kept)
    kept[:] = -9
    assert np.array_equal(s.propose(), wanted), "the numbers are copied"


def test_probabilities_by_a_calibration(model):
    photograph, truth, said = scene(2)
    chances = 1 / (1 + np.exp(-said))
    for numbers, maps in (("probabilities", chances), ("bytes", np.rint(255 * chances).astype(np.uint8))):
        with pytest.raises(ValueError, match=f"look like {numbers}: Calibration\\('{numbers}', 1, 0\\)"):
            Segmenter(photograph, model, maps=maps)
        odds = Calibration(numbers, 1, 0).apply(maps)
        assert np.mean(Segmenter(photograph, model, maps=odds).propose() != truth) < 0.05
    exact = np.log(chances / (1 - chances))
    near = Calibration("probabilities", 1, 0).apply(chances)
    assert np.abs(near - exact).max() < 1e-3
    learned = s3svm.calibrate([maps for _, _, maps in map(scene, range(4))], [truth for _, truth, _ in map(scene, range(4))])
    assert np.mean(Segmenter(photograph, model, maps=learned.apply(said)).propose() != truth) < 0.05


def test_what_is_no_evidence(model):
    photograph, _, said = scene(0)
    hole = said.copy()
    hole[7, 9] = np.nan
    for maps, words in ((said[:-1], "size of the picture"), (said.T, "size of the picture"), (hole, "row 7, column 9 is not"),
                        (np.full_like(said, np.inf), "finite"), (np.dstack([said, said]), "one channel"),
                        (said.astype(complex), "real numbers"), (np.zeros(5), "")):
        with pytest.raises((ValueError, TypeError), match=words):
            Segmenter(photograph, model, maps=maps)
    assert not Segmenter(photograph, model, maps=np.zeros_like(said)).labels.any(), "zeros say nothing, which is allowed"
    with pytest.raises(ValueError, match="without maps"):
        Segmenter(photograph, model).propose()
    with pytest.raises(ValueError, match="GrabCut"):
        Segmenter(photograph, "grabcut", maps=said)
    with pytest.raises(ValueError, match="not learned"):
        Segmenter(photograph, "grabcut").propose()
    blind = s3svm.train_segment([photograph, scene(1)[0]], None, [scene(0)[1], scene(1)[1]], method="amn", samples=200, dialogues=True,
                                C=10, tol=0.5)
    with pytest.raises(ValueError, match="maps"):
        Segmenter(photograph, blind, maps=said)
    with pytest.raises(ValueError, match="not learned"):
        Segmenter(photograph, blind).propose()
    with pytest.raises(ValueError, match="no maps"):
        s3svm.prepare(blind).predict(photograph, np.zeros_like(scene(0)[1]), said)


def test_predictions(model):
    photograph, truth, said = scene(4)
    predictor = s3svm.prepare(model)
    assert predictor.evidence and predictor.maps == 0
    assert not s3svm.prepare("denoise").evidence
    marks = np.zeros((HEIGHT, WIDTH), np.uint8)
    marks[22:26, 30:34], marks[45:47, 4:60] = Mark.OBJECT, Mark.BACKGROUND
    alone = predictor.predict(photograph, maps=said)
    assert np.array_equal(alone, Segmenter(photograph, model, maps=said).propose())
    both = predictor.predict(photograph, marks, said)
    assert np.array_equal(both, Segmenter(photograph, model, maps=said).scribbles(marks))
    assert np.array_equal(predictor.predict(photograph, marks), Segmenter(photograph, model).scribbles(marks))
    assert np.mean(both != truth) < 0.05
    seen = [predictor.features(photograph, marks, maps)["response"] for maps in (said, -said, None)]
    assert not np.array_equal(seen[0], seen[1]) and not np.array_equal(seen[0], seen[2])
    with pytest.raises(ValueError, match="needs marks"):
        predictor.predict(photograph)
    with pytest.raises(ValueError, match="look like probabilities"):
        predictor.predict(photograph, marks, 1 / (1 + np.exp(-said)))
    with pytest.raises(ValueError, match="one channel"):
        predictor.predict(photograph, marks, np.dstack([said, said]))


@needs_command
def test_the_command_proposes_the_same(model, tmp_path):
    photograph, _, said = scene(5)
    odds = said.astype(np.float32)
    model.save(tmp_path / "model.json")
    s3svm.write_image(tmp_path / "photo.png", photograph)
    np.save(tmp_path / "maps.npy", odds)
    (tmp_path / "as-they-are.json").write_text('{"format": "s3svm calibration", "version": 1, "numbers": "odds", "scale": 1, "offset": 0}')
    subprocess.run([S3SVM, "segment", tmp_path / "photo.png", "--maps", tmp_path / "maps.npy", "--calibration", tmp_path / "as-they-are.json",
                    "-m", tmp_path / "model.json", "-o", tmp_path / "mask.png"], check=True, capture_output=True)
    theirs = s3svm.read_image(tmp_path / "mask.png", "grey") > 127
    assert np.array_equal(theirs, Segmenter(photograph, model, maps=odds).propose())
