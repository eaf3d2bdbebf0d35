"""Arrays of every shape, type and layout that people pass, and what is refused."""

import numpy as np
import pytest

import s3svm
from support import generator


def unary_grid():
    return generator(10).integers(-9, 10, (7, 6, 2)).astype(np.float64)


def expected():
    return s3svm.minimize(unary_grid(), pairs=2)


def check(m):
    assert np.array_equal(m.labels, expected().labels) and m.energy == expected().energy


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i2", "i4", "i8", ">f8", ">f4", "<i4", ">i8"])
def test_types_of_costs(dtype):
    check(s3svm.minimize(unary_grid().astype(dtype), pairs=2))
    u = unary_grid().astype(dtype)
    check(s3svm.minimize((u[..., 0], u[..., 1]), pairs=2))


def test_long_doubles_and_booleans():
    check(s3svm.minimize(unary_grid().astype(np.longdouble), pairs=2))
    y = np.array([[True, False], [False, True]])
    assert s3svm.Energy(2).value(y[0]) == 0
    assert s3svm.minimize(y).labels.tolist() == [1, 0]


def test_layouts():
    u = unary_grid()
    check(s3svm.minimize(np.asfortranarray(u), pairs=2))
    check(s3svm.minimize(u.tolist(), pairs=2))
    check(s3svm.minimize(np.repeat(u, 3, axis=1)[:, ::3], pairs=2))
    check(s3svm.minimize(u[::-1, ::-1][::-1, ::-1], pairs=2))
    planes = np.moveaxis(u, 2, 0).copy()
    check(s3svm.minimize((planes[0], planes[1]), pairs=2))
    check(s3svm.minimize(np.moveaxis(planes, 0, 2), pairs=2))
    wide = np.zeros((7, 12, 2))
    wide[:, ::2] = u
    check(s3svm.minimize(wide[:, ::2], pairs=2))
    u.flags.writeable = False
    check(s3svm.minimize(u, pairs=2))
    padded = np.zeros(u.size * 8 + 1, dtype=np.uint8)
    odd = padded[1:].view(np.float64).reshape(u.shape)  # not aligned
    odd[...] = u
    check(s3svm.minimize(odd, pairs=2))
    check(s3svm.minimize(np.ma.masked_array(u), pairs=2))
    check(s3svm.minimize(u.view(np.matrix) if u.ndim == 2 else u, pairs=2))


def test_the_arrays_given_are_left_alone():
    u = unary_grid()
    kept = u.copy()
    m = s3svm.minimize((u[..., 0], u[..., 1]), pairs=2)
    start = np.zeros((7, 6), np.uint8)
    s3svm.minimize(u, pairs=2, start=start)
    assert np.array_equal(u, kept) and not start.any()
    m.labels[0, 0] = 1 - m.labels[0, 0]  # the caller's own


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i4", "i8", ">i4"])
def test_types_of_indices(dtype):
    pairs = s3svm.grid_pairs((7, 6)).astype(dtype)
    e = s3svm.Energy((7, 6))
    e.set_unaries(unary_grid())
    e.add_pairs(np.asfortranarray(pairs), 2)
    check(e.minimize())
    f = s3svm.Energy((7, 6))
    f.set_unaries(unary_grid().reshape(-1, 2))
    f.add_pairs(np.repeat(pairs, 2, axis=0)[::2], np.full(2 * len(pairs), 2.0)[::2])
    check(f.minimize())


def test_empty_and_tiny():
    e = s3svm.Energy(0)
    assert e.minimize().labels.shape == (0,) and e.minimize().energy == 0
    assert s3svm.minimize(np.zeros((0, 5, 2))).labels.shape == (0, 5)
    assert s3svm.minimize(np.array([[1.0, 0]])).labels.tolist() == [1]
    e = s3svm.Energy(3)
    e.add_pairs([])
    e.add_pairs(np.zeros((0, 2), int))
    assert e.cliques == 0
    small = s3svm.Energy((1, 1))
    small.add_patches([0, 1, 1, 0], (2, 1))
    assert small.cliques == 0


NAN = float("nan")
INFINITY = float("inf")


@pytest.mark.parametrize("call, error", [
    (lambda: s3svm.minimize(np.zeros((3, 3))), ValueError),
    (lambda: s3svm.minimize(np.zeros(3)), ValueError),
    (lambda: s3svm.minimize(3.0), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2, 2, 2))), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2), complex)), TypeError),
    (lambda: s3svm.minimize(np.array([["a", "b"]])), TypeError),
    (lambda: s3svm.minimize(np.array([[None, 1]])), TypeError),
    (lambda: s3svm.minimize((np.zeros(3), np.zeros(4))), ValueError),
    (lambda: s3svm.minimize(np.array([[0, NAN]])), s3svm.ArgumentError),
    (lambda: s3svm.minimize(np.array([[0, -INFINITY]])), s3svm.ArgumentError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), (2, 2)), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), (2, 2), np.zeros(8)), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), (2,), np.zeros(4)), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), (0, 2), np.zeros(4)), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), (2, 2), np.zeros(16), np.zeros(3)), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), (2, 2), np.zeros(16), -1), s3svm.ArgumentError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), (2, 2), np.full(16, NAN)), s3svm.ArgumentError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), pairs=-1), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), pairs=1, connectivity=3), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), bits=5), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), device="abacus"), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), start=[0, 1]), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), start=np.full((2, 2), 2)), ValueError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), start=np.zeros((2, 2))), TypeError),
    (lambda: s3svm.minimize(s3svm.Energy(3), pairs=1), TypeError),
    (lambda: s3svm.minimize(np.zeros((2, 2, 2)), progress=3), TypeError),
    (lambda: s3svm.minimize(np.random.default_rng(1).normal(size=(50, 50, 2)), pairs=1, memory_limit=100), MemoryError),
    (lambda: s3svm.Energy(-1), ValueError),
    (lambda: s3svm.Energy("a"), TypeError),
    (lambda: s3svm.Energy(1 << 40), s3svm.Error),
    (lambda: s3svm.Energy(2).add_pairs([[0, 2]]), ValueError),
    (lambda: s3svm.Energy(2).add_pairs([[0, -1]]), ValueError),
    (lambda: s3svm.Energy(2).add_pairs([[0, 0]]), s3svm.ArgumentError),
    (lambda: s3svm.Energy(2).add_pairs([[0.0, 1.0]]), TypeError),
    (lambda: s3svm.Energy(2).add_pairs([0, 1]), ValueError),
    (lambda: s3svm.Energy(3).add_pairs([[0, 1, 2]]), ValueError),
    (lambda: s3svm.Energy(2).add_pairs([[0, 1]], [1, 2]), ValueError),
    (lambda: s3svm.Energy(2).add_pairs([[0, 1]], [NAN]), s3svm.ArgumentError),
    (lambda: s3svm.Energy(2).add_cliques([0, -1, -1, 0], [[0, 1]]), s3svm.NotSubmodularError),
    (lambda: s3svm.Energy(2).add_cliques([0, 1, 1], [[0, 1]]), ValueError),
    (lambda: s3svm.Energy(2).add_cliques(0, [[0, 1]]), IndexError),
    (lambda: s3svm.Energy(2).add_listed([0], [[0, 1]]), IndexError),
    (lambda: s3svm.Energy(20).add_cliques(np.zeros(1 << 17), [range(17)]), s3svm.ArgumentError),
    (lambda: s3svm.Energy(3).add_concave([0, 1, 2], [0, 1, 1]), ValueError),
    (lambda: s3svm.Energy(3).add_concave([0, 1, 2], [0, 1, 3, 9]), s3svm.NotSubmodularError),
    (lambda: s3svm.Energy(3).add_concave([0, 1, 1], [0, 1, 1, 1]), s3svm.ArgumentError),
    (lambda: s3svm.Energy(3).add_pieces([0, 1, 2], [0, 3], [0, 1, 2]), ValueError),
    (lambda: s3svm.Energy(3).add_pieces([0, 1, 2], [0, 4], [0, 1]), s3svm.ArgumentError),
    (lambda: s3svm.Energy(3).add_pieces([0, 1, 2], [0, 3], [0, 1], amounts=[1, 1]), ValueError),
    (lambda: s3svm.Energy(3).set_unaries(np.zeros((4, 2))), ValueError),
    (lambda: s3svm.Energy(3).set_unary(3, 0, 0), s3svm.ArgumentError),
    (lambda: s3svm.Energy(3).set_unary(-1, 0, 0), IndexError),
    (lambda: s3svm.Energy((2, 2)).set_unary((2, 0), 0, 0), ValueError),
    (lambda: s3svm.Energy(3).add_constant(NAN), s3svm.ArgumentError),
    (lambda: s3svm.Energy(3).value([0, 1, 2]), ValueError),
    (lambda: s3svm.Energy(3).value([0, 1]), ValueError),
    (lambda: s3svm.Energy(3).fix(0, 5), s3svm.ArgumentError),
    (lambda: s3svm.grid_pairs((2, 2), 0), ValueError),
    (lambda: s3svm.table(np.zeros((2, 3))), ValueError),
])
def test_what_is_wrong_is_refused(call, error):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value)


def test_a_refused_call_changes_nothing():
    e = s3svm.Energy(3)
    e.add_pairs([[0, 1]])
    before = e.to_bytes()
    for wrong in (lambda: e.add_pairs([[0, 1], [1, 5]]), lambda: e.add_cliques(0, [[0, 1]], [-1]),
                  lambda: e.set_table(0, [0, -1, -1, 0]), lambda: e.set_unaries(np.full((3, 2), NAN))):
        with pytest.raises(ValueError):
            wrong()
        assert e.to_bytes() == before


def test_the_extension_does_not_trust_its_callers():
    from s3svm import _s3svm

    e = _s3svm.energy_create(3)
    with pytest.raises(ValueError):
        _s3svm.energy_set_unaries(e, np.zeros(2), np.zeros(3))
    with pytest.raises(TypeError):
        _s3svm.energy_set_unaries(e, np.zeros(3, np.float32), np.zeros(3))
    with pytest.raises(TypeError):
        _s3svm.energy_set_unaries(_s3svm.minimizer_create(), np.zeros(3), np.zeros(3))
    with pytest.raises(TypeError):
        _s3svm.energy_set_unaries(e, np.zeros(3, ">f8"), np.zeros(3))
    with pytest.raises((ValueError, BufferError)):
        _s3svm.energy_set_unaries(e, np.zeros(6)[::2], np.zeros(3))
    frozen = np.zeros(3, np.uint8)
    frozen.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        _s3svm.minimize(e, None, frozen, (0, False, True, 0, 0, 0), None)
    with pytest.raises(ValueError):
        _s3svm.minimize(e, None, np.zeros(2, np.uint8), (0, False, True, 0, 0, 0), None)
    with pytest.raises(TypeError):
        _s3svm.minimize(e, None, np.zeros(3, np.uint8), (0, 0), None)
