"""Calibrations of what networks say: arrays give what the formulas give, files come back, wrong calls are refused."""
import numpy as np
import pytest

import s3svm


def pictures(seed, count, scale, offset):
    r = np.random.default_rng(seed)
    odds = [r.normal(0, 3, (30, 40)) for _ in range(count)]
    return [(t - offset) / scale for t in odds], [(r.random(t.shape) < 1 / (1 + np.exp(-t))).astype(int) for t in odds]


def test_scale_and_offset_are_found_again():
    maps, labels = pictures(1, 6, 0.5, 0.4)
    labels[0][:15] = 128  # not sure
    c = s3svm.calibrate(maps, labels)
    assert c.numbers == "odds" and c.pictures == 6
    assert abs(c.scale - 0.5) < 0.05 and abs(c.offset - 0.4) < 0.15
    assert c.after[0] < c.before[0] and c.others[0] >= c.after[0]
    assert np.allclose(c.apply(maps[1]), c.scale * maps[1] + c.offset, atol=1e-5)


def test_maps_are_left_as_they_are_and_probabilities_are_told():
    p = np.float32([[0.1, 0.5], [0.9, 1]])
    kept = p.copy()
    c = s3svm.Calibration("probabilities", 2, 1)
    assert np.allclose(c.apply(p)[:, 0], 2 * np.log(kept[:, 0] / (1 - kept[:, 0])) + 1, atol=1e-5)
    assert (p == kept).all()


def test_files(tmp_path):
    c = s3svm.Calibration("bytes", 0.123456789, -2.5)
    c.save(tmp_path / "c.json")
    assert s3svm.Calibration.load(tmp_path / "c.json") == c


def test_wrong_calls():
    maps, labels = pictures(2, 2, 1, 0)
    for wrong in (lambda: s3svm.calibrate(maps, labels[:1]), lambda: s3svm.calibrate([maps[0][1:]], labels[:1]),
                  lambda: s3svm.calibrate(maps[:1], [labels[0].ravel()]), lambda: s3svm.calibrate([], []),
                  lambda: s3svm.calibrate(maps[:1], [np.ones_like(labels[0])]), lambda: s3svm.Calibration("odd", 1, 0),
                  lambda: s3svm.Calibration("probabilities", 1, 0).apply(maps[0])):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(OSError):
        s3svm.Calibration.load("/nowhere/c.json")
