"""Energies with several labels, and expansion moves, against all labellings tried."""

import copy
import itertools
import pickle

import numpy as np
import pytest

import s3svm
from support import generator, least, submodular_table


def random_energy(rng, n, labels):
    """An energy and the same as a function of labels."""
    unary = rng.integers(0, 9, (n, labels)).astype(float)
    e = s3svm.MultiEnergy(n, labels)
    e.set_unaries(unary)
    e.add_constant(2.0)
    terms = []
    for _ in range(2):
        k = int(rng.integers(2, 4))
        g = np.array([submodular_table(rng, k) for _ in range(labels)])
        members = rng.permutation(n)[:k]
        e.add_cliques(g, [members], [2.0])
        terms.append((members, g))
    pair = rng.permutation(n)[:2]
    e.add_potts([pair], [3.0])
    many = rng.permutation(n)[:4]
    e.add_robust(many, 2, most=3, agree=np.zeros(labels))
    e.add_pn(many, most=1.0)
    counts = np.minimum(np.arange(5), 2.0)
    e.add_counts(many, counts)

    def value(y):
        total = 2.0 + sum(unary[i, l] for i, l in enumerate(y)) + 3.0 * (y[pair[0]] != y[pair[1]])
        for members, g in terms:
            total += 2.0 * sum(g[l][sum((y[v] == l) << b for b, v in enumerate(members))] for l in range(labels))
        have = [sum(y[v] == l for v in many) for l in range(labels)]
        total += 3.0 - sum(3.0 * max(0.0, 1 - (4 - have[l]) / 2) for l in range(labels))
        total += 0.0 if max(have) == 4 else 1.0
        return total + sum(counts[have[l]] for l in range(labels))

    return e, value


@pytest.mark.parametrize("case", range(12))
def test_values_bounds_and_moves(case):
    rng = generator(30, case)
    n, labels = int(rng.integers(4, 7)), int(rng.integers(2, 5))
    e, value = random_energy(rng, n, labels)
    for _ in range(10):
        y = rng.integers(0, labels, n)
        assert e.value(y) == pytest.approx(value(y))
    best = least(n, value, labels)
    x = s3svm.expand(e)
    assert x.energy == pytest.approx(value(x.labels)) and x.converged
    assert x.lower_bound <= best + 1e-9 and x.energy >= best - 1e-9 and x.energy <= x.start_energy
    if x.exact or labels == 2:
        assert x.energy == pytest.approx(best)
    again = s3svm.expand(e, start=x.labels)
    assert again.energy == x.energy
    for settings in ({"shuffle": True, "seed": case}, {"order": np.arange(labels)[::-1]}, {"reduce": False}):
        assert s3svm.expand(e, **settings).energy >= best - 1e-9


def test_two_labels_are_exact():
    rng = generator(31)
    unary = rng.normal(size=(9, 8, 2))
    two = s3svm.minimize(unary, pairs=0.7)
    x = s3svm.expand(unary, potts=0.7)
    assert x.exact and np.array_equal(x.labels, two.labels) and x.energy == pytest.approx(two.energy)


def test_potts_helpers_cost_what_they_say():
    rng = generator(32)
    unary = rng.random((3, 4, 3))
    y = rng.integers(0, 3, (3, 4))
    units = np.take_along_axis(unary, y[..., None], 2).sum()
    differ = (y[1:] != y[:-1]).sum() + (y[:, 1:] != y[:, :-1]).sum()
    assert s3svm.potts(unary, 0.5).value(y) == pytest.approx(units + 0.5 * differ)
    regions = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [-1, -1, 2, 2]])
    split = sum(len(set(y[regions == r])) > 1 for r in range(3))
    assert s3svm.pn_potts(unary, regions, 2.0).value(y) == pytest.approx(units + 2.0 * split)
    lists = [np.flatnonzero(regions == r) for r in range(3)]
    assert s3svm.pn_potts(unary, lists, 2.0).value(y) == pytest.approx(units + 2.0 * split)
    robust = 0.0
    for r in range(3):
        members = y[regions == r]
        reach = max(1, int(0.5 * len(members)))
        robust += 1.0 - sum(max(0.0, 1 - (len(members) - (members == l).sum()) / reach) for l in range(3))
    assert s3svm.robust_pn(unary, regions, 0.5).value(y) == pytest.approx(units + robust)


def test_grids_of_tables():
    rng = generator(33)
    unary = rng.random((3, 3, 3))
    f = submodular_table(rng, 4)
    e = s3svm.MultiEnergy.grid(unary, (2, 2), f, np.full((2, 2), 2.0))
    y = rng.integers(0, 3, (3, 3))
    total = np.take_along_axis(unary, y[..., None], 2).sum()
    for a in range(2):
        for b in range(2):
            box = y[a:a + 2, b:b + 2].ravel()
            total += 2.0 * sum(f[sum((box[i] == l) << i for i in range(4))] for l in range(3))
    assert e.value(y) == pytest.approx(total)
    volume = s3svm.MultiEnergy.grid(rng.random((2, 3, 2, 3)), tables=lambda p: float(p.max() != p.min()))
    assert volume.cliques == 2 and volume.tables(0).shape == (3, 256)


def test_two_tables_of_one_member_are_no_table_of_a_pair():
    e = s3svm.MultiEnergy(2, 2)
    e.add_cliques([[0, 16], [0, 2]], [[0], [1]])
    e.add_cliques([[0, 1], [1, 0]], [[0, 1]])  # but one of a pair where there are two members
    assert e.value([0, 1]) == 16 + 2 + 2 and e.value([0, 0]) == 32 and e.value([1, 1]) == 4


def test_what_was_put_in():
    e = s3svm.MultiEnergy((2, 2), 3)
    g = np.array([[0, 1, 1, 0], [0, 2, 2, 0], [0, 3, 3, 0]])
    number = e.add_tables(g)
    e.add_cliques(number, [[0, 1], [2, 3]])
    assert np.array_equal(e.tables(number), g) and e.clique(1).variables.tolist() == [2, 3]
    e.set_tables(number, 2 * g)
    e.set_weights(0, [3.0, 1.0])
    assert e.value([[0, 1], [2, 2]]) == 3 * 2 * 3
    e.set_unary((0, 1), [1, 2, 3])
    assert e.unaries[0, 1].tolist() == [1, 2, 3]
    e.add_pieces([0, 1, 2], [0, 3], np.zeros((3, 2)))
    e.set_count_weights(0, [2.0])
    assert (e.labels, e.variables, e.cliques, e.counts, len(e)) == (3, 4, 2, 1, 4) and e.nbytes > 0
    assert repr(e) == "MultiEnergy of 2 x 2 variables with 3 labels, 2 cliques, 1 clique that count"
    assert e.lower_bound() <= e.expand().energy
    x = e.expand()
    assert "Expansion: energy" in repr(x) and x._repr_png_() and np.asarray(x).shape == (2, 2) and x.seconds >= 0


def test_bounds_by_relaxation():
    rng = generator(36)
    for _ in range(20):
        e, _ = random_energy(rng, 6, 3)
        least = min(e.value(np.array(y).reshape(e.shape)) for y in itertools.product(range(3), repeat=6))
        found = e.relax(threads=1)
        assert found.lower_bound <= least + 1e-9 <= found.energy + 2e-9 and found.energy == e.value(found.labels)
        assert not found.exact or found.energy <= least + 1e-9
    with pytest.raises(s3svm.Cancelled) as stopped:
        s3svm.potts(rng.random((9, 9, 3)), 0.4).relax(progress=lambda phase, done: False)
    assert stopped.value.result.rounds == 0 and stopped.value.result.lower_bound <= stopped.value.result.energy
    with pytest.raises(ValueError):
        e.relax(np.full(e.shape, 3))


def test_copies_and_files(tmp_path):
    e, _ = random_energy(generator(34), 6, 3)
    e.write(tmp_path / "e.sosmulti")
    for other in (e.copy(), copy.deepcopy(e), pickle.loads(pickle.dumps(e)), s3svm.MultiEnergy.read(tmp_path / "e.sosmulti"),
                  s3svm.MultiEnergy.from_bytes(e.to_bytes(), (2, 3))):
        assert other.to_bytes() == e.to_bytes()


def test_cancelling_keeps_what_was_reached():
    rng = generator(35)
    unary = rng.random((150, 150, 6))
    with pytest.raises(s3svm.Cancelled) as caught:
        s3svm.expand(unary, potts=0.4, progress=lambda phase, done: False)
    reached = caught.value.result
    assert not reached.converged and s3svm.potts(unary, 0.4).value(reached.labels) == pytest.approx(reached.energy)
    with pytest.raises(ZeroDivisionError):
        s3svm.expand(unary, potts=0.4, progress=lambda phase, done: 1 / 0)


@pytest.mark.parametrize("call", [
    lambda: s3svm.MultiEnergy(3, 1),
    lambda: s3svm.MultiEnergy(3, 256),
    lambda: s3svm.MultiEnergy(-3, 2),
    lambda: s3svm.expand(np.zeros(3)),
    lambda: s3svm.expand(np.full((3, 3), np.nan)),
    lambda: s3svm.expand(np.zeros((3, 3)), potts=-1),
    lambda: s3svm.expand(np.zeros((3, 3)), start=[0, 1, 3]),
    lambda: s3svm.expand(np.zeros((3, 3)), order=[0, 1, 1]),
    lambda: s3svm.expand(np.zeros((3, 3)), bits=7),
    lambda: s3svm.MultiEnergy.grid(np.zeros((2, 2, 3)), (2, 2)),
    lambda: s3svm.MultiEnergy(3, 3).set_unaries(np.zeros((3, 2))),
    lambda: s3svm.MultiEnergy(3, 3).add_tables(np.zeros((2, 3))),
    lambda: s3svm.MultiEnergy(3, 3).add_potts([[0, 1, 2]]),
    lambda: s3svm.MultiEnergy(3, 3).add_cliques(-np.eye(3, 4), [[0, 1]]),
    lambda: s3svm.MultiEnergy(3, 3).add_robust([0, 1], reach=0),
    lambda: s3svm.MultiEnergy(3, 3).add_pn([0, 1], most=1, agree=[2, 0, 0]),
    lambda: s3svm.MultiEnergy(3, 3).value([0, 1, 3]),
    lambda: s3svm.pn_potts(np.zeros((2, 2, 3)), np.zeros(3, int)),
])
def test_what_is_wrong_is_refused(call):
    with pytest.raises(ValueError):
        call()


def test_numbers_of_sets_are_checked():
    e = s3svm.MultiEnergy(3, 3)
    for call in (lambda: e.add_cliques(0, [[0, 1]]), lambda: e.tables(0), lambda: e.clique(0),
                 lambda: e.set_tables(0, np.zeros((3, 4)))):
        with pytest.raises(IndexError):
            call()
    with pytest.raises(TypeError):
        s3svm.expand(e, potts=1)
