"""Energies of two labels: E(y) = constant + sum_i u_i(y_i) + sum_C w_C f_C(y_C), every f_C submodular, every w_C >= 0."""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _s3svm
from ._arrays import ArrayLike, Doubles, Labels, Numbers, Path, content, doubles, index, integer, labels as as_labels, number, numbers
from ._arrays import optional_doubles, path_bytes, plain, shape_of, spread, whole, wrap
from ._errors import ArgumentError

FORMATS = {"auto": 0, "sos": 1, "uai": 2, "uai-energies": 3, "dimacs": 4, "multi": 5, "binary": 6}
DIFFER = np.array([0.0, 1.0, 1.0, 0.0])  # a pair costs 1 where its labels differ
FREE = 2  # SOS_FREE
MEMBERS_MAX: int = _s3svm.table_members_max()

Table = Union[int, ArrayLike, Callable[[npt.NDArray[np.uint8]], float]]


class Clique(NamedTuple):
    """A clique with a table: the variables, the number of the table, the weight."""

    variables: Numbers
    table: int
    weight: float


class Concave(NamedTuple):
    """A clique whose cost is a concave function of how many, or how much, is labelled 1."""

    variables: Numbers
    amounts: Optional[Doubles]
    place: Doubles
    value: Doubles
    weight: float


def table(f: Union[ArrayLike, Callable[[npt.NDArray[np.uint8]], float]], shape: Sequence[int] = ()) -> Doubles:
    """The 2^k costs of a clique of k members, in the library's order: entry S is the cost when exactly the members whose bit is
    set in S are labelled 1.

    f is one of

    - 2^k numbers in that order,
    - an array of shape (2,) * k: ``f[y0, y1, ...]`` is the cost of the labels y0, y1, ... of the members,
    - a function of the labels of the members, an array of the given shape.

    >>> table([[0, 1], [2, 0]])
    array([0., 2., 1., 0.])
    >>> table(lambda y: y.sum() * (2 - y.sum()), (2,))
    array([0., 1., 1., 0.])
    """
    if callable(f):
        k = math.prod(shape_of(shape))
        if k > MEMBERS_MAX:
            raise ArgumentError(f"a table has at most {MEMBERS_MAX} members, not {k}: it would have 2^{k} costs; cliques of any size can "
                                "have a function of the count (Energy.add_concave)")
        bits = (np.arange(1 << k)[:, None] >> np.arange(k)) & 1
        return np.array([float(f(y.reshape(tuple(shape)).astype(np.uint8))) for y in bits])
    costs = doubles(f, "table")
    if costs.ndim > 1:
        if costs.shape != (2,) * costs.ndim:
            raise ValueError(f"a table must have 2^k costs or shape (2, 2, ...), not {costs.shape}")
        costs = np.ascontiguousarray(costs.transpose()).reshape(-1)
    if costs.size < 2 or costs.size & (costs.size - 1):
        raise ValueError(f"a table must have 2^k costs, not {costs.size}")
    return costs


def grid_pairs(shape: Sequence[int], connectivity: int = 1) -> Numbers:
    """The pairs of neighbours in a grid of this shape, count x 2, numbered row by row.  connectivity says along how many axes neighbours may
    differ: in a picture 1 means 4 neighbours and 2 means 8; in a volume 1, 2 and 3 mean 6, 18 and 26.

    >>> grid_pairs((2, 2))
    array([[0, 1],
           [2, 3],
           [0, 2],
           [1, 3]], dtype=uint32)
    """
    return _pairs_of_steps(shape, _steps(len(tuple(shape)), connectivity))


def _pairs_of_steps(shape: Sequence[int], steps: "list[tuple[int, ...]]") -> Numbers:
    ids = np.arange(int(np.prod(tuple(shape), dtype=np.int64)), dtype=np.uint32).reshape(tuple(shape))
    pairs = []
    for step in steps:
        here = tuple(slice(max(0, -s), ids.shape[a] - max(0, s)) for a, s in enumerate(step))
        there = tuple(slice(max(0, s), ids.shape[a] - max(0, -s)) for a, s in enumerate(step))
        pairs.append(np.stack([ids[here].ravel(), ids[there].ravel()], axis=1))
    return np.concatenate(pairs) if pairs else np.zeros((0, 2), np.uint32)


def _steps(dimensions: int, connectivity: int) -> "list[tuple[int, ...]]":
    """Steps to half of the neighbours, those along one axis first, the last axis before others."""
    if not 1 <= connectivity <= dimensions:
        raise ValueError(f"connectivity must be from 1 to {dimensions}, not {connectivity}")
    steps = [tuple(int(s) for s in np.array(index) - 1) for index in np.ndindex(*(3,) * dimensions)]
    forward = [s for s in steps if s > (0,) * dimensions and sum(abs(a) for a in s) <= connectivity]
    return sorted(forward, key=lambda s: (sum(abs(a) for a in s), s))


class Energy:
    """An energy of n variables with two labels, all costs 0, no cliques.

    shape is their number, or the shape of a grid; labels then come in that shape.  One thread at a time may change an energy;
    any number may minimise it at once.

    >>> import s3svm
    >>> e = s3svm.Energy((2, 3))
    >>> e.set_unaries(np.array([[0, 0, 4], [0, 3, 4]]), np.array([[4, 4, 0], [4, 2, 0]]))
    >>> e.add_patches([0, 1, 1, 0], (1, 2))
    >>> e
    Energy of 2 x 3 variables, 4 cliques with 1 table
    >>> s3svm.minimize(e).labels
    array([[0, 0, 1],
           [0, 1, 1]], dtype=uint8)
    """

    def __init__(self, shape: Union[int, Sequence[int]]):
        self._shape = shape_of(shape)
        self._handle = _s3svm.energy_create(math.prod(self._shape))
        self._differ: Optional[int] = None

    # ---- making one ----

    @classmethod
    def grid(cls, unary: Any, patch: Optional[Sequence[int]] = None, table: Optional[Table] = None,
             weights: Optional[ArrayLike] = None, *, pairs: Optional[float] = None, connectivity: int = 1) -> "Energy":
        """The energy of a grid of one, two or three dimensions.

        unary
            shape + (2,): what the two labels of each variable cost; or two arrays (cost0, cost1), which are not copied.
        patch, table, weights
            one table over all patches of this shape, (2, 2) or (2, 2, 2) unless given; see :meth:`add_patches`.
        pairs, connectivity
            what neighbours with different labels cost, and which are neighbours (:func:`grid_pairs`).

        >>> noisy = np.array([[0.1, 0.2, 0.9], [0.3, 0.6, 0.8], [0.1, 0.3, 0.7]])
        >>> e = Energy.grid((noisy ** 2, (1 - noisy) ** 2), table=lambda p: 0.2 * (p.max() != p.min()))
        >>> e.minimize().labels
        array([[0, 0, 1],
               [0, 0, 1],
               [0, 0, 1]], dtype=uint8)
        """
        cost0, cost1 = _two_costs(unary)
        if cost0.ndim not in (1, 2, 3):
            raise ValueError(f"a grid has one, two or three dimensions, not {cost0.ndim}")
        energy = cls(cost0.shape)
        _s3svm.energy_set_unaries(energy._handle, cost0, cost1)
        if table is not None:
            energy.add_patches(table, patch if patch is not None else (2,) * cost0.ndim, weights)
        elif patch is not None or weights is not None:
            raise ValueError("patches need a table")
        if pairs is not None:
            energy.add_grid_pairs(pairs, connectivity)
        return energy

    def copy(self) -> "Energy":
        """A copy that shares nothing."""
        return self._of(_s3svm.energy_copy(self._handle), self._shape, self._differ)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Energy":
        return self.copy()

    @classmethod
    def _of(cls, handle: Any, shape: Optional[tuple[int, ...]], differ: Optional[int] = None) -> "Energy":
        energy = cls.__new__(cls)
        energy._handle = handle
        energy._shape = shape if shape is not None else (_s3svm.energy_counts(handle)["variables"],)
        energy._differ = differ
        return energy

    def __reduce__(self) -> Any:
        return _restore_energy, (self.to_bytes(), self._shape)

    # ---- costs of variables ----

    def add_constant(self, cost: float) -> None:
        """Adds to the constant term."""
        _s3svm.energy_add_constant(self._handle, cost)

    def set_unaries(self, cost0: Any, cost1: Optional[ArrayLike] = None) -> None:
        """Sets what the labels of all variables cost: two arrays, or one whose last axis has the two."""
        first, second = _two_costs(cost0 if cost1 is None else (cost0, cost1))
        if first.shape != self._shape and first.shape != (self.variables,):
            raise ValueError(f"unaries must be of shape {self._shape}, not {first.shape}")
        _s3svm.energy_set_unaries(self._handle, first, second)

    def set_unary(self, variable: Any, cost0: float, cost1: float) -> None:
        """Sets what the labels of one variable cost: its number, or its place in the grid."""
        _s3svm.energy_set_unary(self._handle, self._number(variable), cost0, cost1)

    @property
    def unaries(self) -> Doubles:
        """What the labels of all variables cost: shape + (2,), a copy."""
        out = np.empty(self._shape + (2,))
        _s3svm.energy_unaries(self._handle, out)
        return out

    def fix(self, labels: Any, label: Optional[int] = None) -> None:
        """Fixes variables: ``fix(variable, label)`` one of them, ``fix(labels)`` all of them, with -1 for those that are free;
        ``fix(None)`` frees all, and ``fix(variable, -1)`` one."""
        if label is not None:
            wanted_one = integer(label, "label")
            if wanted_one not in (-1, 0, 1):
                raise ArgumentError(f"label must be 0, 1, or -1 for a variable that is free, not {wanted_one}")
            _s3svm.energy_fix(self._handle, self._number(labels), FREE if wanted_one == -1 else wanted_one)
            return
        if labels is None:
            _s3svm.energy_fix_all(self._handle, None)
            return
        wanted = whole(labels, "labels")
        if wanted.dtype.kind != "i" and wanted.dtype.kind != "b" and wanted.size and int(wanted.max()) > 1:
            raise ValueError("labels must be 0, 1, or -1 for variables that are free")
        wanted = np.where(wanted == -1, FREE, np.where((wanted == 0) | (wanted == 1), wanted, -1))
        if (wanted < 0).any():
            raise ValueError("labels must be 0, 1, or -1 for variables that are free")
        _s3svm.energy_fix_all(self._handle, as_labels(wanted, self._shape, 3))

    @property
    def fixed(self) -> npt.NDArray[np.int8]:
        """The labels that variables are fixed to; -1 for those that are free."""
        out = np.empty(self._shape, dtype=np.uint8)
        _s3svm.energy_fixed(self._handle, out)
        return np.where(out == FREE, -1, out).astype(np.int8)

    # ---- cliques with tables ----

    def add_table(self, f: Table, shape: Sequence[int] = ()) -> int:
        """Adds a table (see :func:`table`); returns its number.  It must be submodular."""
        costs = table(f, shape)
        return _s3svm.energy_add_table(self._handle, int(costs.size).bit_length() - 1, costs)

    def set_table(self, number: int, f: Table, shape: Sequence[int] = ()) -> None:
        """Replaces the costs of a table; its cliques follow."""
        _s3svm.energy_set_table(self._handle, index(number, self.tables, "table"), table(f, shape))

    def table(self, number: int) -> Doubles:
        """The 2^k costs of a table, a copy."""
        return wrap(_s3svm.energy_table(self._handle, index(number, self.tables, "table")), np.float64)

    def add_cliques(self, table: Table, variables: ArrayLike, weights: Optional[ArrayLike] = None) -> int:
        """Adds cliques, one for each row of variables (count x k), whose members are bits 0, 1, ... of the table.

        table is the number of a table, or the costs of a new one; the number is returned.  weights, one for each clique or one
        for all, scale the table.

        >>> e = Energy(4)
        >>> e.add_cliques([0, 1, 1, 1, 1, 1, 1, 0], [[0, 1, 2], [1, 2, 3]], weights=[1, 2])
        0
        """
        members = self._members(variables)
        number = self._table_number(table, (members.shape[1],))
        _s3svm.energy_add_cliques(self._handle, number, members.shape[0], members,
                                  spread(weights, (members.shape[0],), "weights"))
        return number

    def add_listed(self, tables: ArrayLike, variables: ArrayLike, weights: Optional[ArrayLike] = None) -> None:
        """Adds cliques of one size with a table each: tables has a number for each row of variables."""
        members = self._members(variables)
        each = numbers(tables, "tables", max(1, self.tables))
        if each.shape != (members.shape[0],):
            raise ValueError(f"tables must be of shape {(members.shape[0],)}, not {each.shape}")
        _s3svm.energy_add_listed(self._handle, members.shape[1], each, members,
                                 spread(weights, (members.shape[0],), "weights"))

    def add_pairs(self, pairs: ArrayLike, weights: Optional[ArrayLike] = None) -> None:
        """Adds pairs (count x 2) that cost their weight where the two labels differ."""
        self.add_cliques(self._differ_table(), pairs, weights)

    def add_patches(self, table: Table, patch: Sequence[int], weights: Optional[ArrayLike] = None) -> None:
        """Adds a clique for every patch of this shape in the grid; its members are numbered row by row.  weights has one for
        each patch, in the shape of the grid of patches, or is one number."""
        shape = shape_of(patch)
        if len(shape) != len(self._shape) or len(shape) > 3 or min(shape, default=0) < 1:
            raise ValueError(f"a patch of {len(self._shape)} sides from 1 on is needed, at most 3, not {shape}")
        places = tuple(max(0, n - p + 1) for n, p in zip(self._shape, shape))
        number = self._table_number(table, shape)
        _s3svm.energy_add_patches(self._handle, number, _volume(self._shape), _volume(shape), spread(weights, places, "weights"))

    def add_grid_pairs(self, weight: float = 1.0, connectivity: int = 1) -> None:
        """Adds all pairs of neighbours in the grid, which cost weight where their labels differ (:func:`grid_pairs`)."""
        cost = number(weight, "pairs", "; Energy.add_pairs takes a weight for each pair")
        if not 0 <= cost < math.inf:
            raise ValueError(f"a weight must be finite and not negative: {cost}")
        differ = self.add_table(cost * DIFFER)
        if len(self._shape) > 3:
            self.add_cliques(differ, grid_pairs(self._shape, connectivity))
            return
        steps = _steps(len(self._shape), connectivity)
        for step in steps[:len(self._shape)]:  # along the axes pairs are patches, which need no lists
            self.add_patches(differ, tuple(1 + abs(s) for s in step))
        if len(steps) > len(self._shape):
            self.add_cliques(differ, _pairs_of_steps(self._shape, steps[len(self._shape):]))

    def set_weights(self, first: int, weights: ArrayLike) -> None:
        """Sets the weights of cliques of one size, from clique number first on."""
        _s3svm.energy_set_weights(self._handle, index(first, self.cliques, "clique"), doubles(weights, "weights"), False)

    def clique(self, i: int) -> Clique:
        """Clique i; they are numbered by size, then in the order added."""
        variables, weight, number = _s3svm.energy_clique(self._handle, index(i, self.cliques, "clique"))
        return Clique(wrap(variables, np.uint32), number, weight)

    # ---- cliques that count ----

    def add_concave(self, variables: ArrayLike, g: ArrayLike, weight: float = 1.0) -> int:
        """Adds a clique of any size k that costs weight * g[number of members labelled 1]; g has k + 1 costs and is concave.
        Returns its number.

        >>> e = Energy(100)
        >>> e.add_concave(range(100), np.minimum(np.arange(101), 100 - np.arange(101)))
        0
        """
        members = numbers(np.asarray(variables), "variables", max(1, self.variables)).reshape(-1)
        _s3svm.energy_add_concave(self._handle, members, doubles(g, "g").reshape(-1), weight)
        return self.concaves - 1

    def add_pieces(self, variables: ArrayLike, place: ArrayLike, value: ArrayLike, amounts: Optional[ArrayLike] = None,
                   weight: float = 1.0) -> int:
        """Adds a clique that costs weight * F(A), A being the sum of the amounts of the members labelled 1 (1 each unless
        given).  F is linear between its values at the places, from 0 to the sum of the amounts, and concave.  Returns its
        number."""
        members = numbers(np.asarray(variables), "variables", max(1, self.variables)).reshape(-1)
        _s3svm.energy_add_pieces(self._handle, members, optional_doubles(amounts, "amounts"), doubles(place, "place"),
                                 doubles(value, "value"), weight)
        return self.concaves - 1

    def set_pieces(self, concave: int, value: ArrayLike) -> None:
        """Replaces the values of a concave clique at its knots."""
        _s3svm.energy_set_pieces(self._handle, index(concave, self.concaves, "concave clique"), doubles(value, "value").reshape(-1))

    def set_concave_weights(self, first: int, weights: ArrayLike) -> None:
        """Sets the weights of concave cliques, from number first on."""
        _s3svm.energy_set_weights(self._handle, index(first, self.concaves, "concave clique"), doubles(weights, "weights"), True)

    def concave(self, i: int) -> Concave:
        """Concave clique i, in the order added."""
        variables, weight, amounts, place, value = _s3svm.energy_concave(self._handle, index(i, self.concaves, "concave clique"))
        values = wrap(value, np.float64)
        return Concave(wrap(variables, np.uint32), None if amounts is None else wrap(amounts, np.float64),
                       np.arange(len(values), dtype=np.float64) if place is None else wrap(place, np.float64), values, weight)

    # ---- what there is ----

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def variables(self) -> int:
        return int(_s3svm.energy_counts(self._handle)["variables"])

    @property
    def cliques(self) -> int:
        """How many cliques have tables."""
        return int(_s3svm.energy_counts(self._handle)["cliques"])

    @property
    def tables(self) -> int:
        return int(_s3svm.energy_counts(self._handle)["tables"])

    @property
    def concaves(self) -> int:
        """How many cliques count."""
        return int(_s3svm.energy_counts(self._handle)["concaves"])

    @property
    def nbytes(self) -> int:
        return int(_s3svm.energy_counts(self._handle)["bytes"])

    @property
    def constant(self) -> float:
        return float(_s3svm.energy_counts(self._handle)["constant"])

    def value(self, labels: ArrayLike) -> float:
        """E(labels), by the definition: independent of how minima are found."""
        return _s3svm.energy_value(self._handle, as_labels(labels, self._shape, 2))

    def minimize(self, **settings: Any) -> Any:
        """:func:`s3svm.minimize` of this energy."""
        from ._minimize import minimize

        return minimize(self, **settings)

    def __len__(self) -> int:
        return self.variables

    def __repr__(self) -> str:
        c = _s3svm.energy_counts(self._handle)
        parts = [f"{_plural(c['cliques'], 'clique')} with {_plural(c['tables'], 'table')}"] if c["cliques"] else []
        parts += [f"{_plural(c['concaves'], 'concave clique')}"] if c["concaves"] else []
        sides = " x ".join(str(s) for s in self._shape)
        return f"Energy of {sides} variables" + "".join(", " + p for p in parts)

    # ---- files ----

    @classmethod
    def read(cls, path: Path, format: str = "auto", shape: Optional[Sequence[int]] = None) -> "Energy":
        """Reads a file: .sos, UAI MARKOV or DIMACS maximum flow.  shape, if given, is that of a grid."""
        return cls._shaped(_s3svm.energy_read(path_bytes(path), _format(format)), shape)

    @classmethod
    def from_bytes(cls, text: bytes, format: str = "auto", shape: Optional[Sequence[int]] = None) -> "Energy":
        """The same from memory."""
        return cls._shaped(_s3svm.energy_parse(content(text), "text", _format(format)), shape)

    @classmethod
    def _shaped(cls, handle: Any, shape: Optional[Sequence[int]]) -> "Energy":
        energy = cls._of(handle, None)
        if shape is not None:
            sides = shape_of(shape)
            if math.prod(sides) != energy.variables:
                raise ValueError(f"shape {sides} does not hold {energy.variables} variables")
            energy._shape = sides
        return energy

    def write(self, path: Path, format: str = "auto") -> None:
        """Writes a file; unless said the format is that of the ending: .sos, .sosb, .uai or .max."""
        _s3svm.energy_write(self._handle, path_bytes(path), _format(format))

    def to_bytes(self, format: str = "sos") -> bytes:
        """The same into memory."""
        return _s3svm.energy_text(self._handle, _format(format))

    # ---- inside ----

    def _number(self, variable: Any) -> int:
        if isinstance(variable, tuple):
            return int(np.ravel_multi_index(variable, self._shape))
        return index(variable, self.variables, "variable")

    def _members(self, variables: ArrayLike) -> Numbers:
        members = numbers(variables, "variables", max(1, self.variables))
        if members.size == 0:
            members = members.reshape(0, members.shape[-1] if members.ndim == 2 else 1)
        if members.ndim != 2:
            raise ValueError(f"variables must be count x k, not of {members.ndim} dimensions")
        return members

    def _table_number(self, f: Table, shape: tuple[int, ...]) -> int:
        if isinstance(f, (int, np.integer)) and not isinstance(f, bool):
            return index(f, self.tables, "table")
        costs = table(f, shape)
        k = int(np.prod(shape))
        if costs.size != 1 << k:
            raise ValueError(f"a table of {k} members has {1 << k} costs, not {costs.size}")
        return self.add_table(costs)

    def _differ_table(self) -> int:
        if self._differ is None:
            self._differ = self.add_table(DIFFER)
        return self._differ


def _restore_energy(text: bytes, shape: tuple[int, ...]) -> Energy:
    return Energy.from_bytes(text, "sos", shape)


def _two_costs(unary: Any) -> tuple[Doubles, Doubles]:
    if isinstance(unary, tuple) and len(unary) == 2:
        cost0, cost1 = doubles(unary[0], "cost0"), doubles(unary[1], "cost1")
        if cost0.shape != cost1.shape:
            raise ValueError(f"the costs of label 0 and 1 differ in shape: {cost0.shape} and {cost1.shape}")
        return cost0, cost1
    costs = plain(unary, "unary")
    if costs.dtype.kind not in "fiub":
        raise TypeError(f"unary must be real numbers, not {costs.dtype}")
    if costs.ndim < 2 or costs.shape[-1] != 2:
        raise ValueError(f"unary must have the costs of two labels in its last axis, not shape {costs.shape}")
    return (np.ascontiguousarray(costs[..., 0], dtype=np.float64), np.ascontiguousarray(costs[..., 1], dtype=np.float64))


def _volume(sides: Sequence[int]) -> tuple[int, int, int]:
    """(width, height, depth) of up to three sides whose last is the width."""
    depth, height, width = (1, 1, 1, *sides)[-3:]
    return width, height, depth


def _format(name: str) -> int:
    if name not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {name!r}")
    return FORMATS[name]


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
