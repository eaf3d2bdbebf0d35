"""Training: structural SVMs whose functions stay submodular."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional

from . import _s3svm
from ._arrays import ArrayLike, Path, doubles, optional_doubles, path_bytes
from ._minimize import device_number, threads
from ._model import Model
from ._problem import Problem
from ._progress import Bar

DEFAULTS: Mapping[str, Any] = _s3svm.train_defaults()  # C, gap and all other settings: the library's

Round = Mapping[str, Any]
RoundCallback = Callable[[Round], Optional[bool]]


class TrainingInterrupted(UserWarning):
    """Ctrl-C ended training early; the model has the best weights so far."""


class Training:
    """How training went.

    outcome
        "gap" or "epsilon": as near to the optimum as was asked for; "rounds" or "seconds": these were used up; "stopped": by
        the callback or Ctrl-C; "stalled": doubles cannot tell any more
    primal, dual, gap
        the objective, what no weights can beat, and their relative distance
    learned, zero
        whether there is something to show; whether nothing can be learned with this C
    approximate
        whether the oracle is not exact (more than two labels): primal and gap are as far as it sees
    last
        the figures of the last round
    """

    def __init__(self, result: Mapping[str, Any]):
        self.outcome: str = result["outcome"]
        self.last: Round = result["last"]
        self.approximate: bool = result["approximate"]
        self.learned: bool = result["learned"]
        self.zero: bool = result["zero"]
        self.resumed: bool = result["resumed"]
        self.checkpoint_error: Optional[str] = result["checkpoint_error"]

    @property
    def primal(self) -> float:
        return float(self.last["primal"])

    @property
    def dual(self) -> float:
        return float(self.last["dual"])

    @property
    def gap(self) -> float:
        return float(self.last["gap"])

    @property
    def rounds(self) -> int:
        return int(self.last["round"])

    def __repr__(self) -> str:
        return (f"Training: {self.outcome} after {self.rounds} rounds, objective {self.primal:.6g}, gap {self.gap:.2g}, "
                f"{self.last['seconds']:.2f} s")


class PathPoint(NamedTuple):
    """One value of C: the mean loss on the validation problems (NaN without any), and how training went."""

    C: float
    validation_loss: float
    training: Training


class _RoundBar(Bar):
    def round(self, r: Round) -> None:
        self.line(f"training: round {r['round']}, C {r['C']:g}, objective {r['primal']:.5g}, gap {r['gap']:.2g}, "
                  f"{r['seconds']:.1f} s")


def _watcher(callback: Optional[RoundCallback], progress: bool) -> tuple[Optional[RoundCallback], Optional[_RoundBar]]:
    bar = _RoundBar(sys.stderr) if progress else None

    def both(r: Round) -> Optional[bool]:
        if bar is not None:
            bar.round(r)
        return None if callback is None else callback(r)

    return (both if bar is not None else callback), bar


def _settings(given: Mapping[str, Any]) -> "dict[str, Any]":
    for name in given:
        if name not in DEFAULTS:
            raise TypeError(f"training has no setting {name!r}; there are {', '.join(DEFAULTS)}")
    return {**given, "device": device_number(given.get("device", "auto"))}


def _stopped(exception: Optional[BaseException]) -> None:
    """Ctrl-C keeps what was learned, with a warning; what a callback raised is raised."""
    if isinstance(exception, KeyboardInterrupt):
        warnings.warn("training was interrupted; the model has the best weights so far", TrainingInterrupted, stacklevel=3)
    elif exception is not None:
        raise exception


def train(model: Model, problems: Iterable[Problem], C: float = DEFAULTS["C"], *, tol: float = DEFAULTS["gap"],
          n_jobs: Optional[int] = None, callback: Optional[RoundCallback] = None, progress: bool = False,
          checkpoint: Optional[Path] = None, near: Optional[ArrayLike] = None, start: Optional[ArrayLike] = None,
          **settings: Any) -> Training:
    """Trains the weights of a model on problems made for its groups, with truths: minimises 1/2 |w|^2 + C (mean slack).

    tol
        the relative gap between the objective and a proven bound at which it ends
    callback
        called with the figures of every round; returning False ends training with the best weights so far.  Ctrl-C does the
        same, with a warning (:class:`TrainingInterrupted`).
    n_jobs, progress
        threads, None or -1: all cores, the weights are the same; True shows a line
    checkpoint
        a file for the state, from which training resumes if it is there
    near, start
        weights to stay near to: what is minimised is 1/2 |w - near|^2 + ...; weights to begin with
    settings
        further ones of the library (sos_train_settings): rounds, seconds, epsilon, slacks, searches, ...; device is "auto", "cpu" or
        "card", as for :func:`minimize`

    >>> m = Model()
    >>> pixel, neighbours = m.add_features("pixel", 2), m.add_strengths("neighbours")
    >>> problems = []
    >>> for truth in ([0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 1]):
    ...     p = Problem(m, 4)
    ...     p.set_features("pixel", [[1, y + n] for y, n in zip(truth, (0.2, -0.4, 0.4, -0.1))])
    ...     p.add_cliques("neighbours", [[0, 1], [1, 2], [2, 3]])
    ...     p.set_truth(truth)
    ...     problems.append(p)
    >>> training = train(m, problems, C=100)
    >>> training.outcome, [p.loss(m.predict(p)) for p in problems]
    ('gap', [0.0, 0.0, 0.0])
    """
    both, bar = _watcher(callback, progress)
    given = {**_settings(settings), "C": float(C), "gap": float(tol), "threads": threads(n_jobs)}
    try:
        result, exception = _s3svm.train(model._handle, [p._handle for p in problems], given,
                                         None if checkpoint is None else path_bytes(checkpoint).decode(),
                                         optional_doubles(near, "near"), optional_doubles(start, "start"), both)
    finally:
        if bar is not None:
            bar.close()
    _stopped(exception)
    return Training(result)


def train_path(model: Model, problems: Iterable[Problem], values: ArrayLike, validation: Iterable[Problem] = (), *,
               tol: float = DEFAULTS["gap"], n_jobs: Optional[int] = None, callback: Optional[RoundCallback] = None,
               progress: bool = False, **settings: Any) -> "tuple[list[PathPoint], int]":
    """Trains for all values of C, which increase, and keeps the weights with the least loss on the validation problems, or,
    without any, those of the last.  Returns a point for each value, and which was best.  model, tol, n_jobs, callback, progress and
    further settings are those of :func:`train`."""
    both, bar = _watcher(callback, progress)
    given = {**_settings(settings), "gap": float(tol), "threads": threads(n_jobs)}
    try:
        (points, best), exception = _s3svm.train_path(model._handle, [p._handle for p in problems],
                                                      [p._handle for p in validation], doubles(values, "values"), given, both)
    finally:
        if bar is not None:
            bar.close()
    _stopped(exception)
    return [PathPoint(C, loss, Training(result)) for C, loss, result in points], best
