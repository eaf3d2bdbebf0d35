"""Networks trained through the exact minimum of an energy: the structured hinge loss as a function of PyTorch's autograd.

>>> import torch, s3svm.torch
>>> energy = s3svm.torch.GridEnergy([(2, 2)])
>>> unary = torch.tensor([[[-2.0, 0.5], [-1.5, 3.0]]], requires_grad=True)    # what a network says: label 1 costs so much more
>>> truth = torch.tensor([[[1, 1], [1, 0]]])
>>> loss = energy(unary, truth)
>>> loss.backward()
>>> loss.item(), unary.grad.tolist()
(1.5, [[[0.0, 1.0], [0.0, 0.0]]])

A logit of label 1 is a unary with its sign changed.  Pictures are minimised on the CPU, on all cores; tensors of a graphics card are
copied there and back.  Importing s3svm alone does not import PyTorch.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from ._arrays import shape_of
from ._energy import MEMBERS_MAX, Energy
from ._hinge import Hinge, nearest_submodular

__all__ = ["GridEnergy", "hinge_loss"]


def _array(tensor: Optional[torch.Tensor], name: str) -> Any:
    """The tensor's memory as an array, where it is on the CPU; a copy, where it is not."""
    if tensor is None:
        return None
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name} must be a tensor, not {type(tensor).__name__}")
    return tensor.detach().cpu().numpy()


def _costs(tensor: Optional[torch.Tensor], name: str) -> Any:
    """Of half precision, which NumPy has only in part, as single precision."""
    if isinstance(tensor, torch.Tensor) and tensor.dtype in (torch.float16, torch.bfloat16):
        tensor = tensor.float()
    return _array(tensor, name)


def _back(gradient: Any, by: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """The gradient of a sum over pictures, each weighed by what comes from above; summed where all pictures share the argument."""
    each = torch.as_tensor(gradient).to(dtype=torch.float64, device=by.device)
    scaled = by.to(torch.float64).reshape(-1, *[1] * (each.ndim - 1)) * each
    return (scaled if like.ndim == each.ndim else scaled.sum(0)).to(dtype=like.dtype, device=like.device)


class _Loss(torch.autograd.Function):
    """values, labels = of a Hinge; the labels have no gradient."""

    @staticmethod
    def forward(ctx: Any, structure: Hinge, settings: "dict[str, Any]", truth: torch.Tensor, unary: torch.Tensor,
                weights: Optional[torch.Tensor], *tables: torch.Tensor) -> Any:
        result = structure(_costs(unary, "unary"), _array(truth, "truth"), weights=_costs(weights, "weights"),
                           tables=[_costs(t, "tables") for t in tables] or None, **settings)
        ctx.result = result
        ctx.arguments = (unary, weights, *tables)
        labels = torch.from_numpy(result.labels).to(unary.device)
        ctx.mark_non_differentiable(labels)
        return torch.from_numpy(result.value).to(dtype=unary.dtype, device=unary.device), labels

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, by: torch.Tensor, _: Any) -> Any:
        result = ctx.result
        found = [result.d_unary, result.d_weights, *result.d_tables]
        needed = ctx.needs_input_grad[3:]
        gradients = [_back(g, by, like) if need else None for g, like, need in zip(found, ctx.arguments, needed)]
        return (None, None, None, *gradients)


def hinge_loss(structure: Hinge, unary: torch.Tensor, truth: torch.Tensor, *, tables: Optional[Sequence[torch.Tensor]] = None,
               weights: Optional[torch.Tensor] = None, loss: Any = None, reduction: str = "mean", keep: Any = None,
               bits: int = 0, n_jobs: Optional[int] = None) -> torch.Tensor:
    """The structured hinge loss of a batch, with gradients to unary, tables and weights: float32, float64, or half precision.

    structure
        a :class:`s3svm.Hinge`, which has the cliques; unary, truth, weights, loss, keep and bits as there
    tables
        a tensor for each table of the structure
    reduction
        "mean" of the pictures' losses, their "sum", or "none": one for each

    >>> structure = Hinge(Energy.grid(np.zeros((2, 2, 2)), pairs=0.0))
    >>> pair = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    >>> differ = pair * torch.tensor([0.0, 1, 1, 0], dtype=torch.float64)
    >>> unary = torch.tensor([[[-2.0, 0.5], [-1.5, 3]]], dtype=torch.float64)
    >>> value = hinge_loss(structure, unary, torch.tensor([[[1, 1], [1, 0]]]), tables=[differ])
    >>> value.backward()
    >>> value.item(), pair.grad.item()
    (1.5, 0.0)
    """
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"reduction must be 'none', 'mean' or 'sum', not {reduction!r}")
    if not isinstance(unary, torch.Tensor) or not unary.is_floating_point():
        raise TypeError("unary must be a tensor of floating-point numbers")
    settings = {"loss": _array(loss, "loss") if isinstance(loss, torch.Tensor) else loss,
                "keep": _array(keep, "keep") if isinstance(keep, torch.Tensor) else keep, "bits": bits, "n_jobs": n_jobs}
    value, _ = _Loss.apply(structure, settings, truth, unary, weights, *(tables if tables is not None else ()))
    return value if reduction == "none" else value.mean() if reduction == "mean" else value.sum()


def _orbits(patch: tuple[int, ...], swap: bool) -> "tuple[torch.Tensor, int]":
    """Which labellings of a patch mirrors, turns and, with swap, the exchange of the labels map to each other: the number of its
    class for each, and how many classes there are."""
    places = np.arange(int(np.prod(patch))).reshape(patch)
    ways = [places]
    for axis in range(places.ndim):
        ways += [np.flip(w, axis) for w in ways]
    if places.ndim == 2 and patch[0] == patch[1]:
        ways += [w.T for w in ways]
    sets = np.arange(1 << places.size)
    bits = sets[:, None] >> np.arange(places.size) & 1
    images = [(bits[:, way.reshape(-1)] << np.arange(places.size)).sum(1) for way in ways]
    if swap:
        images += [sets[-1] - image for image in images]
    _, classes = np.unique(np.min(images, axis=0), return_inverse=True)
    return torch.from_numpy(classes.astype(np.int64)), int(classes.max()) + 1


class GridEnergy(torch.nn.Module):
    """An energy on top of a network: its unaries, and a learned table over all patches of each shape.

    patches
        shapes such as (2, 2); (1, 2) and (2, 1) are the pairs of neighbours
    symmetric
        ties the costs of labellings that mirrors and quarter turns map to each other
    swap
        treats both labels alike
    bits, n_jobs
        as of :class:`s3svm.Hinge`

    The parameters are the costs, one for each class of labellings that are tied, 0 at first.  A step of an optimiser may leave what is
    submodular; so each call first moves the parameters to the nearest that is (:meth:`project`).  Pictures of every size are
    taken.
    """

    def __init__(self, patches: Sequence[Sequence[int]] = ((2, 2),), *, symmetric: bool = True, swap: bool = False,
                 bits: int = 32, n_jobs: Optional[int] = None):
        super().__init__()
        self.patches = [shape_of(p) for p in patches]
        for patch in self.patches:
            members = int(np.prod(patch))
            if len(patch) != len(self.patches[0]) or len(patch) > 3 or not 1 <= members <= MEMBERS_MAX:
                raise ValueError(f"patches must be of one, two or three sides, all of as many, with 1 to {MEMBERS_MAX} members, not {patch}")
        self.bits = bits
        self.n_jobs = n_jobs
        self.costs = torch.nn.ParameterList()
        self._structures: "dict[tuple[int, ...], Hinge]" = {}
        for i, patch in enumerate(self.patches):
            entries = 1 << int(np.prod(patch))
            classes, count = _orbits(patch, swap) if symmetric else (torch.arange(entries), entries)
            self.register_buffer(f"classes{i}", classes, persistent=False)
            self.costs.append(torch.nn.Parameter(torch.zeros(count, dtype=torch.float64)))

    def tables(self) -> "list[torch.Tensor]":
        """The 2^k costs of each table."""
        return [costs[getattr(self, f"classes{i}")] for i, costs in enumerate(self.costs)]

    @torch.no_grad()
    def project(self) -> None:
        """Moves the costs to the nearest that are submodular."""
        for i, (costs, table) in enumerate(zip(self.costs, self.tables())):
            nearest = torch.from_numpy(nearest_submodular(_array(table, "table"))).to(costs.device)
            classes = getattr(self, f"classes{i}")
            sums = torch.zeros(len(costs), dtype=torch.float64, device=costs.device).index_add_(0, classes, nearest)
            costs.copy_(sums / torch.bincount(classes, minlength=len(costs)))

    def structure(self, shape: Sequence[int]) -> Hinge:
        """The cliques of pictures of this shape."""
        sides = tuple(shape)
        if sides not in self._structures:
            if len(sides) != len(self.patches[0]):
                raise ValueError(f"unary must be pictures x {len(self.patches[0])} sides, not {len(sides)}")
            energy = Energy(sides)
            for patch in self.patches:
                energy.add_patches(np.zeros(1 << int(np.prod(patch))), patch)
            self._structures[sides] = Hinge(energy)
        return self._structures[sides]

    def forward(self, unary: torch.Tensor, truth: torch.Tensor, *, loss: Any = None, reduction: str = "mean",
                keep: Any = None) -> torch.Tensor:
        """The structured hinge loss: :func:`hinge_loss` with the tables of this energy."""
        self.project()
        return hinge_loss(self.structure(unary.shape[1:]), unary, truth, tables=self.tables(), loss=loss, reduction=reduction,
                          keep=keep, bits=self.bits, n_jobs=self.n_jobs)

    @torch.no_grad()
    def predict(self, unary: torch.Tensor) -> torch.Tensor:
        """The labels of least energy, exactly: uint8, of the shape of unary."""
        self.project()
        result = self.structure(unary.shape[1:]).minimize(_costs(unary, "unary"), bits=self.bits, n_jobs=self.n_jobs,
                                                          tables=[_array(t, "table") for t in self.tables()])
        return torch.from_numpy(result.labels).to(unary.device)

    def __getstate__(self) -> "dict[str, Any]":
        """Networks and flows stay behind: they are made again."""
        return {**self.__dict__, "_structures": {}}

    def extra_repr(self) -> str:
        return f"patches={self.patches}"
