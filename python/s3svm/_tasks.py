"""Models of pictures, prepared for use: restoring drawings, labelling."""

from __future__ import annotations

import functools
from typing import Any, Mapping, Optional, Union

import numpy as np

from . import _s3svm
from ._arrays import ArrayLike, Doubles, Path
from ._model import Model
from ._pictures import LabelPicture, PictureLike, colour_picture, evidence_tuple, grey_picture, maps_tuple, marks_of, tuple_of
from ._problem import Problem

ModelLike = Union[str, Path, Model, "Predictor"]


class Predictor:
    """A model of pictures, prepared once for any number of pictures and threads.

    task
        "denoise", "segment", "label" or "trace"
    labels
        the names of the labels
    maps
        how many channels of maps of one's own the model needs; 0: none
    evidence
        whether pictures may come with what a network says of them, log odds of label 1
    """

    def __init__(self, model: Model):
        self.model = model.copy()
        self._handle = _s3svm.task_create(self.model._handle)
        self.task, self.maps, self.evidence, self._colour, self._marked, found = _s3svm.task_info(self._handle)
        self.labels = [name for name, _ in found]
        self.colours = np.array([[c >> 16 & 255, c >> 8 & 255, c & 255] for _, c in found], dtype=np.uint8)

    def _view(self, picture: PictureLike, marks: Optional[ArrayLike], maps: Optional[ArrayLike],
              channels_first: bool) -> Any:
        seen: Any = (colour_picture if self._colour else grey_picture)(picture, channels_first=channels_first)
        shape = seen.shape[:2]
        if marks is None and self.evidence and maps is not None:
            marks = np.zeros(shape, np.uint8)  # the evidence alone
        if self._marked and marks is None:
            raise ValueError("the model needs marks")
        if not self._marked and marks is not None:
            raise ValueError(f"a model for {self.task} takes no marks")
        wanted = None if marks is None else marks_of(marks, shape)
        if self.maps and maps is None:
            raise ValueError(f"the model needs maps of {self.maps} channels")
        if maps is not None and not self.maps and not self.evidence:
            raise ValueError("the model has learned from no maps")
        given = (evidence_tuple if self.evidence else maps_tuple)(maps, "maps", channels_first, shape)
        return shape, (None if self._colour else tuple_of(seen), tuple_of(seen) if self._colour else None, tuple_of(wanted),
                       given)

    def predict(self, picture: PictureLike, marks: Optional[ArrayLike] = None, maps: Optional[ArrayLike] = None, *,
                channels_first: bool = False) -> LabelPicture:
        """A label for each pixel.

        picture
            height x width x 3, or height x width of a model for grey pictures; or a file
        marks
            numbers of :class:`Mark` for each pixel, of models that need some; None with evidence: what it says alone
        maps
            height x width x channels, of models that need some; or evidence, log odds of label 1, height x width
        channels_first
            picture and maps are channels x height x width
        """
        shape, view = self._view(picture, marks, maps, channels_first)
        out = np.empty(shape, dtype=np.uint8)
        _s3svm.task_predict(self._handle, view, out)
        return LabelPicture(out, self.labels, self.colours)

    def problem(self, picture: PictureLike, marks: Optional[ArrayLike] = None, maps: Optional[ArrayLike] = None, *,
                channels_first: bool = False) -> Problem:
        """What the model sees of a picture, as a :class:`Problem`: its features, its cliques, its energy.  Arguments as of
        :meth:`predict`."""
        shape, view = self._view(picture, marks, maps, channels_first)
        return Problem._of(self.model, _s3svm.task_example(self._handle, view), shape)

    def features(self, picture: PictureLike, marks: Optional[ArrayLike] = None, maps: Optional[ArrayLike] = None,
                 *, channels_first: bool = False) -> Mapping[str, Doubles]:
        """The features of all pixels by the name of their group: height x width x size, and of costs that labels have by
        themselves height x width x labels x size.  Arguments as of :meth:`predict`."""
        problem = self.problem(picture, marks, maps, channels_first=channels_first)
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


def denoise(picture: PictureLike, model: ModelLike = "denoise", *, maps: Optional[ArrayLike] = None,
            channels_first: bool = False) -> LabelPicture:
    """Restores a black and white drawing: 1 is ink, 0 paper.

    picture
        height x width: bytes, or real numbers with 0 black and 1 white, from which noise may lead further; or a file
    model
        the name of a model inside, a :class:`Model`, a :class:`Predictor`, or the path of a file
    maps, channels_first
        as of :meth:`Predictor.predict`

    >>> import s3svm
    >>> clean = s3svm.draw(240, 320, 2)
    >>> noisy = np.clip(1 - clean + np.random.default_rng(0).normal(0, 0.5, clean.shape), 0, 1)
    >>> bool(np.mean(s3svm.denoise(noisy) != clean) < 0.03)
    True
    """
    return _of_task(model, "denoise").predict(picture, maps=maps, channels_first=channels_first)


def label(picture: PictureLike, model: ModelLike, *, maps: Optional[ArrayLike] = None,
          channels_first: bool = False) -> LabelPicture:
    """Gives every pixel of a photograph one of several labels.

    picture
        height x width x 3: bytes, or real numbers from 0 to 1; or a file
    model
        of ``s3svm train label`` or :func:`train_label`: a :class:`Model`, a :class:`Predictor`, or the path of a file
    maps, channels_first
        as of :meth:`Predictor.predict`
    """
    return _of_task(model, "label").predict(picture, maps=maps, channels_first=channels_first)
