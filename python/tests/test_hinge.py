"""The structured hinge loss is the maximum over all labellings, its gradients are slopes, and calls that mean nothing are refused."""

import itertools
import threading

import numpy as np
import pytest

import s3svm
from support import energy_of, generator, submodular_table

SHAPE, PATCH = (3, 3), (2, 2)
PATCHES = [[0, 1, 3, 4], [1, 2, 4, 5], [3, 4, 6, 7], [4, 5, 7, 8]]
PAIRS = [[0, 1], [4, 7], [2, 5], [3, 8]]


def random_problem(rng, count):
    """An energy of a grid with patches and pairs; costs, truths and losses of so many pictures."""
    energy = s3svm.Energy(SHAPE)
    energy.add_cliques(submodular_table(rng, 4), PATCHES)
    energy.add_cliques(submodular_table(rng, 2), PAIRS)
    given = dict(unary=rng.normal(0, 2, (count, *SHAPE)), truth=rng.integers(0, 2, (count, *SHAPE)),
                 loss=rng.integers(0, 3, (count, *SHAPE)) / 2, weights=rng.random((count, 8)),
                 tables=[np.stack([submodular_table(rng, 4) for _ in range(count)]),
                         np.stack([submodular_table(rng, 2) for _ in range(count)])])
    return energy, given


def margin(given, b, y):
    """loss(y) + E(truth) - E(y) of picture b by the definition.  The library numbers cliques by size: pairs come first."""
    unary = np.stack([np.zeros(9), given["unary"][b].ravel()], axis=1)
    weights = given["weights"][b]
    cliques = [(v, given["tables"][1][b], w) for v, w in zip(PAIRS, weights[:4])]
    cliques += [(v, given["tables"][0][b], w) for v, w in zip(PATCHES, weights[4:])]
    truth = given["truth"][b].ravel()
    loss = given["loss"][b].ravel() @ (np.asarray(y) != truth)
    return loss + energy_of(truth, unary, cliques) - energy_of(y, unary, cliques)


@pytest.mark.parametrize("case", range(6))
def test_value_is_the_maximum_and_gradients_are_slopes(case):
    rng = generator(case, 27)
    energy, given = random_problem(rng, 3)
    hinge = s3svm.Hinge(energy)
    r = hinge(**given)
    for b in range(3):
        margins = {y: margin(given, b, y) for y in itertools.product((0, 1), repeat=9)}
        assert r.value[b] == pytest.approx(max(margins.values()), abs=1e-9)
        assert margins[tuple(r.labels[b].ravel())] == pytest.approx(r.value[b], abs=1e-9)
    assert (r.gap >= 0).all() and (r.gap < 1e-6).all() and not r.warm.any()
    steps = {"unary": rng.normal(size=given["unary"].shape), "weights": rng.random((3, 8)),
             "tables": [np.stack([submodular_table(rng, k) for _ in range(3)]) for k in (4, 2)]}
    gradients = {"unary": r.d_unary, "weights": r.d_weights, "tables": r.d_tables}
    for name, step in steps.items():
        far, slope = dict(given), np.zeros(3)
        if name == "tables":
            far[name] = [t + s for t, s in zip(given[name], step)]
            slope = sum((g * s).sum(1) for g, s in zip(gradients[name], step))
        else:
            far[name] = given[name] + step
            slope = (gradients[name] * step).reshape(3, -1).sum(1)
        assert (hinge(**far).value >= r.value + slope - 1e-9).all(), name


def test_single_precision_shared_rows_and_defaults_are_what_they_stand_for():
    rng = generator(2, 27)
    energy, given = random_problem(rng, 4)
    hinge = s3svm.Hinge(energy)
    one = dict(given, tables=[t[0] for t in given["tables"]], weights=given["weights"][0], loss=given["loss"][0])
    many = dict(given, tables=[np.tile(t[0], (4, 1)) for t in given["tables"]], weights=np.tile(given["weights"][0], (4, 1)),
                loss=np.tile(given["loss"][0], (4, 1, 1)))
    for a, b in zip(hinge(**one)[:2], hinge(**many)[:2]):
        assert np.array_equal(a, b)
    single = hinge(**dict(given, unary=given["unary"].astype(np.float32)))
    double = hinge(**dict(given, unary=given["unary"].astype(np.float32).astype(np.float64)))
    assert single.d_unary.dtype == np.float32 and double.d_unary.dtype == np.float64
    assert np.array_equal(single.value, double.value) and np.array_equal(single.labels, double.labels)
    own = hinge(given["unary"], given["truth"])
    said = hinge(given["unary"], given["truth"], tables=[energy.table(0), energy.table(1)], weights=np.ones(8), loss=1)
    assert np.array_equal(own.value, said.value) and own.d_weights is None
    mixed = hinge(**dict(given, tables=[given["tables"][0], given["tables"][1][0]]))
    assert mixed.d_tables[0].shape == (4, 16) and mixed.d_tables[1].shape == (4, 4)


def test_threads_and_what_is_kept_change_no_bit():
    rng = generator(3, 27)
    energy = s3svm.Energy.grid(np.zeros((32, 40, 2)), table=lambda p: 0.0)
    hinge = s3svm.Hinge(energy)
    truth = np.stack([np.asarray(s3svm.draw(32, 40, number=n)) for n in range(6)])
    unary = np.where(truth, -0.6, 0.6) + rng.normal(0, 1, truth.shape)
    table = s3svm.table(lambda p: 0.7 * (p.max() != p.min()), PATCH)
    warm = []
    for step in range(3):
        wanted = s3svm.Hinge(energy)(unary, truth, tables=table, n_jobs=1)
        for settings in (dict(n_jobs=1), dict(n_jobs=4), dict(keep=np.arange(6) + 10), dict()):
            found = hinge(unary, truth, tables=table, **settings)
            for name in ("value", "labels", "d_unary"):
                assert np.array_equal(getattr(found, name), getattr(wanted, name)), (step, settings, name)
            assert np.array_equal(found.d_tables[0], wanted.d_tables[0])
            warm.append(found.warm.all())
        unary = unary * 1.01
    assert warm == [False] * 6 + [True, False, False, False, True, False]
    held = hinge.nbytes
    hinge.forget()
    assert hinge.nbytes < held
    rough = hinge(unary, truth, tables=table, bits=32)
    exact = hinge(unary, truth, tables=table)
    assert (exact.value <= rough.value + rough.gap).all() and (rough.value <= exact.value + 1e-9).all()


def test_minimize_is_minimize():
    rng = generator(4, 27)
    unary = rng.normal(size=(5, 12, 9))
    table = submodular_table(rng, 4)
    found = s3svm.Hinge(s3svm.Energy.grid(np.zeros((12, 9, 2)), table=table)).minimize(unary)
    for u, labels, value in zip(unary, found.labels, found.value):
        wanted = s3svm.minimize((np.zeros_like(u), u), table=table)
        assert np.array_equal(labels, wanted.labels) and value == pytest.approx(wanted.energy)
    assert np.array_equal(found.d_unary, found.labels)


def test_the_loss_is_at_least_that_of_the_prediction_and_none_with_a_margin():
    truth = np.stack([np.asarray(s3svm.draw(32, 40, number=n)) for n in range(3)])
    unary = np.where(truth, -1.0, 1.0) + generator(5, 27).normal(0, 1.5, truth.shape)
    energy = s3svm.Energy.grid(np.zeros((32, 40, 2)), pairs=0.5)
    r = s3svm.hinge(unary, truth, energy)
    wrong = [(s3svm.minimize((np.zeros_like(u), u), pairs=0.5).labels != t).sum() for u, t in zip(unary, truth)]
    assert (r.value >= wrong).all() and min(wrong) > 0
    sure = s3svm.hinge(np.where(truth, -9.0, 9.0), truth, energy)
    assert (sure.value == 0).all() and not sure.d_unary.any() and not sure.d_tables[0].any()
    nobody = s3svm.hinge(unary, truth, energy, loss=0)
    assert (nobody.value <= r.value).all()


def test_nearest_submodular():
    rng = generator(6, 27)
    for k in (2, 3, 4):
        f = rng.normal(size=1 << k)
        g = s3svm.nearest_submodular(f)
        s3svm.Energy(k).add_table(g)
        assert np.array_equal(s3svm.nearest_submodular(g), g)
        for _ in range(50):  # no submodular table near g is nearer
            h = g + 0.1 * (submodular_table(rng, k) - g)
            assert ((f - h) ** 2).sum() >= ((f - g) ** 2).sum() - 1e-9


def test_other_threads_run_and_none_may_change_it_meanwhile():
    energy = s3svm.Energy.grid(np.zeros((200, 200, 2)), table=s3svm.table(lambda p: 1.0 * (p.max() != p.min()), PATCH))
    hinge = s3svm.Hinge(energy)
    truth = np.zeros((4, 200, 200), int)
    unary = generator(7, 27).normal(1, 2, truth.shape)
    begun, seen = threading.Event(), []

    def progress(phase, done):
        begun.set()

    def meddle():
        begun.wait(60)
        try:
            hinge.forget()
        except RuntimeError as error:
            seen.append(str(error))

    thread = threading.Thread(target=meddle)
    thread.start()

    def hold(phase, done):
        begun.set()
        thread.join(0.5)  # releases the lock

    hinge(unary, truth, progress=hold)
    begun.set()
    thread.join()
    assert not seen or "another thread" in seen[0]
    with pytest.raises(s3svm.Cancelled):
        hinge(np.tile(unary, (8, 1, 1)), np.tile(truth, (8, 1, 1)), progress=lambda phase, done: False)
    assert np.isfinite(hinge(unary, truth).value).all()


ENERGY = s3svm.Energy.grid(np.zeros((2, 3, 2)), pairs=1)
HINGE = s3svm.Hinge(ENERGY)
U, T = np.zeros((2, 2, 3)), np.zeros((2, 2, 3), int)


@pytest.mark.parametrize("words, call", [
    ("Hinge takes an Energy, not str", lambda: s3svm.Hinge("energy")),
    (r"unary must be of shape \('pictures', 2, 3\)", lambda: HINGE(U[0], T[0])),
    ("unary must be real numbers", lambda: HINGE(U.astype(complex), T)),
    ("unary has masked entries", lambda: HINGE(np.ma.array(U, mask=True), T)),
    ("item 1: variable 4 has unary nan", lambda: HINGE(np.where(np.arange(12).reshape(U.shape) == 10, np.nan, U), T)),
    ("truth must be of the shape of unary", lambda: HINGE(U, T[0])),
    ("truth must be 0 or 1; variables that do not count have loss 0", lambda: HINGE(U, T + 255)),
    ("truth must be whole numbers", lambda: HINGE(U, U)),
    (r"loss must be of shape \(2, 3\)", lambda: HINGE(U, T, loss=np.ones(3))),
    ("variable 0 has loss -1", lambda: HINGE(U, T, loss=-1)),
    ("the energy has 1 tables, but 2 were given", lambda: HINGE(U, T, tables=[np.zeros(4)] * 2)),
    (r"table 0 must be of shape \(4,\), or \(2, 4\)", lambda: HINGE(U, T, tables=np.zeros(16))),
    ("item 0: table 0: table is not submodular: with S = 0, i = 0, j = 1.*by 2", lambda: HINGE(U, T, tables=[0, -1, -1, 0])),
    (r"weights must be of shape \(7,\), or \(2, 7\)", lambda: HINGE(U, T, weights=np.ones(6))),
    ("clique 2 has weight -1", lambda: HINGE(U, T, weights=[1, 1, -1, 1, 1, 1, 1])),
    ("keep must have a number for each of 2 pictures", lambda: HINGE(U, T, keep=[1])),
    ("keep must not be negative", lambda: HINGE(U, T, keep=[-1, 0])),
    ("two items are to be kept under number 4", lambda: HINGE(U, T, keep=[3, 3])),
    ("bits must be 0 or 32", lambda: HINGE(U, T, bits=16)),
    ("n_jobs", lambda: HINGE(U, T, n_jobs=0)),
    ("patch, table and pairs go without an energy", lambda: s3svm.hinge(U, T, ENERGY, pairs=1)),
    ("table entry 3 is nan", lambda: s3svm.nearest_submodular([0, 1, 1, np.nan])),
    ("2\\^k costs, not 3", lambda: s3svm.nearest_submodular([0, 1, 1])),
])
def test_what_means_nothing_is_refused(words, call):
    with pytest.raises((ValueError, TypeError), match=words):
        call()


def test_an_empty_batch_is_no_error():
    r = HINGE(U[:0], T[:0])
    assert r.value.shape == (0,) and r.labels.shape == (0, 2, 3) and r.d_tables[0].shape == (0, 4)
