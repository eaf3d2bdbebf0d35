"""Which variables an estimator's energies relate: cliques by name, over grids and graphs."""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._arrays import ArrayLike, Doubles, Numbers, doubles, near, numbers, whole
from ._energy import grid_pairs
from ._model import Model
from ._problem import Problem
from ._regions import Regions as RegionLike, region_lists


def _by_kind(argument: str, given: Optional[Mapping[str, ArrayLike]]) -> "dict[str, ArrayLike]":
    """What a sample has by names of cliques: a name that is none would be ignored for ever."""
    for name in given or {}:
        if name not in KINDS:
            raise ValueError(f"{argument}: {name!r} is none of the cliques {', '.join(KINDS)}{near(name, KINDS)}")
    return dict(given or {})


class Sample:
    """One example for :class:`SumOfSubmodularSVM`, with more than features.

    features
        a grid of one, two or three dimensions with the features in the last axis; or variables x features of a graph
    pairs, cliques
        of a graph: count x 2 and count x k arrays of variables
    regions
        the number of its region for each variable (negative: none), lists of variables, or several of these in a list of arrays
        of the shape of the grid
    keys
        by the name of the cliques an integer array: which of several functions each clique has.  Of patches it has the shape of
        the grid of patches.
    phi
        by the name of the cliques numbers >= 0 that scale their costs: one for each, or for pairs a row of several, each with a
        weight of its own
    fixed
        labels that are known, in the classes of y; None or -1 where they are not
    graph
        whether the variables have no places in a grid; unless said they have none where there are pairs or cliques
    """

    def __init__(self, features: ArrayLike, *, pairs: Optional[ArrayLike] = None, cliques: Optional[ArrayLike] = None,
                 regions: Optional[RegionLike] = None, keys: Optional[Mapping[str, ArrayLike]] = None,
                 phi: Optional[Mapping[str, ArrayLike]] = None, fixed: Optional[ArrayLike] = None,
                 graph: Optional[bool] = None):
        self.features = doubles(features, "features")
        if self.features.ndim < 2:
            raise ValueError("features must have the features of a variable in the last axis")
        self.shape = self.features.shape[:-1]
        self.graph = graph if graph is not None else pairs is not None or cliques is not None
        if self.graph and len(self.shape) != 1:
            raise ValueError("the features of a graph are variables x features")
        self.variables = int(np.prod(self.shape, dtype=np.int64))
        self.pairs = None if pairs is None else numbers(pairs, "pairs", max(1, self.variables)).reshape(-1, 2)
        self.cliques = None if cliques is None else numbers(cliques, "cliques", max(1, self.variables))
        self.regions = regions
        self.keys = _by_kind("keys", keys)
        self.phi = _by_kind("phi", phi)
        self.fixed = fixed

    def __repr__(self) -> str:
        sides = " x ".join(str(s) for s in self.shape)
        return f"Sample of {sides} variables with {self.features.shape[-1]} features"


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Kind:
    """What all kinds of cliques have: keys, how many functions there are to choose from (0: as the samples have them), and
    stiffness, how much the squares of their weights cost."""

    keys: int = 0
    stiffness: float = 1.0

    @property
    def name(self) -> str:
        return type(self).__name__.lower()

    def key_array(self, sample: Sample, count: int) -> Optional[npt.NDArray[np.int64]]:
        if self.name not in sample.keys:
            return None
        keys = whole(sample.keys[self.name], "keys").reshape(-1).astype(np.int64)
        if keys.size != count:
            raise ValueError(f"there are {count} {self.name}, but {keys.size} keys")
        return keys

    def key_count(self, samples: Sequence[Sample]) -> int:
        """How many functions there are: as many as the largest key asks for."""
        most = 0
        for sample in samples:
            if self.name in sample.keys:
                keys = whole(sample.keys[self.name], "keys")
                if keys.size and int(keys.min()) < 0:
                    raise ValueError(f"keys of {self.name} must not be negative")
                most = max(most, int(keys.max()) if keys.size else 0)
        if self.keys and most >= self.keys:
            raise ValueError(f"keys of {self.name} must be below {self.keys}: {most}")
        return self.keys or most + 1

    def group_name(self, key: int, count: int) -> str:
        return self.name if count == 1 else f"{self.name}-{key}"

    def phi_array(self, sample: Sample, count: int) -> Optional[Doubles]:
        if self.name not in sample.phi:
            return None
        phi = doubles(sample.phi[self.name], "phi")
        if phi.size == count:
            return phi.reshape(count)
        raise ValueError(f"there are {count} {self.name}, but phi has {phi.size} numbers")


class _Tables(_Kind):
    """Kinds whose cliques have a table."""

    def members(self, sample: Sample) -> Numbers:
        raise NotImplementedError

    def add_table(self, model: Model, name: str, samples: Sequence[Sample]) -> None:
        raise NotImplementedError

    def add_groups(self, model: Model, samples: Sequence[Sample]) -> Any:
        count = self.key_count(samples)
        for key in range(count):
            self.add_table(model, self.group_name(key, count), samples)
        return count

    def add_to(self, problem: Problem, sample: Sample, count: Any) -> None:
        members = self.members(sample)
        keys = self.key_array(sample, len(members))
        phi = self.phi_array(sample, len(members))
        for key in range(count):
            chosen: Any = slice(None) if keys is None else np.flatnonzero(keys == key)
            problem.add_cliques(self.group_name(key, count), members[chosen], None if phi is None else phi[chosen])
            if keys is None:
                break  # without keys all have the first


@dataclasses.dataclass(frozen=True)
class Pairs(_Kind):
    """Pairs of neighbours in a grid (connectivity as of :func:`grid_pairs`), or the pairs of a graph: a learned strength >= 0
    where labels differ, one for each key and each column of phi.

    keys: how many functions there are to choose from (0: as the samples have them); stiffness: how much the squares of the weights
    cost."""

    connectivity: int = 1

    def members(self, sample: Sample) -> Numbers:
        if not sample.graph:
            return grid_pairs(sample.shape, self.connectivity)
        return np.zeros((0, 2), np.uint32) if sample.pairs is None else sample.pairs

    def columns(self, sample: Sample) -> int:
        phi = sample.phi.get(self.name)
        return 1 if phi is None or np.asarray(phi).ndim < 2 else int(np.asarray(phi).shape[1])

    def add_groups(self, model: Model, samples: Sequence[Sample]) -> Any:
        widths = {self.columns(sample) for sample in samples}
        if len(widths) != 1:
            raise ValueError(f"samples differ in how many numbers phi their pairs have: {sorted(widths)}")
        count, width = self.key_count(samples), widths.pop()
        model.add_strengths(self.name, count * width, stiffness=self.stiffness)
        return count, width

    def add_to(self, problem: Problem, sample: Sample, made: Any) -> None:
        count, width = made
        members = self.members(sample)
        keys = self.key_array(sample, len(members))
        phi = np.ones((len(members), width))
        if self.name in sample.phi:
            phi = doubles(sample.phi[self.name], "phi")
            if phi.size != len(members) * width:
                raise ValueError(f"there are {len(members)} pairs with {width} numbers phi, not {phi.shape}")
            phi = phi.reshape(len(members), width)
        wide = np.zeros((len(members), count, width))
        wide[np.arange(len(members)), 0 if keys is None else keys] = phi
        problem.add_cliques(self.name, members, wide.reshape(len(members), -1))


@dataclasses.dataclass(frozen=True)
class Patches(_Tables):
    """All patches of a shape in a grid: a learned table of 2^k costs, one for each key.

    shape is that of a patch; symmetric ties what mirrors and turns map to each other (two dimensions), swap makes the two labels
    alike; keys and stiffness as of :class:`Pairs`."""

    shape: tuple[int, ...] = (2, 2)
    symmetric: bool = True
    swap: bool = False

    def members(self, sample: Sample) -> Numbers:
        if sample.graph or len(sample.shape) != len(self.shape):
            raise ValueError(f"patches of {len(self.shape)} dimensions need grids of as many")
        ids = np.arange(sample.variables, dtype=np.uint32).reshape(sample.shape)
        if any(n < p for n, p in zip(sample.shape, self.shape)):
            return np.zeros((0, int(np.prod(self.shape))), np.uint32)
        return np.lib.stride_tricks.sliding_window_view(ids, self.shape).reshape(-1, int(np.prod(self.shape)))

    def add_table(self, model: Model, name: str, samples: Sequence[Sample]) -> None:
        plane = len(self.shape) == 2 and self.symmetric
        model.add_table(name, int(np.prod(self.shape)), patch=self.shape if plane else None, symmetric=plane, swap=self.swap,
                        reversal=self.symmetric and not plane, stiffness=self.stiffness)


@dataclasses.dataclass(frozen=True)
class Lines(_Tables):
    """All lines of so many variables (length) along the axes and, in pictures, the diagonals of a grid: a learned table, the same
    from both ends.  counted: only how many are 1 and how often the label changes matters, for long lines; swap makes the two
    labels alike; keys and stiffness as of :class:`Pairs`."""

    length: int = 4
    diagonals: bool = True
    counted: bool = False
    swap: bool = False

    def members(self, sample: Sample) -> Numbers:
        if sample.graph:
            raise ValueError("lines need grids")
        ids = np.arange(sample.variables, dtype=np.uint32).reshape(sample.shape)
        lines = []
        for axis in range(ids.ndim):
            if ids.shape[axis] >= self.length:
                lines.append(np.lib.stride_tricks.sliding_window_view(ids, self.length, axis).reshape(-1, self.length))
        if self.diagonals and ids.ndim == 2 and min(ids.shape) >= self.length:
            boxes = np.lib.stride_tricks.sliding_window_view(ids, (self.length, self.length))
            along = np.arange(self.length)
            lines.append(boxes[:, :, along, along].reshape(-1, self.length))
            lines.append(boxes[:, :, along, along[::-1]].reshape(-1, self.length))
        return np.concatenate(lines) if lines else np.zeros((0, self.length), np.uint32)

    def add_table(self, model: Model, name: str, samples: Sequence[Sample]) -> None:
        model.add_table(name, self.length, reversal=not self.counted, counted=self.counted, swap=self.swap,
                        stiffness=self.stiffness)


@dataclasses.dataclass(frozen=True)
class Cliques(_Tables):
    """The cliques of a graph: a learned table of 2^k costs, one for each key.  counted: it depends only on how many members are
    labelled 1; swap makes the two labels alike; keys and stiffness as of :class:`Pairs`."""

    swap: bool = False
    counted: bool = False

    def members(self, sample: Sample) -> Numbers:
        return np.zeros((0, 1), np.uint32) if sample.cliques is None else sample.cliques

    def add_table(self, model: Model, name: str, samples: Sequence[Sample]) -> None:
        sizes = {sample.cliques.shape[1] for sample in samples if sample.cliques is not None and sample.cliques.size}
        if len(sizes) != 1:
            raise ValueError(f"the cliques of all graphs must have one size, not {sorted(sizes)}")
        k = sizes.pop()
        classes = None
        if self.counted:
            classes = np.array([bin(S).count("1") for S in range(1 << k)])
            classes = (np.minimum(classes, k - classes) if self.swap else classes) - 1  # -1: all of one label cost nothing
        model.add_table(name, k, swap=self.swap and classes is None, anchored=classes is None, classes=classes,
                        stiffness=self.stiffness)


@dataclasses.dataclass(frozen=True)
class Regions(_Kind):
    """The regions of a sample, of any sizes: a learned concave function of the share labelled 1, with so many knots; swap makes
    the two labels alike; or, with reach, robust P^n with a learned strength.  Costs are for each member: those of a region are
    multiplied by its size, unless phi says otherwise.  keys and stiffness as of :class:`Pairs`."""

    knots: int = 7
    swap: bool = False
    reach: Optional[float] = None

    def lists(self, sample: Sample) -> Any:
        if sample.regions is None:
            raise ValueError("a sample without regions")
        several = sample.regions
        if isinstance(several, (list, tuple)) and several and np.asarray(several[0]).shape == sample.shape and not sample.graph:
            return list(several)
        return [several]

    def add_groups(self, model: Model, samples: Sequence[Sample]) -> Any:
        if self.reach is not None:
            model.add_strengths(self.name, 1, stiffness=self.stiffness)
        else:
            model.add_counts(self.name, np.linspace(0, 1, self.knots), swap=self.swap, stiffness=self.stiffness)
        return 1

    def add_to(self, problem: Problem, sample: Sample, made: Any) -> None:
        several = [region_lists(regions, sample.shape) for regions in self.lists(sample)]
        phi = self.phi_array(sample, sum(len(start) - 1 for start, _ in several))
        first = 0
        for start, members in several:
            sizes = np.diff(start.astype(np.int64))
            part = sizes.astype(np.float64) if phi is None else phi[first:first + len(sizes)]
            lists = np.split(members, start[1:-1].astype(np.int64)) if len(sizes) else []
            problem.add_regions(self.name, lists, part, reach=0.5 if self.reach is None else self.reach)
            first += len(sizes)


Kind = Union[Pairs, Patches, Lines, Cliques, Regions]
KINDS: Mapping[str, Any] = {"pairs": Pairs, "patches": Patches, "lines": Lines, "cliques": Cliques, "regions": Regions}


def chosen(cliques: Any) -> "list[Kind]":
    """Kinds of cliques from what people write: a name, several joined by "+", a kind, or a list of these; None: none."""
    if cliques is None:
        return []
    if isinstance(cliques, str):
        cliques = [name.strip() for name in cliques.split("+") if name.strip()]
    if isinstance(cliques, _Kind):
        cliques = [cliques]
    kinds: list[Any] = []
    for kind in cliques:
        if isinstance(kind, str):
            if kind not in KINDS:
                raise ValueError(f"cliques must be of {', '.join(KINDS)}, not {kind!r}")
            kind = KINDS[kind]()
        if not isinstance(kind, _Kind):
            raise TypeError(f"cliques must be names or kinds of cliques, not {kind!r}")
        kinds.append(kind)
    names = [kind.name for kind in kinds]
    if len(set(names)) != len(names):
        raise ValueError(f"a kind of cliques stands twice: {', '.join(names)}")
    return kinds


def to_facts(kinds: "list[Kind]") -> Any:
    return [[kind.name, dataclasses.asdict(kind)] for kind in kinds]


def from_facts(facts: Any) -> "list[Kind]":
    kinds = []
    for name, settings in facts:
        settings = {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}
        kinds.append(KINDS[name](**settings))
    return kinds
