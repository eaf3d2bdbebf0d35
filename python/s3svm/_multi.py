"""Energies with several labels, and expansion moves."""

from __future__ import annotations

import math
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _s3svm
from ._arrays import ArrayLike, Doubles, Labels, Numbers, Path, content, doubles, index, integer, labels as as_labels, number, numbers
from ._arrays import optional_doubles, path_bytes, shape_of, spread, wrap
from ._display import label_png
from ._energy import Clique, _plural, _volume, grid_pairs, table
from ._errors import Cancelled
from ._progress import Progress, watched
from ._regions import Regions, region_lists

_Found = TypeVar("_Found")
Tables = Union[int, ArrayLike, Callable[[npt.NDArray[np.uint8]], float]]


class MultiEnergy:
    """An energy of variables with several labels: E(y) = constant + sum_i u_i(y_i) + sum_C w_C sum_l g_l(members labelled l),
    every g_l submodular, every w_C >= 0.  shape is the number of variables, or that of a grid; labels, how many labels there are.

    >>> e = MultiEnergy.grid(np.array([[[0, 1, 2], [1, 0, 1], [3, 1, 0]]]), potts=0.75)
    >>> e
    MultiEnergy of 1 x 3 variables with 3 labels, 2 cliques
    >>> expand(e).labels
    array([[0, 1, 2]], dtype=uint8)
    """

    def __init__(self, shape: Union[int, Sequence[int]], labels: int):
        self._shape = shape_of(shape)
        self._handle = _s3svm.multi_create(math.prod(self._shape), integer(labels, "labels"))

    @classmethod
    def grid(cls, unary: ArrayLike, patch: Optional[Sequence[int]] = None, tables: Optional[Tables] = None,
             weights: Optional[ArrayLike] = None, *, potts: Optional[float] = None, connectivity: int = 1) -> "MultiEnergy":
        """The energy of a grid of one, two or three dimensions: unary is shape + (labels,), what each label of each variable
        costs; tables over all patches (:meth:`add_patches`); potts, what neighbours with different labels cost."""
        costs = doubles(unary, "unary")
        if costs.ndim not in (2, 3, 4):
            raise ValueError(f"unary must be of shape grid + (labels,), not {costs.shape}")
        energy = cls(costs.shape[:-1], costs.shape[-1])
        energy.set_unaries(costs)
        if tables is not None:
            energy.add_patches(tables, patch if patch is not None else (2,) * (costs.ndim - 1), weights)
        elif patch is not None or weights is not None:
            raise ValueError("patches need tables")
        if potts is not None:
            energy.add_grid_pairs(potts, connectivity)
        return energy

    @classmethod
    def _of(cls, handle: Any, shape: Optional[Sequence[int]]) -> "MultiEnergy":
        energy = cls.__new__(cls)
        energy._handle = handle
        n = int(_s3svm.multi_counts(handle)["variables"])
        energy._shape = (n,) if shape is None else shape_of(shape)
        if math.prod(energy._shape) != n:
            raise ValueError(f"shape {energy._shape} does not hold {n} variables")
        return energy

    def copy(self) -> "MultiEnergy":
        """A copy that shares nothing."""
        return self._of(_s3svm.multi_copy(self._handle), self._shape)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "MultiEnergy":
        return self.copy()

    def __reduce__(self) -> Any:
        return _restore_multi, (self.to_bytes(), self._shape)

    # ---- costs of variables ----

    def add_constant(self, cost: float) -> None:
        """Adds to the constant term."""
        _s3svm.multi_add_constant(self._handle, cost)

    def set_unaries(self, unary: ArrayLike) -> None:
        """Sets what the labels of all variables cost: shape + (labels,)."""
        costs = doubles(unary, "unary")
        if costs.shape not in (self._shape + (self.labels,), (self.variables, self.labels)):
            raise ValueError(f"unary must be of shape {self._shape + (self.labels,)}, not {costs.shape}")
        _s3svm.multi_set_unaries(self._handle, costs)

    def set_unary(self, variable: Any, costs: ArrayLike) -> None:
        """Sets what the labels of one variable cost: its number, or its place in the grid."""
        place = int(np.ravel_multi_index(variable, self._shape)) if isinstance(variable, tuple) else variable
        _s3svm.multi_set_unary(self._handle, index(place, self.variables, "variable"), doubles(costs, "costs"))

    @property
    def unaries(self) -> Doubles:
        """What the labels of all variables cost, a copy."""
        out = np.empty(self._shape + (self.labels,))
        _s3svm.multi_unaries(self._handle, out)
        return out

    # ---- cliques with tables ----

    def add_tables(self, g: Tables, shape: Sequence[int] = ()) -> int:
        """Adds a set of tables, one per label: labels x 2^k costs; row l is the table of the members labelled l.  One table
        (see :func:`table`) serves for all labels.  Returns its number."""
        return self._add_tables(self._tables_of(g, shape))

    def _add_tables(self, costs: Doubles) -> int:
        return _s3svm.multi_add_tables(self._handle, int(costs.shape[1]).bit_length() - 1, costs)

    def set_tables(self, number: int, g: Tables, shape: Sequence[int] = ()) -> None:
        """Replaces the costs of a set of tables; its cliques follow."""
        _s3svm.multi_set_tables(self._handle, number, self._tables_of(g, shape))

    def tables(self, number: int) -> Doubles:
        """The costs of a set of tables, labels x 2^k, a copy."""
        return wrap(_s3svm.multi_tables(self._handle, number), np.float64).reshape(self.labels, -1)

    def add_cliques(self, tables: Tables, variables: ArrayLike, weights: Optional[ArrayLike] = None) -> int:
        """Adds cliques, one for each row of variables; tables is the number of a set, or the costs of a new one.  Returns its
        number."""
        members = self._members(variables)
        number = self._set_number(tables, (members.shape[1],))
        _s3svm.multi_add_cliques(self._handle, number, members.shape[0], members,
                                 spread(weights, (members.shape[0],), "weights"))
        return number

    def add_patches(self, tables: Tables, patch: Sequence[int], weights: Optional[ArrayLike] = None) -> int:
        """Adds a clique for every patch of this shape in the grid.  Returns the number of the set of tables."""
        shape = tuple(int(p) for p in patch)
        if len(shape) != len(self._shape) or len(shape) > 3 or min(shape, default=0) < 1:
            raise ValueError(f"a patch of {len(self._shape)} sides from 1 on is needed, at most 3, not {shape}")
        places = tuple(max(0, n - p + 1) for n, p in zip(self._shape, shape))
        number = self._set_number(tables, shape)
        _s3svm.multi_add_patches(self._handle, number, _volume(self._shape), _volume(shape), spread(weights, places, "weights"))
        return number

    def add_potts(self, pairs: ArrayLike, strengths: Optional[ArrayLike] = None) -> None:
        """Adds pairs (count x 2) that cost their strength (1 unless given) where the two labels differ."""
        members = self._members(pairs)
        if members.size and members.shape[1] != 2:
            raise ValueError(f"pairs must be count x 2, not {members.shape}")
        _s3svm.multi_add_potts(self._handle, members.shape[0], members, spread(strengths, (members.shape[0],), "strengths"))

    def add_grid_pairs(self, strength: float = 1.0, connectivity: int = 1) -> None:
        """Adds all pairs of neighbours in the grid (:func:`grid_pairs`)."""
        cost = number(strength, "potts", "; costs that depend on the labels are tables (MultiEnergy.add_tables)")
        if not 0 <= cost < math.inf:
            raise ValueError(f"a strength must be finite and not negative: {cost}")
        self.add_potts(grid_pairs(self._shape, connectivity), cost)

    def set_weights(self, first: int, weights: ArrayLike) -> None:
        """Sets the weights of cliques of one size, from clique number first on."""
        _s3svm.multi_set_weights(self._handle, first, doubles(weights, "weights"), False)

    def clique(self, i: int) -> Clique:
        """Clique i with tables; its table is the number of its set."""
        variables, weight, tables = _s3svm.multi_clique(self._handle, index(i, self.cliques, "clique"))
        return Clique(wrap(variables, np.uint32), tables, weight)

    # ---- cliques that count ----

    def add_counts(self, variables: ArrayLike, g: ArrayLike, weight: float = 1.0) -> None:
        """Adds a clique that costs weight * sum_l g[l, number of members labelled l]: labels x (k + 1) costs, concave in each
        row."""
        members = self._member_list(variables)
        costs = doubles(g, "g")
        if costs.ndim == 1:
            costs = np.ascontiguousarray(np.broadcast_to(costs, (self.labels, costs.size)))
        _s3svm.multi_add_counts(self._handle, members, costs, weight)

    def add_pieces(self, variables: ArrayLike, place: ArrayLike, value: ArrayLike, amounts: Optional[ArrayLike] = None,
                   weight: float = 1.0) -> None:
        """Adds a clique that costs weight * sum_l F_l(amount that takes label l); value is labels x knots, F_l at the
        places."""
        _s3svm.multi_add_pieces(self._handle, self._member_list(variables), optional_doubles(amounts, "amounts"),
                                doubles(place, "place"), doubles(value, "value"), weight)

    def add_pn(self, variables: ArrayLike, most: float = 1.0, agree: Optional[ArrayLike] = None, weight: float = 1.0) -> None:
        """P^n Potts: a clique that costs agree[l] (0 unless given) where all members take label l, most otherwise."""
        self._add_robust(variables, most, agree, None, weight)

    def add_robust(self, variables: ArrayLike, reach: ArrayLike, most: float = 1.0, agree: Optional[ArrayLike] = None,
                   weight: float = 1.0) -> None:
        """Robust P^n: agree[l] where all members take label l, growing in a straight line to most where reach of them, a number
        of members for each label or one for all, do not."""
        self._add_robust(variables, most, agree, spread(reach, (self.labels,), "reach"), weight)

    def _add_robust(self, variables: ArrayLike, most: float, agree: Optional[ArrayLike], reach: Optional[Doubles],
                    weight: float) -> None:
        agreed = np.zeros(self.labels) if agree is None else spread(agree, (self.labels,), "agree")
        _s3svm.multi_add_robust(self._handle, self._member_list(variables), agreed, reach, most, weight)

    def set_count_weights(self, first: int, weights: ArrayLike) -> None:
        """Sets the weights of cliques that count, from number first on."""
        _s3svm.multi_set_weights(self._handle, first, doubles(weights, "weights"), True)

    # ---- what there is ----

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def labels(self) -> int:
        return int(_s3svm.multi_counts(self._handle)["labels"])

    @property
    def variables(self) -> int:
        return int(_s3svm.multi_counts(self._handle)["variables"])

    @property
    def cliques(self) -> int:
        """How many cliques have tables."""
        return int(_s3svm.multi_counts(self._handle)["cliques"])

    @property
    def counts(self) -> int:
        """How many cliques count."""
        return int(_s3svm.multi_counts(self._handle)["counts"])

    @property
    def nbytes(self) -> int:
        return int(_s3svm.multi_counts(self._handle)["bytes"])

    @property
    def constant(self) -> float:
        return float(_s3svm.multi_counts(self._handle)["constant"])

    def value(self, labels: ArrayLike) -> float:
        """E(labels), by the definition."""
        return _s3svm.multi_value(self._handle, as_labels(labels, self._shape, self.labels))

    def lower_bound(self) -> float:
        """No labelling costs less."""
        return _s3svm.multi_lower_bound(self._handle)

    def expand(self, **settings: Any) -> "Expansion":
        """:func:`s3svm.expand` of this energy."""
        return expand(self, **settings)

    def relax(self, labels: Optional[ArrayLike] = None, *, rounds: int = 200, gap: float = 1e-9, threads: int = 0,
              progress: Progress = None) -> "Relaxation":
        """How good are labels?  A lower bound by relaxation: every label chooses its variables for itself, exactly, at prices
        that change from round to round until few are wanted by several labels or by none.

        labels
            whose energy to compare with; else those of :meth:`expand`.  What is found on the way replaces them if it costs less.
        rounds, gap
            at most so many; it ends where energy - lower_bound <= gap * abs(energy).

        A callback that returns False raises :class:`Cancelled`, whose ``result`` is what was reached.

        >>> MultiEnergy.grid(np.array([[0.0, 3, 3], [1, 0, 3], [3, 3, 0]]), potts=2).relax().exact
        True
        """
        if labels is None:
            labels = self.expand().labels
        out = np.array(as_labels(labels, self._shape, self.labels)).reshape(self._shape)
        with watched(progress) as callback:
            r = _s3svm.relax(self._handle, out, (int(rounds), float(gap), int(threads)), callback)
        found = Relaxation(out, r["energy"], r["lower_bound"], r["exact"], r["rounds"], r["seconds"])
        return _reached(found, r)

    def __len__(self) -> int:
        return self.variables

    def __repr__(self) -> str:
        c = _s3svm.multi_counts(self._handle)
        sides = " x ".join(str(s) for s in self._shape)
        text = f"MultiEnergy of {sides} variables with {c['labels']} labels, {_plural(c['cliques'], 'clique')}"
        return text + (f", {_plural(c['counts'], 'clique')} that count" if c["counts"] else "")

    # ---- files ----

    @classmethod
    def read(cls, path: Path, shape: Optional[Sequence[int]] = None) -> "MultiEnergy":
        """Reads a file ("sosmulti")."""
        return cls._of(_s3svm.multi_read(path_bytes(path)), shape)

    @classmethod
    def from_bytes(cls, text: bytes, shape: Optional[Sequence[int]] = None) -> "MultiEnergy":
        return cls._of(_s3svm.multi_parse(content(text), "text"), shape)

    def write(self, path: Path) -> None:
        _s3svm.multi_write(self._handle, path_bytes(path))

    def to_bytes(self) -> bytes:
        return _s3svm.multi_text(self._handle)

    # ---- inside ----

    def _members(self, variables: ArrayLike) -> Numbers:
        members = numbers(variables, "variables", max(1, self.variables))
        if members.size == 0:
            members = members.reshape(0, members.shape[-1] if members.ndim == 2 else 1)
        if members.ndim != 2:
            raise ValueError(f"variables must be count x k, not of {members.ndim} dimensions")
        return members

    def _member_list(self, variables: ArrayLike) -> Numbers:
        return numbers(np.asarray(variables), "variables", max(1, self.variables)).reshape(-1)

    def _tables_of(self, g: Tables, shape: Sequence[int]) -> Doubles:
        if not callable(g):
            costs = doubles(g, "tables")
            alone = len(shape) > 0 and math.prod(shape) == 1  # of one member: (2, 2) is no table of a pair
            if costs.ndim == 2 and costs.shape[0] == self.labels and (costs.shape != (2, 2) or alone):
                return costs
        one = table(g, shape)
        return np.ascontiguousarray(np.broadcast_to(one, (self.labels, one.size)))

    def _set_number(self, g: Tables, shape: tuple[int, ...]) -> int:
        if isinstance(g, (int, np.integer)) and not isinstance(g, bool):
            return int(g)
        costs = self._tables_of(g, shape)
        if costs.shape[1] != 1 << int(np.prod(shape)):
            raise ValueError(f"tables of {int(np.prod(shape))} members have {1 << int(np.prod(shape))} costs, "
                             f"not {costs.shape[1]}")
        return self._add_tables(costs)


class Relaxation(NamedTuple):
    """What :meth:`MultiEnergy.relax` found: labels that cost energy, where none cost less than lower_bound."""

    labels: Labels
    energy: float
    lower_bound: float
    exact: bool
    rounds: int
    seconds: float


def _reached(found: _Found, result: Mapping[str, Any]) -> _Found:
    """What was found, or an error that has it where the callback stopped the work."""
    if result["cancelled"]:
        cancelled = Cancelled("the callback returned False")
        cancelled.result = found
        raise cancelled
    return found


def _restore_multi(text: bytes, shape: tuple[int, ...]) -> MultiEnergy:
    return MultiEnergy.from_bytes(text, shape)


class Expansion:
    """What expansion moves found.

    labels
        in the shape of the energy
    energy, start_energy, lower_bound
        what the labels cost, what those it started from cost, and what no labelling costs less than
    factor
        energy - lower_bound <= factor * (minimum - lower_bound), if converged; infinite: nothing is guaranteed
    converged, exact
        whether no expansion lowers the energy; whether the labels are a minimum
    statistics
        sweeps, moves, those that lowered the energy, and how long it took
    """

    __slots__ = ("labels", "energy", "start_energy", "lower_bound", "factor", "rounding", "converged", "exact", "statistics")

    def __init__(self, labels: Labels, result: Mapping[str, Any]):
        self.labels = labels
        self.energy: float = result["energy"]
        self.start_energy: float = result["start_energy"]
        self.lower_bound: float = result["lower_bound"]
        self.factor: float = result["factor"]
        self.rounding: float = result["rounding"]
        self.converged: bool = result["converged"]
        self.exact: bool = result["exact"]
        names = ("sweeps", "moves", "successes", "skipped", "variables", "bytes", "seconds")
        self.statistics: dict[str, Any] = {name: result[name] for name in names}

    @property
    def seconds(self) -> float:
        return float(self.statistics["seconds"])

    def __array__(self, dtype: Any = None) -> Any:
        return self.labels if dtype is None else self.labels.astype(dtype)

    def __repr__(self) -> str:
        state = "a minimum" if self.exact else "no expansion lowers it" if self.converged else "not converged"
        return (f"Expansion: energy {self.energy:.10g}, {state}, lower bound {self.lower_bound:.10g}, "
                f"{self.statistics['successes']} of {self.statistics['moves']} moves helped, {1e3 * self.seconds:.2f} ms")

    def _repr_png_(self) -> Optional[bytes]:
        return label_png(self.labels)


def expand(energy: Any, *, potts: Optional[float] = None, connectivity: int = 1, start: Optional[ArrayLike] = None,
           order: Optional[ArrayLike] = None, shuffle: bool = False, seed: int = 0, sweeps: int = 0, reduce: bool = True,
           bits: int = 0, memory_limit: int = 0, progress: Progress = None) -> Expansion:
    """Lowers an energy with several labels by expansion moves, each the exact best of its kind, until none helps.

    energy
        a :class:`MultiEnergy`; or the unaries of a grid, shape + (labels,), with potts and connectivity.
    start
        labels to start from; else every variable starts with the label that costs it least.
    order, shuffle, seed
        the labels in the order they are tried; another order for every sweep.
    sweeps
        over all labels, at most; 0: until nothing changes.
    reduce, bits, memory_limit, progress
        as of :func:`minimize`.

    A callback that returns False raises :class:`Cancelled`, whose ``result`` is what
    was reached.

    >>> expand(np.array([[0.0, 3, 3], [1, 0, 3], [3, 3, 0]]), potts=2).labels
    array([0, 0, 2], dtype=uint8)
    """
    if not isinstance(energy, MultiEnergy):
        energy = MultiEnergy.grid(energy, potts=potts, connectivity=connectivity)
    elif potts is not None:
        raise TypeError("potts goes with unaries; a MultiEnergy has its own cliques")
    if bits not in (0, 32):
        raise ValueError(f"bits must be 0 or 32, not {bits}")
    if start is None:
        out = np.empty(energy.shape, dtype=np.uint8)
    else:
        out = np.array(as_labels(start, energy.shape, energy.labels, "start")).reshape(energy.shape)
    tried = None if order is None else as_labels(order, (energy.labels,), energy.labels, "order")
    settings = (start is not None, bool(shuffle), int(seed), int(sweeps), bool(reduce), int(bits), int(memory_limit))
    with watched(progress) as callback:
        result = _s3svm.expand(energy._handle, out, settings, tried, callback)
    expansion = Expansion(out, result)
    return _reached(expansion, result)


def potts(unary: ArrayLike, strength: float = 1.0, connectivity: int = 1) -> MultiEnergy:
    """The Potts energy of a grid: unary is shape + (labels,), neighbours (connectivity as of :func:`grid_pairs`) with different labels cost
    strength.

    >>> potts(np.zeros((3, 4, 5)))
    MultiEnergy of 3 x 4 variables with 5 labels, 17 cliques
    """
    return MultiEnergy.grid(unary, potts=strength, connectivity=connectivity)


def pn_potts(unary: ArrayLike, regions: Regions, most: float = 1.0, agree: Optional[ArrayLike] = None) -> MultiEnergy:
    """The P^n Potts energy: a region costs most unless all of it has one label, which costs agree, a number for each label (0 unless
    given).  unary is shape + (labels,); regions: the number of its region for each variable (negative: none), or lists of
    variables.

    >>> e = pn_potts(np.array([[[0.0, 2], [0, 2], [2, 1.0]]]), np.array([[0, 0, 0]]), most=3)
    >>> expand(e).labels
    array([[0, 0, 0]], dtype=uint8)
    """
    return _with_regions(unary, regions, most, agree, None)


def robust_pn(unary: ArrayLike, regions: Regions, reach: float = 0.3, most: float = 1.0,
              agree: Optional[ArrayLike] = None) -> MultiEnergy:
    """The robust P^n energy: a region costs agree (0 unless given) where all of it has one label, growing in a straight line to
    most where a share reach of it has others.  unary and regions as of :func:`pn_potts`."""
    return _with_regions(unary, regions, most, agree, reach)


def _with_regions(unary: ArrayLike, regions: Regions, most: float, agree: Optional[ArrayLike],
                  reach: Optional[float]) -> MultiEnergy:
    energy = MultiEnergy.grid(unary)
    start, members = region_lists(regions, energy.shape)
    for first, last in zip(start[:-1], start[1:]):
        region = members[first:last]
        if reach is None:
            energy.add_pn(region, most, agree)
        else:
            energy.add_robust(region, max(1.0, np.floor(reach * len(region))), most, agree)
    return energy
