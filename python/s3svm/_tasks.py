"""Models of pictures: restoring drawings, labelling, and models of either from one's own pictures."""

from __future__ import annotations

import functools
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _s3svm
from ._arrays import ArrayLike, Doubles, Path, labels as as_labels, whole
from ._minimize import threads
from ._model import Model
from ._pictures import LabelPicture, colour_picture, grey_picture, maps_tuple, marks_of, tuple_of
from ._problem import Problem
from ._progress import Progress, watched
from ._train import RoundCallback, train

ModelLike = Union[str, Path, Model, "Predictor"]


class Predictor:
    """A model of pictures, prepared once for any number of pictures and threads.

    task
        "denoise", "segment" or "label"
    labels
        the names of the labels
    maps
        how many channels of maps of one's own the model needs; 0: none
    """

    def __init__(self, model: Model):
        self.model = model.copy()
        self._handle = _s3svm.task_create(self.model._handle)
        self.task, self.maps, self._colour, self._marked, found = _s3svm.task_info(self._handle)
        self.labels = [name for name, _ in found]
        self.colours = np.array([[c >> 16 & 255, c >> 8 & 255, c & 255] for _, c in found], dtype=np.uint8)

    def _view(self, picture: ArrayLike, marks: Optional[ArrayLike], maps: Optional[ArrayLike]) -> Any:
        grey = None if self._colour else grey_picture(picture)
        colour = colour_picture(picture) if self._colour else None
        shape = (grey if colour is None else colour).shape[:2]  # type: ignore[union-attr]
        if self._marked and marks is None:
            raise ValueError("the model needs marks")
        wanted = marks_of(marks, shape) if self._marked and marks is not None else None
        if bool(self.maps) != (maps is not None):
            raise ValueError(f"the model needs maps of {self.maps} channels" if self.maps else "the model has learned from no maps")
        return shape, (tuple_of(grey), tuple_of(colour), tuple_of(wanted), maps_tuple(maps))

    def predict(self, picture: ArrayLike, marks: Optional[ArrayLike] = None, maps: Optional[ArrayLike] = None) -> LabelPicture:
        """A label for each pixel."""
        shape, view = self._view(picture, marks, maps)
        out = np.empty(shape, dtype=np.uint8)
        _s3svm.task_predict(self._handle, view, out)
        return LabelPicture(out, self.labels, self.colours)

    def problem(self, picture: ArrayLike, marks: Optional[ArrayLike] = None, maps: Optional[ArrayLike] = None) -> Problem:
        """What the model sees of a picture, as a :class:`Problem`: its features, its cliques, its energy."""
        shape, view = self._view(picture, marks, maps)
        return Problem._of(self.model, _s3svm.task_example(self.model._handle, self.task, view), shape)

    def features(self, picture: ArrayLike, marks: Optional[ArrayLike] = None,
                 maps: Optional[ArrayLike] = None) -> Mapping[str, Doubles]:
        """The features of all pixels by the name of their group: height x width x size, and of costs that labels have by
        themselves height x width x labels x size."""
        problem = self.problem(picture, marks, maps)
        found = {group.name: problem.features(group.name) for group in self.model if group.kind in ("free", "nonnegative")}
        return {name: array for name, array in found.items() if array is not None}

    def __repr__(self) -> str:
        return f"Predictor: {self.task}, labels {', '.join(self.labels)}"


@functools.lru_cache(maxsize=8)
def _inside(name: str) -> Predictor:
    return Predictor(Model.embedded(name))


def prepare(model: ModelLike) -> Predictor:
    """A model of pictures prepared for use: a :class:`Model`, the path of a file, or the name of a model inside."""
    if isinstance(model, Predictor):
        return model
    if isinstance(model, Model):
        return Predictor(model)
    if isinstance(model, str) and model in _s3svm.embedded_names():
        return _inside(model)
    return Predictor(Model.load(model))


def _of_task(model: ModelLike, task: str) -> Predictor:
    predictor = prepare(model)
    if predictor.task != task:
        raise ValueError(f"this model is for another task: {predictor.task}")
    return predictor


def denoise(picture: ArrayLike, model: ModelLike = "denoise", *, maps: Optional[ArrayLike] = None) -> LabelPicture:
    """Restores a black and white drawing: 1 is ink, 0 paper.

    picture is height x width: bytes, or real numbers with 0 black and 1 white, from which noise may lead further.

    >>> import s3svm
    >>> clean = s3svm.draw(240, 320, 2)
    >>> noisy = np.clip(1 - clean + np.random.default_rng(0).normal(0, 0.5, clean.shape), 0, 1)
    >>> bool(np.mean(s3svm.denoise(noisy) != clean) < 0.03)
    True
    """
    return _of_task(model, "denoise").predict(picture, maps=maps)


def label(picture: ArrayLike, model: ModelLike, *, maps: Optional[ArrayLike] = None) -> LabelPicture:
    """Gives every pixel of a photograph, height x width x 3, one of several labels, by a model of ``s3svm train label`` or
    :func:`train_label`."""
    return _of_task(model, "label").predict(picture, maps=maps)


# ---- models of one's own pictures ----


def _learn(task: str, kind: str, method: Optional[str], lists: Any, map_kind: str, alone: bool, samples: int, seed: int,
           n_jobs: Optional[int], names: Optional[str], C: Optional[float], tol: Optional[float],
           callback: Optional[RoundCallback], progress: Progress) -> Model:
    with watched(progress) as watcher:
        handle, examples, settings = _s3svm.task_lesson(task, lists, kind, method, map_kind,
                                                        (alone, samples, seed, threads(n_jobs)), names, watcher)
    model = Model._of(handle)
    problems = [Problem._of(model, x) for x in examples]
    train(model, problems, settings["C"] if C is None else C, tol=settings["gap"] if tol is None else tol, n_jobs=n_jobs,
          epsilon=settings["epsilon"], callback=callback, progress=progress is True)
    return model


def _map_lists(maps: Optional[Sequence[ArrayLike]]) -> Any:
    return [] if maps is None else [maps_tuple(m) for m in maps]


def train_denoise(pictures: Sequence[ArrayLike], truths: Sequence[ArrayLike], kind: str = "full", *, C: Optional[float] = None,
                  tol: Optional[float] = None, maps: Optional[Sequence[ArrayLike]] = None, map_kind: str = "weights",
                  alone: bool = False, samples: int = 0, seed: int = 1, n_jobs: Optional[int] = None,
                  callback: Optional[RoundCallback] = None, progress: Progress = None) -> Model:
    """A model for :func:`denoise` from noisy pictures and their truths (1 is ink).

    kind
        "paper": grey values and a table of 2x2 patches; "full": small networks and 3x3 patches; and others (docs/denoising.md)
    C, tol
        of training; unless given what serves the kind best
    maps, map_kind, alone
        numbers of one's own for each pixel, height x width x channels, as "weights", "odds" or "bins" (docs/maps.md); alone:
        in place of the model's own features
    """
    greys = [grey_picture(picture) for picture in pictures]
    wanted = [as_labels(truth, grey.shape, 2, "truths") for truth, grey in zip(truths, greys)]
    lists: Any = ([tuple_of(g) for g in greys], [], [tuple_of(t) for t in wanted], [], _map_lists(maps))
    return _learn("denoise", kind, None, lists, map_kind, alone, samples, seed, n_jobs, None, C, tol, callback, progress)


def train_label(pictures: Sequence[ArrayLike], truths: Sequence[ArrayLike], labels: Union[int, Sequence[str]],
                kind: str = "full", *, unknown: int = 255, C: Optional[float] = None, tol: Optional[float] = None,
                maps: Optional[Sequence[ArrayLike]] = None, map_kind: str = "weights", alone: bool = False, seed: int = 1,
                n_jobs: Optional[int] = None, callback: Optional[RoundCallback] = None, progress: Progress = None) -> Model:
    """A model for :func:`label` from photographs and their labels.

    labels
        how many there are, or their names
    kind
        "unary", "pairwise", "tables" or "full" (docs/labeling.md)
    unknown
        the number in truths that stands for no label
    """
    names = [f"label {i}" for i in range(labels)] if isinstance(labels, (int, np.integer)) else [str(n) for n in labels]
    if any("," in name or "=" in name for name in names):
        raise ValueError("names of labels have neither commas nor equals signs")
    colours = [colour_picture(picture) for picture in pictures]
    wanted, care = [], []
    for truth, colour in zip(truths, colours):
        numbers = whole(truth, "truths")
        known = numbers != unknown
        wanted.append(as_labels(np.where(known, numbers, 0), colour.shape[:2], len(names), "truths"))
        care.append(np.ascontiguousarray(known.astype(np.uint8).reshape(colour.shape[:2])))
    lists: Any = ([tuple_of(c) for c in colours], [], [tuple_of(t) for t in wanted], [tuple_of(c) for c in care], _map_lists(maps))
    return _learn("label", kind, None, lists, map_kind, alone, 0, seed, n_jobs, ",".join(names), C, tol, callback, progress)


def train_segment(photographs: Sequence[ArrayLike], marks: Sequence[ArrayLike], truths: Sequence[ArrayLike],
                  features: str = "full", method: str = "s3svm", *, unsure: int = 255, C: Optional[float] = None,
                  tol: Optional[float] = None, maps: Optional[Sequence[ArrayLike]] = None, map_kind: str = "weights",
                  alone: bool = False, samples: int = 0, seed: int = 1, n_jobs: Optional[int] = None,
                  callback: Optional[RoundCallback] = None, progress: Progress = None) -> Model:
    """A model for :class:`Segmenter` from photographs, marks and truths (1 is the object, unsure does not count).

    features, method
        "paper" or "full"; "amn", "s3svm", "counts" and others (docs/segmentation.md)
    """
    colours = [colour_picture(photograph, "photograph") for photograph in photographs]
    marked = [marks_of(m, c.shape[:2]) for m, c in zip(marks, colours)]
    wanted, care = [], []
    for truth, colour in zip(truths, colours):
        numbers = whole(truth, "truths")
        known = numbers != unsure
        wanted.append(as_labels(np.where(known, numbers, 0), colour.shape[:2], 2, "truths"))
        care.append(np.ascontiguousarray(known.astype(np.uint8).reshape(colour.shape[:2])))
    lists: Any = ([tuple_of(c) for c in colours], [tuple_of(m) for m in marked], [tuple_of(t) for t in wanted],
             [tuple_of(c) for c in care], _map_lists(maps))
    return _learn("segment", features, method, lists, map_kind, alone, samples, seed, n_jobs, None, C, tol, callback, progress)
