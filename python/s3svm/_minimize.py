"""The exact minimum of an energy, with its proof."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _s3svm
from ._arrays import ArrayLike, Doubles, Labels, labels as as_labels
from ._display import label_png
from ._energy import Energy, Table
from ._progress import Progress, watched

COLD, FROM_FLOW, FROM_LABELS = 0, 1, 2  # sos_start
DEVICES = {"auto": 0, "cpu": 1, "card": 2}  # sos_device
STATISTICS = ("augmentations", "pushes", "adoptions", "growths", "bytes", "seconds_build", "seconds_reduce", "seconds_solve")


class Minimum:
    """What minimising found.

    labels
        in the shape of the energy
    energy, lower_bound
        what the labels cost, and what no labelling costs less than; equal but for the rounding of sums
    rounding
        how far turning costs into integers moved any energy; 0 for costs that are integers or nearly so
    warm, fixed, bits, statistics
        whether an earlier flow or guess was used; how many variables the costs alone decided; 32 or 64, the integers of the
        flow; what was done, how long it took, and the bytes it held
    device
        "cpu" or "card": where it was found

    In a notebook the labels of a picture show themselves.
    """

    __slots__ = ("labels", "energy", "lower_bound", "rounding", "bits", "warm", "fixed", "statistics", "device")

    def __init__(self, labels: Labels, result: Mapping[str, Any]):
        self.labels = labels
        self.energy: float = result["energy"]
        self.lower_bound: float = result["lower_bound"]
        self.rounding: float = result["rounding"]
        self.bits: int = result["bits"]
        self.warm: bool = result["warm"]
        self.fixed: int = result["fixed"]
        self.device: str = "card" if result["device"] == DEVICES["card"] else "cpu"
        self.statistics: dict[str, Any] = {name: result[name] for name in STATISTICS}

    @property
    def gap(self) -> float:
        """energy - lower_bound."""
        return self.energy - self.lower_bound

    @property
    def seconds(self) -> float:
        s = self.statistics
        return float(s["seconds_build"] + s["seconds_reduce"] + s["seconds_solve"])

    def __array__(self, dtype: Any = None) -> Any:
        return self.labels if dtype is None else self.labels.astype(dtype)

    def __repr__(self) -> str:
        sides = " x ".join(str(s) for s in self.labels.shape)
        return (f"Minimum: energy {self.energy:.10g}, lower bound {self.lower_bound:.10g}, {int(self.labels.sum()):,} of {sides} labels are 1, "
                f"{1e3 * self.seconds:.2f} ms")

    def _repr_png_(self) -> Optional[bytes]:
        return label_png(self.labels)


def device_number(device: str) -> int:
    if device not in DEVICES:
        raise ValueError(f"device must be one of {', '.join(DEVICES)}, not {device!r}")
    return DEVICES[device]


def _settings(start: int, maximal: bool, reduce: bool, bits: int, memory_limit: int, device: str) -> tuple[Any, ...]:
    if bits not in (0, 32):
        raise ValueError(f"bits must be 0 or 32, not {bits}")
    return (start, bool(maximal), bool(reduce), int(bits), int(memory_limit), device_number(device))


def _run(energy: Energy, minimizer: Any, start: Union[int, ArrayLike], progress: Progress, maximal: bool = False,
         reduce: bool = True, bits: int = 0, memory_limit: int = 0, device: str = "auto") -> Minimum:
    if isinstance(start, int):
        out = np.empty(energy.shape, dtype=np.uint8)
    else:
        out = np.array(as_labels(start, energy.shape, 2, "start")).reshape(energy.shape)
        start = FROM_LABELS
    with watched(progress) as callback:
        result = _s3svm.minimize(energy._handle, minimizer, out,
                                 _settings(start, maximal, reduce, bits, memory_limit, device), callback)
    return Minimum(out, result)


def minimize(energy: Any, patch: Optional[Sequence[int]] = None, table: Optional[Table] = None,
             weights: Optional[ArrayLike] = None, *, pairs: Optional[float] = None, connectivity: int = 1,
             start: Optional[ArrayLike] = None, maximal: bool = False, reduce: bool = True, bits: int = 0,
             memory_limit: int = 0, progress: Progress = None, device: str = "auto") -> Minimum:
    """The labelling of least energy, exactly, with a lower bound that proves it.

    energy
        an :class:`Energy`; or the unaries of a grid, and with them what :meth:`Energy.grid` takes: patch, table, weights,
        pairs and connectivity.
    start
        a labelling to start from: a guess that need not be good.
    maximal
        among all minimisers return the largest set of ones, not the smallest.
    reduce
        decide what the costs alone decide first.
    bits
        32: round costs to about 28 bits where they need more, which is faster; 0: as exact as doubles allow.
    memory_limit
        bytes; 0: none.
    progress
        called with a phase and how much of it is done (negative: unknown), about 20 times a second; returning False cancels
        (:class:`Cancelled`).  True shows a line.  Ctrl-C raises KeyboardInterrupt while it runs.
    device
        "card": on a graphics card, if there is one and the energy is a grid with a table at each 2x2 patch; "cpu"; "auto": a card
        for large work.  The labels are the same.

    Other threads run meanwhile.

    >>> unary = np.array([[[0, 2], [2, 0]], [[1, 2], [3, 1]]])
    >>> m = minimize(unary, pairs=1)
    >>> m.labels
    array([[0, 1],
           [0, 1]], dtype=uint8)
    >>> m.energy, m.lower_bound
    (4.0, 4.0)
    """
    if not isinstance(energy, Energy):
        energy = Energy.grid(energy, patch, table, weights, pairs=pairs, connectivity=connectivity)
    elif any(argument is not None for argument in (patch, table, weights, pairs)):
        raise TypeError("patch, table, weights and pairs go with unaries; an Energy has its own cliques")
    return _run(energy, None, COLD if start is None else start, progress, maximal, reduce, bits, memory_limit, device)


class Minimizer:
    """Minimises one energy again and again, while its unaries, tables, weights or fixed labels change: each run starts from
    the flow of the last where that is quicker.  One thread at a time.

    >>> e = Energy.grid(np.array([[0.0, 1], [0, 0], [1, 0]]), pairs=0.5)
    >>> m = Minimizer(e)
    >>> m.run().labels
    array([0, 0, 1], dtype=uint8)
    >>> e.set_unary(1, 1, 0)
    >>> m.run().labels
    array([0, 1, 1], dtype=uint8)
    """

    def __init__(self, energy: Optional[Energy] = None):
        self._handle = _s3svm.minimizer_create()
        self.energy = energy
        self.runs = 0

    def run(self, energy: Optional[Energy] = None, *, warm: bool = True, start: Optional[ArrayLike] = None,
            maximal: bool = False, reduce: bool = True, bits: int = 0, memory_limit: int = 0,
            progress: Progress = None, device: str = "auto") -> Minimum:
        """The minimum of the energy, or of another one: settings as of :func:`minimize`.  warm: from the last flow, if it was
        of the same energy."""
        if energy is not None:
            self.energy = energy
        if self.energy is None:
            raise ValueError("there is no energy to minimise")
        begin = start if start is not None else FROM_FLOW if warm else COLD
        result = _run(self.energy, self._handle, begin, progress, maximal, reduce, bits, memory_limit, device)
        self.runs += 1
        return result

    def __repr__(self) -> str:
        return f"Minimizer after {self.runs} runs of {self.energy!r}"


def min_marginals(energy: Energy) -> Doubles:
    """min E(y) over all y with label 0 at a variable, less that with label 1, of each variable, in the shape of the energy:
    positive where the minimiser has label 1, and by how much it would cost more to have 0 there.  Exact; one further minimisation,
    from the last flow, for each variable.  Variables that are fixed to 0 or 1 have -inf and inf.

    energy
        any :class:`Energy`, which is not changed

    >>> min_marginals(Energy.grid(np.array([[0.0, 2], [1, 0], [3, 0]]), pairs=0.5))
    array([-1.5,  1. ,  3.5])
    """
    work = energy.copy()
    minimizer = Minimizer(work)
    best = minimizer.run()
    fixed = work.fixed.reshape(-1)
    out = np.empty(work.variables)
    for i, label in enumerate(best.labels.reshape(-1)):
        sign = 1.0 if label else -1.0
        if fixed[i] >= 0:
            out[i] = sign * np.inf
            continue
        work.fix(i, 1 - int(label))
        out[i] = sign * max(0.0, minimizer.run().energy - best.energy)
        work.fix(i, -1)
    return out.reshape(work.shape)


def minimize_batch(energies: Iterable[Energy], *, n_jobs: Optional[int] = None, maximal: bool = False, reduce: bool = True,
                   bits: int = 0, memory_limit: int = 0, progress: Progress = None, device: str = "auto") -> "list[Minimum]":
    """The minima of many energies, on n_jobs threads (None or -1: all cores).  maximal, reduce, bits, memory_limit, progress and
    device are those of :func:`minimize`; a card takes grids of any sizes together.

    >>> energies = [Energy.grid(np.array([[0.0, 1], [c, 0]]), pairs=0.5) for c in (0, 1, 2)]
    >>> [m.labels.tolist() for m in minimize_batch(energies)]
    [[0, 0], [0, 1], [0, 1]]
    """
    many = list(energies)
    for energy in many:
        if not isinstance(energy, Energy):
            raise TypeError(f"minimize_batch takes energies, not {type(energy).__name__}")
    outs = [np.empty(energy.shape, dtype=np.uint8) for energy in many]
    with watched(progress) as callback:
        results = _s3svm.minimize_batch([energy._handle for energy in many], outs,
                                        _settings(COLD, maximal, reduce, bits, memory_limit, device), threads(n_jobs), callback)
    return [Minimum(out, result) for out, result in zip(outs, results)]


def threads(n_jobs: Optional[int]) -> int:
    """scikit-learn's n_jobs as the library's number of threads: None and -1 mean all cores, which is 0 there."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if n_jobs < 1:
        raise ValueError(f"n_jobs must be a number of threads, or -1 or None for all cores, not {n_jobs}")
    return int(n_jobs)
