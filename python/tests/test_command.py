"""The package and the command on the same files."""

import json
import os
import subprocess

import numpy as np
import pytest

import s3svm
from support import generator
from test_learning import small_model, small_problem

S3SVM = os.environ.get("S3SVM")
pytestmark = pytest.mark.skipif(not S3SVM or not os.path.exists(S3SVM), reason="$S3SVM names no command")


def run(*arguments):
    return subprocess.run([S3SVM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def test_minima_agree(tmp_path):
    rng = generator(80)
    e = s3svm.Energy.grid(rng.normal(size=(15, 20, 2)), table=lambda p: 0.4 * (p.max() != p.min()))
    e.add_concave(range(100), np.sqrt(np.arange(101)), 0.1)
    e.write(tmp_path / "e.sos")
    run("minimize", tmp_path / "e.sos", "-o", tmp_path / "labels.txt")
    theirs = np.array((tmp_path / "labels.txt").read_text().split(), dtype=int).reshape(15, 20)
    assert np.array_equal(theirs, e.minimize().labels)


def test_training_and_predictions_agree(tmp_path):
    rng = generator(82)
    m = small_model()
    problems = [small_problem(rng, m) for _ in range(6)]
    s3svm.write_problem(tmp_path / "train.txt", m, problems[:5])
    s3svm.write_problem(tmp_path / "test.txt", m, problems[5:])
    run("train", "--problem", tmp_path / "train.txt", "--C", "7", "-o", tmp_path / "m.json")
    s3svm.train(m, problems[:5], C=7)
    theirs = s3svm.Model.load(tmp_path / "m.json")
    assert np.array_equal(theirs.weights, m.weights) and theirs.facts["training"]["C"] == 7
    m.save(tmp_path / "ours.json")
    run("predict", "-m", tmp_path / "ours.json", "--problem", tmp_path / "test.txt", "-o", tmp_path / "labels.txt")
    labels = [int(w) for w in (tmp_path / "labels.txt").read_text().split()][-9:]
    assert labels == m.predict(problems[5]).ravel().tolist()


def test_the_command_inspects_our_models(tmp_path):
    rng = generator(83)
    X = [rng.normal(size=(6, 6, 2)) for _ in range(2)]
    svm = s3svm.SumOfSubmodularSVM("patches", tol=0.1).fit(X, [(x[..., 0] > 0).astype(int) for x in X])
    svm.save(tmp_path / "svm.json")
    assert "patches" in run("inspect", tmp_path / "svm.json")
    assert json.loads((tmp_path / "svm.json").read_text())
