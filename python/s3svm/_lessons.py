"""Models of pictures from one's own: what the command learns from folders, learned from arrays or from folders."""

from __future__ import annotations

import re
import warnings
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _s3svm
from ._arrays import ArrayLike, Path, is_path, near, path_bytes, whole
from ._errors import Error
from ._minimize import threads
from ._model import Model
from ._pictures import Bytes, PictureLike, colour_picture, grey_picture, maps_tuple, marks_of, tuple_of
from ._problem import Problem
from ._progress import Progress, watched
from ._tasks import ModelLike, prepare
from ._train import RoundCallback, train

Pictures = Union[Path, Sequence[PictureLike]]


class _Task(NamedTuple):
    """A row of the library: what a task is about, and its settings by their names."""

    name: str
    summary: str
    model: Optional[str]
    colour: bool
    marked: bool
    objects: bool
    settings: Mapping[str, Any]


TASKS = {row[0]: _Task(*row[:6], {name: rest for name, *rest in row[6]}) for row in _s3svm.task_rows()}

# Settings of the command that have other names here; all others differ in their hyphens.
_ARGUMENTS = {"model": "kind", "maps": "map_kind", "maps-alone": "alone", "void": "unknown", "from": "start", "data": "pictures"}


def _in_python(message: str) -> str:
    """A message of the library, which calls settings as the command does, with the names of arguments."""
    return re.sub(r"--([a-zA-Z][a-z-]*[a-z])", lambda m: _ARGUMENTS.get(m[1], m[1].replace("-", "_")), message)


def _task(name: str) -> _Task:
    if name not in TASKS:
        raise ValueError(f"there is no task {name!r}; there are {', '.join(TASKS)}{near(name, TASKS)}")
    return TASKS[name]


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(_text(v) for v in value)
    return str(value)


def _settings(task: _Task, given: Mapping[str, Any]) -> "list[tuple[str, str]]":
    """Settings as the library reads them; None says nothing."""
    pairs = []
    for argument, value in given.items():
        name = argument.replace("_", "-")
        if name not in task.settings:
            raise TypeError(f"{task.name!r} has no setting {argument!r}"
                            f"{near(argument, [s.replace('-', '_') for s in task.settings])}")
        if value is not None:
            pairs.append((name, _text(value)))
    return pairs


def _as_many(name: str, given: Optional[Sequence[Any]], count: int) -> "Sequence[Any]":
    if given is None:
        return [None] * count
    if len(given) != count:
        raise ValueError(f"there are {count} pictures, but {len(given)} {name}")
    return given


def _numbers(truth: Any, shape: "tuple[int, ...]", name: str) -> Bytes:
    """A picture of true labels, as a file has it; what its numbers mean is the library's to tell."""
    if truth is None:
        raise ValueError(f"{name} is missing: pictures are learned from together with their truths")
    numbers = whole(truth, name)
    if numbers.shape != shape:
        raise ValueError(f"{name} must have the size of its picture, {shape}, not {numbers.shape}")
    if numbers.size and (int(numbers.min()) < 0 or int(numbers.max()) > 255):
        raise ValueError(f"{name} must be numbers from 0 to 255")
    return np.ascontiguousarray(numbers, dtype=np.uint8)


def _picture(task: _Task, i: int, picture: Any, mark: Any, truth: Any, maps: Any, channels_first: bool) -> Any:
    """What the extension takes of one picture; messages say which it is."""
    name = f"pictures[{i}]"
    seen: Any = colour_picture(picture, name, channels_first) if task.colour else grey_picture(picture, name, channels_first)
    shape = seen.shape[:2]
    marks = None if mark is None else marks_of(mark, shape, name=f"marks[{i}]")
    return (name, None if task.colour else tuple_of(seen), tuple_of(seen) if task.colour else None, tuple_of(marks),
            maps_tuple(maps, f"maps[{i}]", channels_first, shape), tuple_of(_numbers(truth, shape, f"truths[{i}]")))


def _folders(pictures: Any, truths: Any) -> "list[bytes]":
    """The folders that stand for pictures; none, where these are arrays."""
    listed = [pictures] if is_path(pictures) else pictures if truths is None else []
    return [path_bytes(p) for p in listed] if all(is_path(p) for p in listed) else []


def learn(task: str, pictures: Pictures, truths: Optional[Sequence[ArrayLike]] = None, *,
          marks: Optional[Sequence[ArrayLike]] = None, maps: Optional[Sequence[ArrayLike]] = None,
          map_kind: Optional[str] = None, alone: bool = False, channels_first: bool = False,
          start: Optional[ModelLike] = None, C: Optional[float] = None, tol: Optional[float] = None,
          n_jobs: Optional[int] = None, callback: Optional[RoundCallback] = None, progress: Progress = None,
          **settings: Any) -> Model:
    """A model of a task ("denoise", "segment", "label", "trace") from pictures, as ``s3svm train TASK`` learns it, bit by bit.

    pictures
        a list of arrays or files; or a folder as the command takes it (``images/``, ``labels/``, ...), or several in a list
    truths
        the true labels of the pictures, arrays of their size; of a folder they are in ``labels/``
    marks
        of tasks that need some, numbers of :class:`Mark` for each pixel
    maps, map_kind, alone
        numbers of one's own for each pixel, height x width x channels, as "weights" (default), "odds" or "bins" (docs/maps.md); of a
        folder map_kind alone says to use ``maps/``; alone: in place of the model's own features.  With evidence=True, of models
        that learn from dialogues, log odds by one network or several, a channel each
    channels_first
        pictures and maps are channels x height x width
    start
        a model of the task to learn away from: its features stay, and its weights change as far as the pictures ask for it.  One
        of photographs that learns from dialogues, such as the one inside, ``s3svm.load("segment")``, is adapted, unless C, tol
        or callback is given: cross-validation with simulated marks finds out whether the pictures help, the fact "own
        photographs" of the model says what it found, and where nothing was gained the model is the one to start from, with a
        warning.
    C, tol
        what errors weigh against large weights, and the gap at which training ends; default: what serves the model best
    n_jobs
        threads; None or -1: all cores.  The model is the same.
    callback
        called with the figures of every round of training; returning False ends it with the best weights so far
    progress
        called with a phase and how much of it is done while features and examples are made; True shows a line
    settings
        further ones of ``s3svm train TASK``, with underscores in their names

    What people should know of the data, such as truths without an object, are warnings.

    >>> import s3svm
    >>> clean = [s3svm.draw(40, 60, n) for n in range(3)]
    >>> noisy = [np.clip(1 - c + np.random.default_rng(0).normal(0, 0.4, c.shape), 0, 1) for c in clean]
    >>> model = learn("denoise", noisy[:2], clean[:2], model="paper", C=10)
    >>> bool(np.mean(s3svm.denoise(noisy[2], model) != clean[2]) < 0.1)
    True
    """
    row = _task(task)
    folders = _folders(pictures, truths)
    if map_kind is None and maps is not None and not settings.get("evidence"):
        map_kind = "weights"
    pairs = _settings(row, {**settings, "maps": map_kind, "maps_alone": alone or None})
    away = None if start is None else prepare(start).model
    items = []
    if folders and any(given is not None for given in (truths, marks, maps)):
        raise ValueError("a folder has truths, marks and maps of its own")
    if not folders:
        listed = list(pictures)  # type: ignore[arg-type]
        others = (_as_many(name, given, len(listed)) for name, given in (("marks", marks), ("truths", truths), ("maps", maps)))
        items = [_picture(row, i, picture, mark, truth, own, channels_first)
                 for i, (picture, mark, truth, own) in enumerate(zip(listed, *others))]
    try:
        with watched(progress) as watcher:
            if away is not None and C is None and tol is None and callback is None:
                adapted = _s3svm.task_adapt(task, pairs, folders, items, away._handle, threads(n_jobs), watcher)
                if adapted is not None:
                    return _adapted(adapted)
            made = _s3svm.task_lesson(task, pairs, folders, items, None if away is None else away._handle, threads(n_jobs), watcher)
    except Error as error:
        raise type(error)(_in_python(str(error))) from None
    return _trained(made, away, C, tol, n_jobs, callback, progress)


def _adapted(made: Any) -> Model:
    handle, better, lines = made
    for line in lines:
        warnings.warn(_in_python(line), stacklevel=3)
    if not better:
        warnings.warn("learning gained nothing: the model is the one to start from", stacklevel=3)
    return Model._of(handle)


def _trained(made: Any, away: Optional[Model], C: Optional[float], tol: Optional[float], n_jobs: Optional[int],
             callback: Optional[RoundCallback], progress: Progress) -> Model:
    handle, examples, training, rest, lines = made
    for line in lines:
        warnings.warn(_in_python(line), stacklevel=4)
    model = Model._of(handle)
    train(model, [Problem._of(model, x) for x in examples], training["C"] if C is None else C,
          tol=training["gap"] if tol is None else tol, n_jobs=n_jobs, epsilon=training["epsilon"], memory=training["memory"],
          near=None if away is None else away.weights, callback=callback, progress=progress is True)
    if rest is not None:
        with watched(progress) as watcher:
            _s3svm.task_finish(rest, model._handle, threads(n_jobs), watcher)
    return model


def train_denoise(pictures: Pictures, truths: Optional[Sequence[ArrayLike]] = None, kind: Optional[str] = None, *,
                  C: Optional[float] = None, tol: Optional[float] = None, maps: Optional[Sequence[ArrayLike]] = None,
                  map_kind: Optional[str] = None, alone: bool = False, samples: int = 0, seed: int = 1,
                  n_jobs: Optional[int] = None, callback: Optional[RoundCallback] = None, progress: Progress = None,
                  **settings: Any) -> Model:
    """A model for :func:`denoise` from noisy pictures and their truths.

    pictures
        a list of arrays height x width, real numbers with 0 black and 1 white, or bytes; or a folder
    truths
        1 (or True) is ink and 0 paper; or drawings, black on white
    kind
        "paper": grey values and a table of 2x2 patches; "full" (default): small networks and 3x3 patches; and others
        (docs/denoising.md)
    samples, seed
        pixels that networks learn from, about (0: 400,000), and the seed of their choice

    C, tol, maps, map_kind, alone, n_jobs, callback, progress
        as of :func:`learn`

    Further arguments are those of :func:`learn`; settings are those of ``s3svm train denoise``, such as sigma=0.5, which adds noise to the
    drawings of a folder.
    """
    return learn("denoise", pictures, truths, model=kind, samples=samples, feature_seed=seed, C=C, tol=tol, maps=maps,
                 map_kind=map_kind, alone=alone, n_jobs=n_jobs, callback=callback, progress=progress, **settings)


def train_label(pictures: Pictures, truths: Optional[Sequence[ArrayLike]] = None,
                labels: Union[None, int, Sequence[str]] = None, kind: Optional[str] = None, *, unknown: Optional[int] = None,
                C: Optional[float] = None, tol: Optional[float] = None, maps: Optional[Sequence[ArrayLike]] = None,
                map_kind: Optional[str] = None, alone: bool = False, seed: int = 1, n_jobs: Optional[int] = None,
                callback: Optional[RoundCallback] = None, progress: Progress = None, **settings: Any) -> Model:
    """A model for :func:`label` from photographs and their labels.

    pictures
        a list of arrays height x width x 3, or a folder
    truths
        numbers of labels from 0 on
    labels
        how many there are, or their names; default: as many as the truths have
    kind
        "unary", "pairwise", "tables", "full" (default) and others (docs/labeling.md)
    unknown
        the number in truths that stands for no label (default 255); -1: none does
    seed
        of what is drawn at random while features are learned

    C, tol, maps, map_kind, alone, n_jobs, callback, progress
        as of :func:`learn`

    Further arguments are those of :func:`learn`; settings are those of ``s3svm train label``, such as balance=True, with which rare labels
    count as much as frequent ones.
    """
    names = [f"label {i}" for i in range(labels)] if isinstance(labels, (int, np.integer)) else labels
    if names is not None and any("," in str(name) or "=" in str(name) for name in names):
        raise ValueError("names of labels have neither commas nor equals signs")
    return learn("label", pictures, truths, model=kind, names=names, void=unknown, seed=seed, C=C, tol=tol, maps=maps,
                 map_kind=map_kind, alone=alone, n_jobs=n_jobs, callback=callback, progress=progress, **settings)


def train_segment(photographs: Pictures, marks: Optional[Sequence[ArrayLike]] = None,
                  truths: Optional[Sequence[ArrayLike]] = None, features: Optional[str] = None,
                  method: Optional[str] = None, *, unsure: Optional[int] = None, C: Optional[float] = None,
                  tol: Optional[float] = None, maps: Optional[Sequence[ArrayLike]] = None, map_kind: Optional[str] = None,
                  alone: bool = False, samples: int = 0, seed: int = 1, n_jobs: Optional[int] = None,
                  callback: Optional[RoundCallback] = None, progress: Progress = None, **settings: Any) -> Model:
    """A model for :class:`Segmenter` from photographs, marks and truths.

    photographs
        a list of arrays height x width x 3, or a folder
    marks
        numbers of :class:`Mark` for each pixel; with dialogues=True they may be missing
    truths
        0 is background; the object is 1 (or True) or 255.  128, and 255 in pictures of 0, 1 and 255, says that nobody can be
        sure.  What the numbers mean is told from all pictures together, as the command tells it of ``labels/``.
    features, method
        "paper" or "full" (default); "s3svm" (default), "amn", "counts" and others (docs/segmentation.md)
    unsure
        the number that says that nobody can be sure, where it is another one
    samples, seed
        pixels of each photograph that networks learn from (0: 2,500), and the seed of their choice

    C, tol, maps, map_kind, alone, n_jobs, callback, progress
        as of :func:`learn`

    Further arguments are those of :func:`learn`; settings are those of ``s3svm train segment``, such as dialogues=True, which learns from simulated
    clicks and corrections.
    """
    return learn("segment", photographs, truths, marks=marks, features=features, method=method, unsure=unsure, samples=samples,
                 seed=seed, C=C, tol=tol, maps=maps, map_kind=map_kind, alone=alone, n_jobs=n_jobs, callback=callback,
                 progress=progress, **settings)
