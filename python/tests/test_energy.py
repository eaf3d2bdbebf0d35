"""Energies of two labels, and their minima, against all labellings tried."""

import copy
import pickle
import re

import numpy as np
import pytest

import s3svm
from support import energy_of, generator, least, submodular_table


@pytest.mark.parametrize("case", range(20))
def test_minimum_is_the_least_of_all_labellings(case):
    rng = generator(1, case)
    n = int(rng.integers(2, 9))
    unary = rng.integers(-5, 6, (n, 2)).astype(float)
    cliques, concaves = [], []
    e = s3svm.Energy(n)
    e.set_unaries(unary)
    e.add_constant(3.5)
    for _ in range(4):
        k = int(rng.integers(1, min(n, 4) + 1))
        f = submodular_table(rng, k)
        members = rng.permutation(n)[:k]
        weight = float(rng.integers(0, 4))
        e.add_cliques(f, [members], [weight])
        cliques.append((members, f, weight))
    k = int(rng.integers(1, n + 1))
    g = np.minimum(np.arange(k + 1), 2) * 1.5
    members = rng.permutation(n)[:k]
    e.add_concave(members, g, 2.0)
    concaves.append((members, g, 2.0))

    def value(y):
        return energy_of(y, unary, cliques, concaves, 3.5)

    m = s3svm.minimize(e)
    assert m.energy == m.lower_bound == least(n, value) == value(m.labels) == e.value(m.labels)
    assert (s3svm.minimize(e, maximal=True).labels >= m.labels).all()
    assert s3svm.minimize(e, start=np.ones(n, int)).energy == m.energy


@pytest.mark.parametrize("shape, patch", [((6,), (2,)), ((6,), (3,)), ((2, 4), (2, 2)), ((3, 3), (1, 3)), ((3, 3), (2, 1)),
                                          ((2, 2, 2), (2, 2, 2)), ((2, 2, 3), (1, 2, 2)), ((2, 3, 2), (2, 1, 1))])
def test_patches_are_the_cliques_they_look_like(shape, patch):
    rng = generator(2, *shape, *patch)
    unary = rng.integers(-4, 5, shape + (2,))
    k = int(np.prod(patch))
    f = submodular_table(rng, k)
    places = tuple(n - p + 1 for n, p in zip(shape, patch))
    weights = rng.integers(0, 3, places)
    ids = np.arange(np.prod(shape)).reshape(shape)
    cliques = []
    for place in np.ndindex(*places):
        box = ids[tuple(slice(a, a + p) for a, p in zip(place, patch))]
        cliques.append((box.ravel(), f, weights[place]))
    m = s3svm.minimize(unary, patch, f, weights)
    assert m.labels.shape == shape
    flat = unary.reshape(-1, 2)
    assert m.energy == least(len(flat), lambda y: energy_of(y, flat, cliques))


@pytest.mark.parametrize("shape, connectivity, count", [((3, 4), 1, 17), ((3, 4), 2, 29), ((5,), 1, 4), ((2, 2, 2), 1, 12),
                                                        ((2, 2, 2), 3, 28), ((2, 2, 2), 2, 24)])
def test_pairs_of_a_grid_are_all_neighbours_once(shape, connectivity, count):
    pairs = s3svm.grid_pairs(shape, connectivity)
    places = np.array(list(np.ndindex(*shape)))
    expected = {(a, b) for a in range(len(places)) for b in range(a)
                if abs(places[a] - places[b]).max() == 1 and abs(places[a] - places[b]).sum() <= connectivity}
    assert {(max(p), min(p)) for p in pairs.tolist()} == expected
    assert len(pairs) == count == len(expected)


@pytest.mark.parametrize("shape, connectivity", [((7,), 1), ((4, 5), 1), ((4, 5), 2), ((2, 3, 4), 1), ((2, 3, 4), 3),
                                                 ((2, 2, 2, 2), 2)])
def test_pairs_of_a_grid_in_one_call_are_those_of_the_list(shape, connectivity):
    e, f = s3svm.Energy(shape), s3svm.Energy(shape)
    e.add_grid_pairs(0.5, connectivity)
    f.add_pairs(s3svm.grid_pairs(shape, connectivity), 0.5)
    assert e.cliques == f.cliques
    for case in range(5):
        y = generator(6, case).integers(0, 2, shape)
        assert e.value(y) == f.value(y)


def test_pairs_cost_their_weight_where_labels_differ():
    e = s3svm.Energy(3)
    e.add_pairs([[0, 1], [1, 2]], [2, 5])
    assert e.value([0, 1, 1]) == 2 and e.value([0, 0, 1]) == 5 and e.value([0, 1, 0]) == 7


def test_tables_can_be_arrays_of_labels_and_functions():
    f = np.array([[[0, 1], [2, 3]], [[4, 5], [6, 7]]])  # f[y0, y1, y2]: modular
    e = s3svm.Energy(3)
    e.add_cliques(f, [[0, 1, 2]])
    for y in np.ndindex(2, 2, 2):
        assert e.value(y) == f[y]
    assert s3svm.table(lambda y: y.max(), (1, 2)).tolist() == [0, 1, 1, 1]


def test_pieces_with_amounts():
    e = s3svm.Energy(3)
    number = e.add_pieces([2, 0, 1], [0, 2, 6], [0, 4, 6], amounts=[1, 2, 3], weight=2)
    assert number == 0 and e.concaves == 1
    assert e.value([0, 0, 1]) == 2 * 2 and e.value([1, 0, 0]) == 2 * 4 and e.value([1, 1, 1]) == 2 * 6
    e.set_pieces(0, [0, 2, 2])
    assert e.value([1, 1, 1]) == 4
    e.set_concave_weights(0, [1])
    assert e.value([1, 1, 1]) == 2
    c = e.concave(0)
    assert c.variables.tolist() == [0, 1, 2] and c.amounts.tolist() == [2, 3, 1] and c.value.tolist() == [0, 2, 2]


def test_what_was_put_in_can_be_asked_for():
    e = s3svm.Energy((2, 2))
    e.add_constant(1.5)
    t = e.add_table([0, 1, 1, 0])
    u = e.add_table([0, 3, 3, 0])
    e.add_listed([u, t], [[0, 1], [2, 3]], [1, 2])
    assert (e.variables, len(e), e.cliques, e.tables, e.concaves, e.constant, e.shape) == (4, 4, 2, 2, 0, 1.5, (2, 2))
    assert e.clique(0).variables.tolist() == [0, 1] and e.clique(0).table == u and e.clique(1).weight == 2
    assert e.table(u).tolist() == [0, 3, 3, 0]
    e.set_table(u, [0, 4, 4, 0])
    e.set_weights(0, [2.0])
    assert e.value([[0, 1], [0, 0]]) == 1.5 + 2 * 4
    e.set_unary((1, 1), 7, 8)
    assert e.unaries[1, 1].tolist() == [7, 8] and e.nbytes > 0
    assert repr(e) == "Energy of 2 x 2 variables, 2 cliques with 2 tables"
    with pytest.raises(IndexError):
        e.clique(2)
    with pytest.raises(IndexError):
        e.table(2)
    with pytest.raises(IndexError):
        e.concave(0)


def test_fixed_variables_keep_their_labels():
    e = s3svm.Energy.grid(np.array([[0.0, 5], [0, 5], [0, 5]]), pairs=1)
    e.fix(0, 1)
    assert e.fixed.tolist() == [1, -1, -1] and e.minimize().labels.tolist() == [1, 0, 0]
    e.fix([-1, -1, 1])
    assert e.minimize().labels.tolist() == [0, 0, 1]
    e.fix(2, -1)
    assert e.minimize().labels.tolist() == [0, 0, 0]
    e.fix([1, 1, 1])
    e.fix(None)
    assert e.minimize().labels.tolist() == [0, 0, 0]
    for wrong in ([0, 1, 2], [0, 1, -2], [0.0, 1, 1], [0, 1]):
        with pytest.raises((ValueError, TypeError)):
            e.fix(wrong)


def test_copies_share_nothing_and_files_keep_every_bit(tmp_path):
    rng = generator(3)
    e = s3svm.Energy.grid(rng.normal(size=(4, 5, 2)), table=lambda p: 0.1 * (p.max() != p.min()))
    e.add_concave(range(7), np.sqrt(np.arange(8)), 0.3)
    e.fix((0, 0), 1)
    e.write(tmp_path / "e.sos")
    for other in (e.copy(), copy.copy(e), copy.deepcopy(e), pickle.loads(pickle.dumps(e)),
                  s3svm.Energy.read(tmp_path / "e.sos", shape=(4, 5)), s3svm.Energy.from_bytes(e.to_bytes(), shape=(4, 5))):
        assert other.shape == (4, 5) and other.to_bytes() == e.to_bytes()
        other.set_unary(0, 3, 3)
        assert other.to_bytes() != e.to_bytes()
    with pytest.raises(s3svm.FileError, match="nowhere"):
        s3svm.Energy.read(tmp_path / "nowhere.sos")
    with pytest.raises(OSError):
        e.write(tmp_path / "no" / "folder.sos")
    with pytest.raises(s3svm.FormatError, match="text:1: expected"):
        s3svm.Energy.from_bytes(b"nonsense")
    with pytest.raises(ValueError):
        s3svm.Energy.from_bytes(e.to_bytes(), shape=(4, 4))
    with pytest.raises(ValueError):
        s3svm.Energy.from_bytes(e.to_bytes(), format="xml")


def test_warm_starts_give_the_same_answers():
    rng = generator(4)
    e = s3svm.Energy.grid(rng.normal(size=(20, 30, 2)), table=lambda p: 0.4 * (p.max() != p.min()))
    minimizer = s3svm.Minimizer(e)
    warm = 0
    for step in range(6):
        e.set_unaries(e.unaries + 0.05 * rng.normal(size=(20, 30, 2)))
        e.fix((step, step), 1)
        m = minimizer.run()
        warm += m.warm
        cold = s3svm.minimize(e)
        assert np.array_equal(m.labels, cold.labels) and m.energy == cold.energy and not cold.warm
    assert warm >= 3
    assert not minimizer.run(warm=False).warm
    assert minimizer.run(start=cold.labels).warm
    other = s3svm.Energy.grid(rng.normal(size=(3, 2)), pairs=1)
    assert minimizer.run(other).energy == s3svm.minimize(other).energy
    with pytest.raises(ValueError):
        s3svm.Minimizer().run()


def test_batches_give_what_single_calls_give():
    rng = generator(5)
    energies = [s3svm.Energy.grid(rng.normal(size=(int(rng.integers(3, 20)), 7, 2)), pairs=0.5) for _ in range(25)]
    single = [s3svm.minimize(e) for e in energies]
    for jobs in (None, -1, 1, 2):
        many = s3svm.minimize_batch(energies, n_jobs=jobs)
        assert all(np.array_equal(a.labels, b.labels) and a.energy == b.energy for a, b in zip(many, single))
    assert s3svm.minimize_batch([]) == []
    assert len(s3svm.minimize_batch([energies[0]] * 3)) == 3
    with pytest.raises(TypeError):
        s3svm.minimize_batch([1])
    with pytest.raises(ValueError):
        s3svm.minimize_batch(energies, n_jobs=0)


def test_devices_give_the_same():
    rng = np.random.default_rng(3)
    energies = [s3svm.Energy.grid(rng.normal(size=(9, 7, 2)), (2, 2), lambda p: 0.3 * (p.max() != p.min())) for _ in range(3)]
    expected = s3svm.minimize_batch(energies, device="cpu")
    assert [m.device for m in expected] == ["cpu"] * 3
    for m, e in zip(s3svm.minimize_batch(energies, device="card"), expected):
        assert m.device in ("cpu", "card") and np.array_equal(m.labels, e.labels) and m.energy == e.energy
    one = s3svm.Minimizer(energies[0]).run(device="card")
    assert np.array_equal(one.labels, expected[0].labels) and np.array_equal(s3svm.minimize(energies[0], device="auto").labels, one.labels)


def test_results_say_something():
    m = s3svm.minimize(np.array([[[0.0, 1], [1, 0]]]), pairs=0.25)
    assert repr(m).startswith("Minimum: energy 0.25, lower bound 0.25, 1 of 1 x 2 labels are 1")
    assert 0 <= m.gap < 1e-15 and m.seconds >= 0 and m.bits in (32, 64) and m.statistics["bytes"] > 0
    assert np.asarray(m).tolist() == [[0, 1]]
    assert m._repr_png_()[:8] == b"\x89PNG\r\n\x1a\n"
    assert s3svm.minimize(np.zeros((2, 2)))._repr_png_() is None
    assert repr(s3svm.Minimizer(s3svm.Energy(2))) == "Minimizer after 0 runs of Energy of 2 variables"


def test_the_version_is_the_library_s():
    assert re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", s3svm.__version__)  # as Python writes release candidates
    assert re.findall(r"\d+", s3svm.__version__) == re.findall(r"\d+", s3svm._s3svm.version())
