"""Models, problems and training."""

import copy
import itertools
import json
import pickle
import threading
import _thread

import numpy as np
import pytest

import s3svm
from support import generator


def small_model(labels=2):
    m = s3svm.Model(labels)
    m.add_features("pixel", 2)
    m.add_strengths("pairs", 1)
    m.add_table("patch", patch=(2, 2), symmetric=True)
    m.add_counts("all", [0, 0.5, 1])
    return m


def small_problem(rng, m, shape=(3, 3), noise=0.6):
    truth = rng.integers(0, m.labels, shape)
    truth[:, 1:] = truth[:, :1]
    p = s3svm.Problem(m, shape)
    p.set_features("pixel", np.stack([np.ones(shape), truth + rng.normal(0, noise, shape)], axis=-1))
    p.add_cliques("pairs", s3svm.grid_pairs(shape))
    ids = np.arange(np.prod(shape)).reshape(shape)
    boxes = [ids[a:a + 2, b:b + 2].ravel() for a in range(shape[0] - 1) for b in range(shape[1] - 1)]
    p.add_cliques("patch", boxes)
    p.add_regions("all", [ids.ravel()])
    p.set_truth(truth)
    p.set_scale(1 / truth.size)
    return p


def objective(m, problems, weights, C):
    """1/2 |w|^2 + C mean slack, by all labellings."""
    slack = 0.0
    for p in problems:
        psi_truth = p.psi(p.truth)
        slack += max(p.loss(y) - weights @ (p.psi(y) - psi_truth)
                     for y in itertools.product(range(m.labels), repeat=p.variables))
    return 0.5 * weights @ weights + C * slack / len(problems)


@pytest.mark.parametrize("labels", [2, 3])
def test_training_s_objective_is_that_of_all_labellings(labels):
    rng = generator(40, labels)
    m = small_model(labels)
    shape = (3, 3) if labels == 2 else (2, 2)
    problems = [small_problem(rng, m, shape) for _ in range(3)]
    training = s3svm.train(m, problems, C=5, tol=1e-4, exhaustive=4096)
    assert training.outcome == "gap" and training.learned and not training.zero and not training.approximate
    assert objective(m, problems, m.weights, 5) == pytest.approx(training.primal, rel=1e-6)
    assert training.dual <= training.primal * (1 + 1e-9) and training.gap <= 1e-4
    for p in problems:
        y = m.predict(p)
        least = min(m.weights @ p.psi(z) for z in itertools.product(range(labels), repeat=p.variables))
        if labels == 2:
            assert m.weights @ p.psi(y) == pytest.approx(least)
            assert p.scale * p.energy(m).value(y) == pytest.approx(least)
        augmented = p.minimize(m, loss_augmented=True)
        assert m.weights @ p.psi(augmented) - p.loss(augmented) <= m.weights @ p.psi(p.truth) + 1e-9
    assert np.allclose(s3svm.evaluate(m, problems), [p.loss(m.predict(p)) for p in problems])


def test_threads_and_warm_starts_change_no_bit():
    rng = generator(41)
    m = small_model()
    problems = [small_problem(rng, m) for _ in range(6)]
    s3svm.train(m, problems, C=3, n_jobs=1)
    w = m.weights
    s3svm.train(m, problems, C=3, n_jobs=2)
    assert np.array_equal(w, m.weights)
    near = s3svm.train(m, problems, C=3, near=w, start=w)
    assert near.primal <= 3  # nothing has to be learned away from


def test_paths_choose_by_validation():
    rng = generator(42)
    m = small_model()
    problems = [small_problem(rng, m) for _ in range(8)]
    points, best = s3svm.train_path(m, problems[:4], [0.01, 1, 100], problems[4:])
    assert [p.C for p in points] == [0.01, 1, 100]
    losses = [p.validation_loss for p in points]
    assert best == int(np.argmin(losses)) and s3svm.evaluate(m, problems[4:]).mean() == pytest.approx(losses[best])
    points, best = s3svm.train_path(m, problems[:4], [0.1, 1])
    assert best == 1 and np.isnan(points[0].validation_loss)


def test_callbacks_see_every_round_and_stop():
    rng = generator(43)
    m = small_model()
    problems = [small_problem(rng, m) for _ in range(6)]
    rounds = []
    training = s3svm.train(m, problems, C=50, callback=lambda r: rounds.append(r["round"]))
    assert rounds == list(range(1, training.rounds + 1))
    stopped = s3svm.train(m, problems, C=50, callback=lambda r: r["round"] < 2)
    assert stopped.outcome == "stopped" and stopped.rounds == 2
    with pytest.raises(ZeroDivisionError):
        s3svm.train(m, problems, callback=lambda r: 1 / 0)
    assert s3svm.train(m, problems, rounds=1).outcome == "rounds"


def test_ctrl_c_keeps_the_best_so_far():
    rng = generator(44)
    m = small_model()
    problems = [small_problem(rng, m, (30, 30), 2.0) for _ in range(6)]

    def press(r):
        if r["round"] == 3:
            _thread.interrupt_main()

    with pytest.warns(s3svm.TrainingInterrupted):
        training = s3svm.train(m, problems, C=1000, tol=1e-9, callback=press)
    assert training.outcome == "stopped" and 3 <= training.rounds <= 5


def test_a_line_shows_rounds(capsys):
    rng = generator(45)
    m = small_model()
    s3svm.train(m, [small_problem(rng, m)], progress=True)
    assert "training: round 1" in capsys.readouterr().err


def test_checkpoints_resume(tmp_path):
    rng = generator(46)
    m = small_model()
    problems = [small_problem(rng, m) for _ in range(6)]
    whole = s3svm.train(m, problems, C=50)
    weights = m.weights
    s3svm.train(m, problems, C=50, rounds=2, checkpoint=tmp_path / "state")
    resumed = s3svm.train(m, problems, C=50, checkpoint=tmp_path / "state")
    assert resumed.resumed and np.array_equal(m.weights, weights) and resumed.primal == whole.primal


def test_models_remember_groups_weights_and_facts(tmp_path):
    rng = generator(47)
    m = small_model()
    s3svm.train(m, [small_problem(rng, m) for _ in range(4)], C=10)
    m.set_fact("units", {"grey": [0, 1]})
    m.save(tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())
    for other in (s3svm.Model.load(tmp_path / "m.json"), s3svm.Model.from_bytes(m.to_bytes()), m.copy(), copy.deepcopy(m),
                  pickle.loads(pickle.dumps(m))):
        assert np.array_equal(other.weights, m.weights) and other.facts == {"units": {"grey": [0, 1]}}
        assert [g.name for g in other] == ["pixel", "pairs", "patch", "all"]
    m.set_fact("units", None)
    assert m.facts == {} and "patch" in m and "nothing" not in m
    g = m["patch"]
    assert g.kind == "table" and g.patch == (2, 2) and g.functions.shape == (1, 16) and g.functions[0, 0] == 0
    f = g.functions[0]
    assert f[1] == f[2] == f[4] == f[8]  # corners
    for S, i, j in itertools.product(range(16), range(4), range(4)):
        if i < j and not S >> i & 1 and not S >> j & 1:
            assert f[S | 1 << i] + f[S | 1 << j] >= f[S | 1 << i | 1 << j] + f[S]
    assert m["all"].shares.tolist() == [0, 0.5, 1] and m["all"].functions.shape == (1, 3)
    assert m["pixel"].weights.shape == (2, 2) and m["pixel"].weights.sum(axis=1) == pytest.approx([0, 0], abs=1e-9)
    assert "Group 'patch': table, 4 members" in repr(g) and "Model with 2 labels" in repr(m)
    m.page(tmp_path / "m.html", "small")
    assert "<html" in (tmp_path / "m.html").read_text().lower()
    with pytest.raises(KeyError):
        m["nothing"]


def test_weights_outside_of_the_cone_are_refused():
    m = small_model()
    w = m.weights
    w[m["pairs"].slice] = -1
    with pytest.raises(s3svm.ArgumentError):
        m.weights = w
    w = m.weights
    w[m["patch"].slice] = [-1] * len(w[m["patch"].slice])
    with pytest.raises(s3svm.NotSubmodularError):
        m.weights = w
    with pytest.raises(ValueError):
        m.weights = w[:-1]
    m.set_stiffness("patch", 4.0)
    assert m["patch"].stiffness == 4.0


def test_groups_of_all_kinds():
    m = s3svm.Model()
    m.add_table("line", 5, reversal=True, swap=True)
    m.add_table("long", 8, counted=True)
    m.add_table("own", 2, classes=[-1, 0, 0, -1], anchored=False)
    m.add_table("two", 2, strengths=2, stiffness=0.5)
    m.add_counts("count", [0, 0.25, 1], swap=False, strengths=3)
    assert m["own"].weights.size == 1 and m["two"].functions.shape == (2, 4) and m["count"].functions.shape == (3, 3)
    for wrong in (lambda: m.add_table("line", 3), lambda: m.add_table("", 3), lambda: m.add_table("big", 17),
                  lambda: m.add_counts("c", [0, 0.5]), lambda: m.add_table("t", 2, classes=[0, 1, 2]),
                  lambda: s3svm.Model(1)):
        with pytest.raises(ValueError):
            wrong()


def test_problems_say_what_they_hold():
    rng = generator(48)
    m = small_model()
    p = small_problem(rng, m)
    assert p.shape == (3, 3) and len(p) == 9 and p.parts == 12 + 4 + 1 and p.nbytes > 0
    assert p.features("pixel").shape == (3, 3, 2) and (p.features("pixel")[..., 0] == 1).all()
    assert p.features("pairs") is None
    p.set_costs("pairs", np.ones((3, 3, 2)))
    assert p.features("pairs").shape == (3, 3, 2, 1)
    assert p.truth.shape == (3, 3) and p.care is None and p.scale == pytest.approx(1 / 9)
    p.set_truth(p.truth, np.eye(3, dtype=int))
    assert p.care.tolist() == np.eye(3).tolist()
    p.fix(np.where(np.eye(3) == 1, 1, -1))
    assert p.fixed[0, 0] == 1 and p.fixed[0, 1] == -1 and p.minimize(m)[1, 1] == 1
    p.fix(None)
    assert (p.fixed == -1).all()
    p.set_class_loss([1, 5])
    p.set_loss(np.where(np.arange(2) == p.truth[..., None], 0, 2.0))
    assert p.loss(1 - p.truth) == pytest.approx(2 * 3)  # of those that count
    assert repr(p) == "Problem of 3 x 3 variables with 17 parts, labelled"


def test_sparse_features_are_the_dense_ones():
    m = small_model()
    dense = np.array([[1.0, 0], [0, 2], [3, 4]])
    p, q, r = (s3svm.Problem(m, 3) for _ in range(3))
    p.set_features("pixel", dense)
    q.set_features("pixel", (np.array([0, 1, 2, 4]), np.array([0, 1, 0, 1]), np.array([1.0, 2, 3, 4])))

    class Rows:
        indptr, indices, data = np.array([0, 1, 2, 4], np.int32), np.array([0, 1, 0, 1], np.int32), np.array([1.0, 2, 3, 4])

    r.set_features("pixel", Rows())
    for y in itertools.product(range(2), repeat=3):
        assert np.array_equal(p.psi(y), q.psi(y)) and np.array_equal(p.psi(y), r.psi(y))


def test_problem_files(tmp_path):
    rng = generator(49)
    m = small_model()
    problems = [small_problem(rng, m) for _ in range(3)]
    s3svm.write_problem(tmp_path / "p.txt", m, problems)
    other, back = s3svm.read_problem(tmp_path / "p.txt")
    y = rng.integers(0, 2, 9)
    assert len(back) == 3 and all(np.array_equal(a.psi(y.reshape(3, 3)), b.psi(y)) for a, b in zip(problems, back))
    s3svm.train(m, problems, C=10)
    s3svm.train(other, back, C=10)
    assert np.array_equal(m.weights, other.weights)
    twin = pickle.loads(pickle.dumps(problems[0]))
    assert twin.shape == (3, 3) and np.array_equal(twin.psi(y), problems[0].psi(y))
    assert copy.deepcopy(problems[0]).parts == problems[0].parts
    with pytest.raises(s3svm.FileError):
        s3svm.read_problem(tmp_path / "nowhere")


@pytest.mark.parametrize("call", [
    lambda m, p: p.set_features("pixel", np.zeros((3, 3, 3))),
    lambda m, p: p.set_features("pixel", np.full((3, 3, 2), np.nan)),
    lambda m, p: p.set_features("pairs", np.zeros((9, 1))),
    lambda m, p: p.set_features("pixel", ([0, 2], [0, 1], [1.0, 2])),
    lambda m, p: p.set_costs("pixel", np.zeros((9, 2))),
    lambda m, p: p.set_costs("pairs", np.zeros((8, 2))),
    lambda m, p: p.add_cliques("patch", [[0, 1]]),
    lambda m, p: p.add_cliques("patch", [0, 1, 2, 3]),
    lambda m, p: p.add_cliques("pairs", [[0, 9]]),
    lambda m, p: p.add_cliques("pairs", [[0, 1]], [-1]),
    lambda m, p: p.add_cliques("pairs", [[0, 1]], [1, 2]),
    lambda m, p: p.add_cliques("all", [[0, 1]]),
    lambda m, p: p.add_regions("patch", [[0, 1]]),
    lambda m, p: p.add_regions("pairs", [[0, 1]], reach=0.9),
    lambda m, p: p.add_regions("all", [[0, 0]]),
    lambda m, p: p.set_truth(np.full((3, 3), 2)),
    lambda m, p: p.set_truth(np.zeros((2, 3), int)),
    lambda m, p: p.set_scale(0),
    lambda m, p: p.fix(np.full((3, 3), 2)),
    lambda m, p: p.set_loss(np.zeros(3)),
    lambda m, p: p.set_class_loss([1, -1]),
    lambda m, p: p.add_clique_loss([0, 1], [0, 1]),
    lambda m, p: p.psi(np.full((3, 3), 2)),
    lambda m, p: s3svm.train(m, []),
    lambda m, p: s3svm.train(m, [s3svm.Problem(m, 2)]),
    lambda m, p: s3svm.train(m, [p], C=-1),
    lambda m, p: s3svm.train(s3svm.Model(), [p]),
    lambda m, p: s3svm.train(m, [p], start=[1, 2]),
    lambda m, p: s3svm.train_path(m, [p], [2, 1]),
])
def test_what_is_wrong_is_refused(call):
    m = small_model()
    with pytest.raises(ValueError):
        call(m, small_problem(generator(50), m))


def test_unknown_settings_and_groups():
    m = small_model()
    p = small_problem(generator(51), m)
    with pytest.raises(TypeError, match="no setting"):
        s3svm.train(m, [p], speed=3)
    with pytest.raises(KeyError):
        p.set_features("pixels", np.zeros((3, 3, 2)))
    with pytest.raises(RuntimeError):
        s3svm.train(m, [p, p])  # one problem, twice at once


def test_a_model_in_training_is_nobody_else_s():
    rng = generator(52)
    m = small_model()
    problems = [small_problem(rng, m, (20, 20), 2.0) for _ in range(4)]
    started, errors = threading.Event(), []
    thread = threading.Thread(target=lambda: s3svm.train(m, problems, C=1000, tol=1e-9, rounds=200,
                                                         callback=lambda r: started.set()))
    thread.start()
    assert started.wait(30)
    try:
        m.weights
    except RuntimeError as error:
        errors.append(str(error))
    done = not thread.is_alive()
    thread.join()
    assert done or "another thread" in errors[0]


def test_models_inside():
    assert "segment" in s3svm.embedded_models()
    m = s3svm.Model.embedded("segment")
    assert m.facts["task"] == "segment" and "Model for segment" in repr(m)
    with pytest.raises(s3svm.ArgumentError):
        s3svm.Model.embedded("nothing")


def test_drawings():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    rng = generator(53)
    m = small_model()
    s3svm.train(m, [small_problem(rng, m) for _ in range(2)], C=10)
    figure = m.plot()
    assert [a.get_title() for a in figure.axes] == ["pixel", "pairs", "patch", "all"]
    assert m["all"].plot().get_ylabel() == "cost"
    wide = small_model(3)
    wide.add_table("line", 3)
    assert len(wide.plot().axes) == 5
