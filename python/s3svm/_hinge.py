"""The structured hinge loss as a function of costs, with its subgradients: what is below an energy learns through its minimum."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _s3svm
from ._arrays import ArrayLike, Doubles, Labels, doubles, numbers, plain, whole
from ._energy import Energy, Table, table as as_table
from ._minimize import threads
from ._progress import Progress, watched

KEEP_MAX = 1 << 20  # SOS_HINGE_KEEP_MAX
Floats = npt.NDArray[Any]


class HingeResult(NamedTuple):
    """What :class:`Hinge` found for each picture of a batch.

    value
        the loss; of :meth:`Hinge.minimize` the least energy
    labels
        those that attain it
    d_unary, d_tables, d_weights
        subgradients of each picture's value by its unaries, by each table's costs (a list, in the order of the energy's tables), and by
        the weights of cliques (None where none were given)
    gap
        no labelling attains more than value + gap: 0 but for rounding
    warm
        whether a flow was kept from an earlier call
    """

    value: Doubles
    labels: Labels
    d_unary: Floats
    d_tables: "list[Doubles]"
    d_weights: Optional[Doubles]
    gap: Doubles
    warm: npt.NDArray[np.bool_]


class Hinge:
    """The structured hinge loss of pictures whose energies have the same cliques,

        L = max over y of  loss(y) + E(truth) - E(y)  >=  0,      E(y) = sum_i unary_i y_i + sum_C w_C f_C(y_C).

    It is convex in unaries, tables and weights, and at least the loss of the labels of least energy.  Its minima are exact, and
    pictures of a batch are shared out among all cores.

    energy
        an :class:`Energy` with the cliques that all have; it is copied.  Its unaries and constant are not used; its tables and weights are where
        calls give none; its concave cliques and fixed labels stay.

    >>> import s3svm
    >>> hinge = Hinge(s3svm.Energy.grid(np.zeros((1, 3, 2)), pairs=1))
    >>> r = hinge(np.array([[[-3.0, 0.5, 3]]]), np.array([[[1, 1, 0]]]))
    >>> r.value, r.labels.tolist(), r.d_unary.tolist()
    (array([1.5]), [[[1, 0, 0]]], [[[0.0, 1.0, 0.0]]])
    >>> r.d_tables
    [array([[-1.,  0.,  0.,  1.]])]
    """

    def __init__(self, energy: Energy):
        if not isinstance(energy, Energy):
            raise TypeError(f"Hinge takes an Energy, not {type(energy).__name__}")
        self._handle = _s3svm.hinge_create(energy._handle)
        self.shape = energy.shape
        self.variables = energy.variables
        self.cliques = energy.cliques
        self.entries = [energy.table(t).size for t in range(energy.tables)]

    def __call__(self, unary: ArrayLike, truth: ArrayLike, *, tables: Any = None, weights: Optional[ArrayLike] = None,
                 loss: Optional[ArrayLike] = None, keep: Optional[ArrayLike] = None, bits: int = 0, memory: int = 1 << 30,
                 n_jobs: Optional[int] = None, progress: Progress = None) -> HingeResult:
        """The loss and its subgradients.

        unary
            pictures x shape: what label 1 of each variable costs more than label 0.  float32 and float64 are taken as they are.
        truth
            the true labels, 0 or 1, of the same shape
        tables
            the costs of the energy's tables: a list with an array for each, or one array where there is one table; 2^k costs for all
            pictures, or pictures x 2^k.  They must be submodular (:func:`nearest_submodular`).
        weights
            what scales the cliques, numbered by size, then in the order added: cliques, or pictures x cliques
        loss
            what a wrong label costs: a number, an array of one picture's shape, or one for each picture.  0 for variables that do
            not count; their true label still does in E(truth).  1 unless given, so that a loss counts wrong variables.
        keep
            a number from 0 on for each picture: what is kept of it, for calls with the same picture and other costs, which change no
            result by it.  This pays where minimising is hard: 3/4 of the time where costs are as small as the loss.
        bits
            32: round costs to about 28 bits, which takes 2/3 of the time; gap says what it may have changed
        memory
            bytes that kept pictures may take
        """
        return self._run(unary, truth, tables, weights, loss, keep, bits, memory, n_jobs, progress)

    def minimize(self, unary: ArrayLike, *, tables: Any = None, weights: Optional[ArrayLike] = None, bits: int = 0,
                 n_jobs: Optional[int] = None, progress: Progress = None) -> HingeResult:
        """The labels of least energy, their energy, and its supergradients.

        >>> import s3svm
        >>> hinge = Hinge(s3svm.Energy.grid(np.zeros((1, 3, 2)), pairs=1))
        >>> hinge.minimize(np.array([[[-2.0, 0.5, 3]]])).labels.tolist()
        [[[1, 0, 0]]]
        """
        return self._run(unary, None, tables, weights, None, None, bits, 0, n_jobs, progress)

    def forget(self) -> None:
        """Drops what was kept of pictures."""
        _s3svm.hinge_forget(self._handle)

    @property
    def nbytes(self) -> int:
        """What copies of the energy, networks and flows take."""
        return _s3svm.hinge_bytes(self._handle)

    def __repr__(self) -> str:
        return f"Hinge over {' x '.join(str(s) for s in self.shape)} variables, {self.cliques:,} cliques with {len(self.entries)} tables"

    # ---- inside ----

    def _run(self, unary: ArrayLike, truth: Optional[ArrayLike], tables: Any, weights: Optional[ArrayLike],
             loss: Optional[ArrayLike], keep: Optional[ArrayLike], bits: int, memory: int, n_jobs: Optional[int],
             progress: Progress) -> HingeResult:
        if bits not in (0, 32):
            raise ValueError(f"bits must be 0 or 32, not {bits}")
        costs = self._unaries(unary)
        count = costs.shape[0]
        true = None if truth is None else _truth(truth, costs.shape)
        given = None if weights is None else self._rows(doubles(weights, "weights"), (self.cliques,), count, "weights")
        labels = np.empty(costs.shape, np.uint8)
        to_tables = np.empty((count, sum(self.entries)))
        to_weights = None if given is None else np.empty((count, self.cliques))
        value, gap, warm = np.empty(count), np.empty(count), np.empty(count, np.uint8)
        single = costs.dtype == np.float32
        with watched(progress) as callback:
            _s3svm.hinge_run(self._handle, count, None if single else costs, costs if single else None, true,
                             self._losses(loss, count), self._tables(tables, count), given, _numbers(keep, count), labels, to_tables,
                             to_weights, value, gap, warm, bits, memory, threads(n_jobs), callback)
        return HingeResult(value, labels, _difference(true, labels, costs.dtype), self._split(to_tables), to_weights, gap,
                           warm.view(np.bool_))

    def _unaries(self, unary: ArrayLike) -> Floats:
        array = plain(unary, "unary")
        if array.dtype.kind not in "fiub":
            raise TypeError(f"unary must be real numbers, not {array.dtype}")
        if array.ndim != len(self.shape) + 1 or array.shape[1:] != self.shape:
            raise ValueError(f"unary must be of shape {('pictures', *self.shape)}, what label 1 costs more than label 0, not {array.shape}")
        return np.ascontiguousarray(array, np.float32 if array.dtype == np.float32 else np.float64)

    def _losses(self, loss: Optional[ArrayLike], count: int) -> Optional[Doubles]:
        if loss is None:
            return None
        array = doubles(loss, "loss")
        if np.ndim(loss) == 0:
            array = np.full(self.shape, array.reshape(()))
        return self._rows(array, self.shape, count, "loss")

    def _tables(self, tables: Any, count: int) -> Optional[Doubles]:
        if tables is None:
            return None
        single = isinstance(tables, np.ndarray) or (len(self.entries) == 1 and np.ndim(tables[0]) == 0)
        given = [tables] if single else list(tables)
        if len(given) != len(self.entries):
            raise ValueError(f"the energy has {len(self.entries)} tables, but {len(given)} were given")
        parts = [self._rows(doubles(t, f"table {i}"), (entries,), count, f"table {i}")
                 for i, (t, entries) in enumerate(zip(given, self.entries))]
        if all(p.ndim == 1 for p in parts):
            return np.concatenate(parts) if parts else np.empty(0)
        return np.concatenate([np.broadcast_to(p, (count, p.shape[-1])) for p in parts], axis=1)

    def _split(self, to_tables: Doubles) -> "list[Doubles]":
        return np.split(to_tables, np.cumsum(self.entries)[:-1], axis=1) if self.entries else []

    @staticmethod
    def _rows(array: Doubles, row: tuple[int, ...], count: int, name: str) -> Doubles:
        """Of one row for all pictures, or one for each."""
        if array.shape == row or array.shape == (count, *row):
            return array
        raise ValueError(f"{name} must be of shape {row}, or {(count, *row)} with one for each picture, not {array.shape}")


def _truth(truth: ArrayLike, shape: tuple[int, ...]) -> Labels:
    array = whole(truth, "truth")
    if array.shape != shape:
        raise ValueError(f"truth must be of the shape of unary, {shape}, not {array.shape}")
    if array.size and (int(array.min()) < 0 or int(array.max()) > 1):
        raise ValueError("truth must be 0 or 1; variables that do not count have loss 0")
    return np.ascontiguousarray(array, np.uint8)


def _numbers(keep: Optional[ArrayLike], count: int) -> Optional[npt.NDArray[np.uint64]]:
    if keep is None:
        return None
    each = numbers(keep, "keep", KEEP_MAX)
    if each.shape != (count,):
        raise ValueError(f"keep must have a number for each of {count} pictures, not shape {each.shape}")
    return each.astype(np.uint64) + np.uint64(1)


def _difference(truth: Optional[Labels], labels: Labels, dtype: Any) -> Floats:
    """By u_i the energy of y changes by y_i."""
    return labels.astype(dtype) if truth is None else np.subtract(truth, labels, dtype=dtype)


def hinge(unary: ArrayLike, truth: ArrayLike, energy: Optional[Energy] = None, *, patch: Optional[Sequence[int]] = None,
          table: Optional[Table] = None, weights: Optional[ArrayLike] = None, pairs: Optional[float] = None,
          connectivity: int = 1, loss: Optional[ArrayLike] = None, bits: int = 0, n_jobs: Optional[int] = None,
          progress: Progress = None) -> HingeResult:
    """The structured hinge loss of a batch of pictures and its subgradients, once; :class:`Hinge` for many times.

    unary, truth, weights, loss
        as of :class:`Hinge`: pictures x shape
    energy
        with the cliques; or what :meth:`Energy.grid` takes: patch, table, pairs and connectivity
    bits, n_jobs, progress
        as of calling a :class:`Hinge`

    >>> r = hinge(np.array([[[-1.0, 1], [0, 2]]]), np.array([[[1, 0], [1, 0]]]), table=lambda p: p.max() != p.min())
    >>> r.value, r.labels.tolist()
    (array([2.]), [[[0, 0], [0, 0]]])
    """
    if energy is not None and any(argument is not None for argument in (patch, table, pairs)):
        raise TypeError("patch, table and pairs go without an energy, which has its own cliques")
    if energy is None:
        shape = np.shape(unary)[1:]
        energy = Energy.grid((np.zeros(shape), np.zeros(shape)), patch, table, pairs=pairs, connectivity=connectivity)
    return Hinge(energy)(unary, truth, weights=weights, loss=loss, bits=bits, n_jobs=n_jobs, progress=progress)


def nearest_submodular(table: Table, shape: Sequence[int] = ()) -> Doubles:
    """The submodular table nearest to this one, in the sense of least squares: 2^k costs, as :func:`s3svm.table` orders them; table and
    shape are as there.  What is submodular comes back as it is.

    >>> nearest_submodular([0, 1, 1, 3]).round(9)
    array([-0.25,  1.25,  1.25,  2.75])
    """
    costs = as_table(table, shape)
    out = np.empty_like(costs)
    _s3svm.table_nearest(costs, out)
    return out
