"""Arguments that mean nothing are refused, at once and with the reason; processes that are forked; the command of the package."""

import itertools
import multiprocessing
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import s3svm
from support import generator

UNARY = np.zeros((4, 5, 2))


def with_nan():
    x = np.zeros((4, 5, 1))
    x[2, 3] = np.nan
    return x


@pytest.mark.parametrize("words, call", [
    ("more than the library can number", lambda: s3svm.Energy((2**32, 2**32))),
    ("more than the library can number", lambda: s3svm.MultiEnergy((2**40, 2**40), 3)),
    ("a side must be a whole number, not 2.7", lambda: s3svm.Energy((2.7, 3.9))),
    ("a shape must be whole numbers, not '12'", lambda: s3svm.Energy("12")),
    ("a shape is not negative", lambda: s3svm.Energy((3, -1))),
    ("a side must be a whole number", lambda: s3svm.Problem(s3svm.Model(), 2.5)),
    ("label must be a whole number, not 0.9", lambda: s3svm.Energy(4).fix(0, 0.9)),
    ("label must be a whole number, not '1'", lambda: s3svm.Energy(4).fix(1, "1")),
    ("label must be 0, 1, or -1", lambda: s3svm.Energy(4).fix(1, 2)),
    ("there is no variable 4", lambda: s3svm.Energy(4).fix(4, 1)),
    ("variable must be a whole number, not 0.5", lambda: s3svm.Energy(4).set_unary(0.5, 0, 1)),
    ("cost0 has masked entries", lambda: s3svm.Energy(4).set_unaries(np.ma.array(np.ones(4), mask=True), np.zeros(4))),
    ("unary has masked entries", lambda: s3svm.minimize(np.ma.array(UNARY, mask=UNARY == 0), pairs=1)),
    ("picture has masked entries", lambda: s3svm.denoise(np.ma.array(np.zeros((9, 9)), mask=np.eye(9)))),
    ("there is no table -1: there are 0", lambda: s3svm.Energy(4).table(-1)),
    ("there is no clique -1: there are 0", lambda: s3svm.Energy(4).clique(-1)),
    ("there is no concave clique 3", lambda: s3svm.Energy(4).concave(3)),
    ("there is no table 7", lambda: s3svm.Energy(4).add_cliques(7, [[0, 1]])),
    (r"pairs must be one number, not an array of shape \(4, 5\).*add_pairs", lambda: s3svm.minimize(UNARY, pairs=np.ones((4, 5)))),
    ("pairs must be a number, not 'strong'", lambda: s3svm.minimize(UNARY, pairs="strong")),
    ("must be finite and not negative: nan", lambda: s3svm.minimize(UNARY, pairs=np.nan)),
    (r"potts must be one number, not an array of shape \(3, 3\).*add_tables",
     lambda: s3svm.expand(np.zeros((4, 5, 3)), potts=1 - np.eye(3))),
    ("must be finite and not negative: -1", lambda: s3svm.potts(np.zeros((4, 5, 3)), -1)),
    (r"example 1: features contain NaN or infinity, at \(2, 3, 0\)",
     lambda: s3svm.SumOfSubmodularSVM().fit([np.zeros((4, 5, 1)), with_nan()], [np.eye(4, 5)] * 2)),
    (r"example 1 has shape \(4, 5\), but its labels \(5, 4\)",
     lambda: s3svm.SumOfSubmodularSVM().fit([np.zeros((4, 5, 1))] * 2, [np.eye(4, 5, dtype=int), np.eye(5, 4, dtype=int)])),
    ("example 1: there are 12 patches, but 3 keys", lambda: s3svm.SumOfSubmodularSVM().fit(
        [np.zeros((4, 5, 1)), s3svm.Sample(np.zeros((4, 5, 1)), keys={"patches": [0, 0, 0]})], [np.eye(4, 5, dtype=int)] * 2)),
    ("photograph must be height x width x 3.*channels_first", lambda: s3svm.Segmenter(np.zeros((3, 20, 30), np.uint8))),
    (r"\(40, 3\) lies outside of the photograph, which has 30 x 20", lambda: s3svm.Segmenter(np.zeros((20, 30, 3), np.uint8), "grabcut").click(40, 3)),
    (r"\(3, -1\) lies outside", lambda: s3svm.Segmenter(np.zeros((20, 30, 3), np.uint8), "grabcut").click(3, -1, "background")),
])
def test_what_means_nothing_is_refused(words, call):
    with pytest.raises((ValueError, TypeError, s3svm.RangeError), match=words):
        call()


@pytest.mark.parametrize("read", [s3svm.Energy.from_bytes, s3svm.MultiEnergy.from_bytes, s3svm.Model.from_bytes])
def test_a_number_is_no_text(read):
    with pytest.raises(TypeError, match="bytes-like"):
        read(7)
    with pytest.raises(s3svm.FormatError):
        read(bytearray(b"none"))


@pytest.mark.parametrize("name, arguments", [("minimize", (None, None, np.zeros(4, np.uint8), [0] * 6, None)), ("image_write", ([1, 2], b"a.png")),
                                             ("task_lesson", ("denoise", [7], [], [], None, 1, None)), ("maps_calibrate", ([7], 1))])
def test_what_is_no_tuple_is_a_type_error(name, arguments):
    """Not a SystemError, which would be a fault of the extension module."""
    first = [s3svm.Energy(4)._handle] if name == "minimize" else []
    with pytest.raises(TypeError, match="a tuple is needed"):
        getattr(s3svm._s3svm, name)(*first, *arguments[len(first):])


@pytest.mark.parametrize("name, arguments", [("task_lesson", ("denoise", (), [], [], None, 1, None)), ("maps_calibrate", ((), 1))])
def test_what_is_no_list_is_a_type_error(name, arguments):
    with pytest.raises(TypeError, match="list"):
        getattr(s3svm._s3svm, name)(*arguments)


@pytest.mark.parametrize("patch", [(5, 5), (4, 5), (40, 50)])
def test_a_function_of_too_many_members_is_never_called(patch):
    calls = []
    began = time.monotonic()
    with pytest.raises(s3svm.ArgumentError, match="at most 16 members"):
        s3svm.minimize(np.zeros((60, 60, 2)), patch=patch, table=lambda p: calls.append(0) or 0.0)
    assert not calls and time.monotonic() - began < 5
    assert s3svm.table(lambda y: 0.0, (4, 4)).size == 1 << 16


def test_photographs_in_files_and_channels_first(tmp_path):
    photograph = np.full((20, 30, 3), 60, np.uint8)
    photograph[5:15, 8:22] = [220, 40, 30]
    s3svm.write_image(tmp_path / "p.png", photograph)
    found = [s3svm.Segmenter(p, "grabcut", channels_first=first).box(4, 2, 26, 18)
             for p, first in ((photograph, False), (tmp_path / "p.png", False), (str(tmp_path / "p.png"), False), (np.moveaxis(photograph, 2, 0), True))]
    assert found[0].any() and all(np.array_equal(found[0], other) for other in found[1:])
    assert np.array_equal(s3svm.grabcut(tmp_path / "p.png", rect=(4, 2, 22, 16)).labels, s3svm.grabcut(photograph, rect=(4, 2, 22, 16)).labels)
    with pytest.raises(s3svm.FileError, match="nowhere.png"):
        s3svm.Segmenter(tmp_path / "nowhere.png")


@pytest.mark.parametrize("number", range(12))
def test_min_marginals_are_those_of_all_labellings(number):
    rng = generator(140, number)
    e = s3svm.Energy.grid(rng.normal(size=(2, 4, 2)), table=lambda p: 0.3 * (p.max() != p.min()), pairs=rng.uniform(0, 0.5))
    if number % 2:
        e.add_concave([0, 3, 5, 6], np.sqrt(np.arange(5)), 0.4)
    if number % 3 == 0:
        e.fix((0, 1), number % 2)
    before = e.to_bytes()
    found = s3svm.min_marginals(e)
    assert e.to_bytes() == before
    all_of = [np.array(y) for y in itertools.product((0, 1), repeat=8)]
    if number % 3 == 0:
        all_of = [y for y in all_of if y[1] == number % 2]
    values = [e.value(y) for y in all_of]
    for i, margin in enumerate(found.ravel()):
        least = [min((v for y, v in zip(all_of, values) if y[i] == label), default=np.inf) for label in (0, 1)]
        assert margin == pytest.approx(least[0] - least[1], abs=1e-9)


def test_decision_functions_are_min_marginals():
    rng = generator(141)
    y = [(rng.random((2, 4)) < 0.5).astype(int) for _ in range(4)]
    X = [(t + rng.normal(0, 0.7, t.shape))[..., None] for t in y]
    svm = s3svm.SumOfSubmodularSVM("pairs", C=10).fit(X, np.array(["a", "b"])[np.array(y)])
    for x, margins, labels in zip(X, svm.decision_function(X), svm.predict(X)):
        problem = svm._seen(s3svm.Sample(x))
        energy = problem.energy(svm.model_)
        values = {c: energy.value(np.array(c)) for c in itertools.product((0, 1), repeat=8)}
        for i in range(8):
            least = [min(v for c, v in values.items() if c[i] == label) for label in (0, 1)]
            assert margins.ravel()[i] == pytest.approx(least[0] - least[1], abs=1e-9)
        assert ((margins > 0) == (labels == "b"))[margins != 0].all()
    table = s3svm.SumOfSubmodularSVM(C=10).fit([[0.0, 1], [1, 1], [2, 0], [3, 1]], [0, 0, 1, 1])
    margins = table.decision_function([[0.5, 1], [2.5, 0]])
    assert margins.shape == (2,) and ((margins > 0) == (table.predict([[0.5, 1], [2.5, 0]]) == 1)).all()
    three = s3svm.SumOfSubmodularSVM(C=10).fit([[0.0], [1], [2], [3], [4], [5]], [0, 0, 1, 1, 2, 2])
    assert (three.decision_function([[0.2], [4.9]]).argmax(axis=1) == three.predict([[0.2], [4.9]])).all()
    several = s3svm.SumOfSubmodularSVM("pairs", C=1).fit(X, [t + (np.arange(4) > 2) for t in y])
    with pytest.raises(ValueError, match="two classes"):
        several.decision_function(X)


def _work(queue):
    rng = np.random.default_rng(0)
    drawing = s3svm.denoise(rng.random((40, 40)))
    energies = [s3svm.Energy.grid(rng.normal(size=(30, 30, 2)), pairs=0.4) for _ in range(4)]
    batch = [m.energy for m in s3svm.minimize_batch(energies, n_jobs=2)]
    labels = s3svm.Segmenter(rng.integers(0, 256, (40, 40, 3), dtype=np.uint8)).click(20, 20)
    queue.put((int(drawing.sum()), batch, int(labels.sum())))


@pytest.mark.skipif(not hasattr(os, "fork") or "LD_PRELOAD" in os.environ, reason="no fork, or sanitizers in between")
def test_a_forked_process_works():
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    _work(queue)  # which uses several threads
    here = queue.get(timeout=60)
    child = context.Process(target=_work, args=(queue,))
    child.start()
    try:
        assert queue.get(timeout=60) == here
    finally:
        child.kill()
        child.join()


def run_package(*arguments, **environment):
    env = {k: v for k, v in os.environ.items() if k != "S3SVM_COMMAND"}
    env.update(environment)
    return subprocess.run([sys.executable, "-m", "s3svm", *arguments], capture_output=True, text=True, env=env)


@pytest.mark.skipif(not os.path.exists(os.environ.get("S3SVM", "")), reason="$S3SVM names no command")
def test_the_package_is_the_command():
    done = run_package("version", S3SVM_COMMAND=os.environ["S3SVM"])
    assert done.returncode == 0 and f"s3svm {s3svm._s3svm.version()}\n" in done.stdout
    assert run_package("nonsense", S3SVM_COMMAND=os.environ["S3SVM"]).returncode == 2


def test_without_the_command_the_package_says_so(monkeypatch, tmp_path, capsys):
    from s3svm import __main__ as program

    (tmp_path / "s3svm").write_text("#!/bin/sh\nexit 3\n")  # the console script itself
    (tmp_path / "s3svm").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("S3SVM_COMMAND", raising=False)
    monkeypatch.setattr(program, "__file__", str(tmp_path / "deep" / "er" / "s3svm" / "__main__.py"))
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 127 and "not installed" in capsys.readouterr().err


RESULTS = {"Expansion", "Group", "GrabCut", "Mark", "Minimum", "PathPoint", "Relaxation", "Training"}  # which nobody makes


def test_docstrings_describe_every_argument():
    """Of all public functions, and of what classes are made with."""
    import inspect

    missing = []
    for name in s3svm.__all__:
        thing = getattr(s3svm, name)
        if name in RESULTS or inspect.isclass(thing) and issubclass(thing, (Exception, tuple, np.ndarray)) or not callable(thing):
            continue
        try:
            parameters = inspect.signature(thing).parameters
        except ValueError:
            continue
        text = inspect.getdoc(thing) or ""
        missing += [f"{name}({p})" for p in parameters if p not in text and p not in ("self", "args", "kwargs")]
    assert not missing, missing
    overview = s3svm.__doc__
    assert not [n for n in ("Energy", "Segmenter", "SumOfSubmodularSVM", "learn", "denoise", "expand") if n not in overview]


def test_more_threads_than_any_machine_has_are_fewer():
    """OpenMP ends the process where it cannot have as many as it is asked for."""
    code = ("import numpy as np, s3svm; p = np.zeros((20, 30, 3), np.uint8); y = np.zeros((20, 30), int); y[5:9, 5:9] = 1\n"
            "print(s3svm.cutout(p, y, n_jobs=2**31 - 1).sum() == s3svm.cutout(p, y, n_jobs=1).sum())")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    assert done.stdout.strip() == "True", done
