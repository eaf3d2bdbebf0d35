"""The hinge loss as a function of PyTorch: slopes by finite differences, a network that learns through the minimum, wrong calls."""

import copy
import doctest
import itertools
import pickle

import numpy as np
import pytest

import s3svm
from support import generator, submodular_table

torch = pytest.importorskip("torch", reason="without PyTorch (Debian: python3-torch)")
import s3svm.torch as st  # noqa: E402

SHAPE = (4, 5)


torch.set_num_threads(1)  # the library has its own, and here there is too little to do for several


def test_examples_in_docstrings():
    assert doctest.testmod(st, extraglobs={"np": np}).failed == 0


def random_case(seed, count=3, dtype=torch.float64):
    rng = generator(seed, 28)
    energy = s3svm.Energy(SHAPE)
    energy.add_patches(np.zeros(16), (2, 2))
    energy.add_patches(np.zeros(4), (1, 2))
    unary = torch.tensor(rng.normal(0, 1.5, (count, *SHAPE)), dtype=dtype, requires_grad=True)
    truth = torch.tensor(rng.integers(0, 2, (count, *SHAPE)))
    tables = [torch.tensor(submodular_table(rng, k) + 0.1 * rng.random() * s3svm.table(lambda y: y.sum() * (k - y.sum()), (k,)),
                           dtype=dtype, requires_grad=True) for k in (4, 2)]
    weights = torch.tensor(0.2 + rng.random((count, energy.cliques)), dtype=dtype, requires_grad=True)
    return s3svm.Hinge(energy), unary, truth, tables, weights, rng


@pytest.mark.parametrize("seed, reduction", itertools.product(range(5), ("mean", "sum", "none")))
def test_gradients_are_the_slopes_of_finite_differences(seed, reduction):
    """The loss is piecewise linear in each argument; at random points it is differentiable, and a small step stays on the piece."""
    hinge, unary, truth, tables, weights, rng = random_case(seed)
    by = torch.tensor(rng.normal(size=3)) if reduction == "none" else torch.ones(())

    def value(u, t, w):
        return (by * st.hinge_loss(hinge, u, truth, tables=t, weights=w, loss=0.7, reduction=reduction)).sum()

    value(unary, tables, weights).backward()
    arguments = [unary, *tables, weights]
    for which, argument in enumerate(arguments):
        step = torch.tensor(rng.normal(size=argument.shape)) * 1e-5
        if 0 < which < 3:  # on either side submodular: the tables have room by what random_case adds
            step = step * 1e-1
        moved = [[a.detach() + (sign * step if i == which else 0) for i, a in enumerate(arguments)] for sign in (1, -1)]
        plus, minus = (value(m[0], [s3svm_room(t) for t in m[1:3]], m[3]) for m in moved)
        assert (argument.grad * step).sum().item() == pytest.approx((plus - minus).item() / 2, rel=1e-4, abs=1e-12), which


def s3svm_room(table):
    """The table, which a step may have moved out of the cone by rounding only."""
    nearest = torch.tensor(s3svm.nearest_submodular(table.numpy()))
    assert (nearest - table).abs().max() < 1e-6
    return nearest


def test_torch_says_what_numpy_says():
    for dtype in (torch.float32, torch.float64):
        hinge, unary, truth, tables, weights, _ = random_case(20, dtype=dtype)
        tables = [torch.tensor(np.round(t.detach().numpy()), requires_grad=True) for t in tables]
        value = st.hinge_loss(hinge, unary, truth, tables=tables, weights=weights, reduction="none")
        value.sum().backward()
        wanted = hinge(unary.detach().numpy(), truth.numpy(), tables=[t.detach().numpy() for t in tables],
                       weights=weights.detach().numpy())
        assert value.dtype == unary.grad.dtype == tables[0].grad.dtype == weights.grad.dtype == dtype
        assert np.array_equal(value.detach().numpy(), wanted.value.astype(unary.detach().numpy().dtype))
        assert np.array_equal(unary.grad.numpy(), wanted.d_unary)
        assert np.allclose(tables[0].grad.numpy(), wanted.d_tables[0].sum(0), rtol=1e-6)  # shared: summed over the batch
        assert np.allclose(weights.grad.numpy(), wanted.d_weights, rtol=1e-6)


def test_half_precision_and_arguments_without_gradients():
    hinge, unary, truth, tables, _, _ = random_case(21)
    half = unary.detach().half().requires_grad_()
    value = st.hinge_loss(hinge, half, truth, tables=[t.detach() for t in tables])
    value.backward()
    assert value.dtype == half.grad.dtype == torch.float16 and half.grad.any()
    assert not st.hinge_loss(hinge, unary.detach(), truth).requires_grad
    strided = unary.detach().transpose(1, 2).contiguous().transpose(1, 2).requires_grad_()
    assert not strided.is_contiguous()
    assert st.hinge_loss(hinge, strided, truth) == st.hinge_loss(hinge, unary, truth)


def test_the_gradient_arrives_below_a_network():
    torch.manual_seed(0)
    net = torch.nn.Conv2d(1, 1, 3, padding=1).double()
    energy = st.GridEnergy([(2, 2)])
    picture, truth = torch.rand(2, 1, 6, 7, dtype=torch.float64), torch.randint(0, 2, (2, 6, 7))
    loss = energy(net(picture)[:, 0], truth)
    loss.backward()
    weight = net.weight.detach().clone()
    for i in range(weight.numel()):
        step = torch.zeros_like(weight).reshape(-1)
        step[i] = 1e-6
        with torch.no_grad():
            net.weight.copy_(weight + step.reshape(weight.shape))
            slope = (energy(net(picture)[:, 0], truth) - loss) / 1e-6
        assert slope.item() == pytest.approx(net.weight.grad.reshape(-1)[i].item(), abs=1e-3)


def drawings(count, first=0):
    truth = np.stack([np.asarray(s3svm.draw(40, 60, number=first + n)) for n in range(count)])
    noisy = 1 - truth + generator(29, first).normal(0, 0.7, truth.shape)
    return torch.tensor(noisy, dtype=torch.float32)[:, None], torch.tensor(truth)


def test_learning_both_together_lowers_the_loss_and_the_error():
    torch.manual_seed(0)
    pictures, truth = drawings(6)
    net, energy = torch.nn.Conv2d(1, 1, 3, padding=1), st.GridEnergy([(2, 2)], swap=True)
    optimiser = torch.optim.Adam([{"params": net.parameters(), "lr": 0.1}, {"params": energy.parameters(), "lr": 0.1}])
    losses = []
    for _ in range(60):
        optimiser.zero_grad()
        loss = energy(net(pictures)[:, 0], truth)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    with torch.no_grad():
        unary = net(pictures)[:, 0]
    wrong = (energy.predict(unary) != truth).float().mean().item()
    assert losses[-1] < 0.7 * losses[0]
    assert wrong < 0.8 * ((pictures[:, 0] < 0.5) != truth).float().mean().item()
    table = energy.tables()[0].detach().numpy()
    s3svm.Energy(4).add_table(table)  # which is submodular
    assert table.any()


@pytest.mark.parametrize("patches, swap, classes", [([(2, 2)], False, [6]), ([(2, 2)], True, [4]), ([(1, 2), (2, 1)], False, [3, 3]),
                                                    ([(3,)], False, [6]), ([(2, 2, 2)], False, None)])
def test_ties_are_those_of_mirrors_and_turns(patches, swap, classes):
    energy = st.GridEnergy(patches, swap=swap)
    if classes:
        assert [len(c) for c in energy.costs] == classes
    for costs in energy.costs:
        torch.nn.init.normal_(costs)
    energy.project()
    for patch, table in zip(patches, energy.tables()):
        f = table.detach().numpy().reshape((2,) * int(np.prod(patch)))  # by the last member first
        s3svm.Energy(f.ndim).add_table(table.detach().numpy())
        places = np.arange(f.ndim).reshape(patch)
        for axis in range(places.ndim):
            order = (f.ndim - 1 - np.flip(places, axis).reshape(-1))[::-1]
            assert np.allclose(f, f.transpose(order), atol=1e-9)
        if swap:
            assert np.allclose(f, np.flip(f), atol=1e-9)


def test_an_energy_is_a_module():
    energy = st.GridEnergy([(2, 2), (1, 2)])
    torch.nn.init.constant_(energy.costs[1], 0.3)
    again = st.GridEnergy([(2, 2), (1, 2)])
    again.load_state_dict(energy.state_dict())
    unary, truth = torch.randn(2, 5, 6), torch.randint(0, 2, (2, 5, 6))
    assert energy(unary, truth) == again(unary, truth) == copy.deepcopy(energy)(unary, truth)
    assert pickle.loads(pickle.dumps(energy))(unary, truth) == energy(unary, truth)
    assert energy(unary[:, :4], truth[:, :4], keep=torch.tensor([3, 1]), reduction="sum").ndim == 0  # another shape
    assert torch.equal(energy.predict(unary), again.predict(unary)) and energy.predict(unary).dtype == torch.uint8


HINGE = s3svm.Hinge(s3svm.Energy.grid(np.zeros((2, 3, 2)), pairs=1))
U, T = torch.zeros(2, 2, 3), torch.zeros(2, 2, 3, dtype=torch.int64)


@pytest.mark.parametrize("words, call", [
    ("unary must be a tensor of floating-point numbers", lambda: st.hinge_loss(HINGE, T, T)),
    ("unary must be a tensor of floating-point numbers", lambda: st.hinge_loss(HINGE, U.numpy(), T)),
    ("truth must be a tensor, not ndarray", lambda: st.hinge_loss(HINGE, U, T.numpy())),
    ("reduction must be", lambda: st.hinge_loss(HINGE, U, T, reduction="average")),
    ("truth must be of the shape", lambda: st.hinge_loss(HINGE, U, T[:1])),
    ("the energy has 1 tables, but 2 were given", lambda: st.hinge_loss(HINGE, U, T, tables=[torch.zeros(4)] * 2)),
    ("table 0: table is not submodular", lambda: st.hinge_loss(HINGE, U, T, tables=[torch.tensor([0.0, 0, 0, 1])])),
    ("unary must be pictures x 2 sides, not 1", lambda: st.GridEnergy()(torch.zeros(2, 3), T)),
    ("patches must be of one, two or three sides", lambda: st.GridEnergy([(2, 2), (2,)])),
    ("patches must be of one, two or three sides", lambda: st.GridEnergy([(5, 5)])),
])
def test_what_means_nothing_is_refused(words, call):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
