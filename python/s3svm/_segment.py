"""Objects in photographs: a photograph once, marks again and again; and GrabCut."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _s3svm
from ._arrays import ArrayLike, Path, labels as as_labels, path_bytes, wrap
from ._display import png
from ._minimize import threads
from ._model import Model
from ._pictures import Bytes, LabelPicture, Mark, PictureLike, array_of, colour_picture, evidence_tuple, maps_tuple, marks_of, opencv_mask, tuple_of
from ._progress import Progress, watched

STROKE, BOX, OUTLINE, PIXELS = range(4)  # s3svm_shape
COMPONENTS, ITERATIONS, GAMMA, SEED = _s3svm.grabcut_defaults()
METHODS = {name: model for name, _, _, model in _s3svm.segmenter_methods()}  # None: GrabCut, which has no model
SIDES = {"object": Mark.OBJECT, "background": Mark.BACKGROUND}
NAMES = ["background", "object"]


def cutout(photograph: PictureLike, labels: ArrayLike, edge: Optional[float] = None, *, n_jobs: Optional[int] = None) -> Bytes:
    """The object of a photograph alone: height x width x 4, red, green, blue and opacity, with a soft edge.

    photograph, labels
        height x width x 3, or a file; 1 where the object is
    edge
        half the width of the edge in pixels (0.5 to 16); 0: a hard one; None: the default
    n_jobs
        threads; None or -1: all cores
    """
    picture = colour_picture(photograph, "photograph")
    if edge is not None and not edge >= 0:
        raise ValueError(f"edge must not be negative: {edge}")
    sides = as_labels(labels, picture.shape[:2], 2).reshape(picture.shape[:2])
    if edge == 0:
        return np.dstack([picture * sides[..., None], 255 * sides])
    return array_of(_s3svm.cutout_matte(tuple_of(picture), sides, -1.0 if edge is None else float(edge), threads(n_jobs)))


def overlay(photograph: PictureLike, labels: ArrayLike, marks: Optional[ArrayLike] = None, *,
            n_jobs: Optional[int] = None) -> Bytes:
    """The photograph with its background dimmed, the outline, and the marks: height x width x 3.

    photograph, labels
        height x width x 3, or a file; 1 where the object is
    marks
        numbers of :class:`Mark` for each pixel, drawn in colours; None: none are
    n_jobs
        threads; None or -1: all cores
    """
    picture = colour_picture(photograph, "photograph")
    drawn = None if marks is None else marks_of(marks, picture.shape[:2])
    return array_of(_s3svm.cutout_overlay(tuple_of(picture), as_labels(labels, picture.shape[:2], 2), tuple_of(drawn),
                                          threads(n_jobs)))


class Confidence:
    """How sure the labels of a :class:`Segmenter` are, piece by piece of the photograph.

    map
        height x width: of each piece (about 200 superpixels, cut where labels change) by how much the least energy rises if all
        of it must take the other label, exactly, per pixel and in units of what training demands for a wrong pixel; 1 is as sure
        as a model wants to be, 100 what is marked, 0 without a step.  For a single pixel the rise of its piece is an upper bound.
    next
        (x, y), the middle of the piece that is most likely to be wrong, for the next mark; None: all is marked, or nothing
    label, least
        what it is now, "object" or "background", and its confidence; None without a place
    pieces, doubt, seconds
        how many there are; how far rises may be from the exact ones, as energies; how long it took
    """

    def __init__(self, map: npt.NDArray[np.float32], place: Optional[tuple[int, int, int, float]], pieces: int, doubt: float,
                 seconds: float):
        self.map = map
        self.next = None if place is None else place[:2]
        self.label = None if place is None else NAMES[place[2]]
        self.least = None if place is None else place[3]
        self.pieces = pieces
        self.doubt = doubt
        self.seconds = seconds

    @property
    def grey(self) -> Bytes:
        """The map as ``s3svm segment --confidence`` writes it: 255 c / (1 + c), so that 1 is 128; 255 what is marked."""
        grey: Bytes = np.where(self.map >= 100, 255, 255 * (self.map / (1 + self.map.astype(float))) + 0.5).astype(np.uint8)
        return grey

    def __repr__(self) -> str:
        where = "nowhere" if self.next is None else f"next ({self.next[0]}, {self.next[1]}), {self.label} at {self.least:.2f}"
        return f"Confidence of {self.pieces} pieces: {where}"

    def _repr_png_(self) -> bytes:
        return png(self.grey)


class Segmenter:
    """Cuts an object out of one photograph, by marks that are added and taken back.

    photograph
        height x width x 3 bytes, or real numbers from 0 to 1; or a file
    model
        the name of a method ("s3svm", "amn", "grabcut") or of a model inside ("segment", "segment-amn"), a :class:`Model`, or
        the path of a file
    hard
        what is marked gets that label, whatever the model thinks
    specks
        parts of object and background with fewer pixels become the other, unless they are marked; None: a ten thousandth of
        the photograph's pixels; 0: all parts stay
    connected
        object is only what is connected with an object mark
    max_pixels
        larger photographs are solved at a reduced size, and refined; None: depends on the method; 0: never reduced
    maps
        what a network says of the photograph: log odds of the object, height x width, positive where it is, for models that
        have learned to see evidence; see :class:`Calibration` for other numbers.  Or numbers of one's own for each pixel,
        height x width x channels, for models that have learned from such
    components, iterations, gamma, seed
        of GrabCut, also where it helps a model

    n_jobs
        threads; None or -1: all cores.  The labels are the same.
    progress
        called with a phase and how much of it is done while the photograph is prepared; True shows a line
    channels_first
        photograph and maps are channels x height x width

    What does not depend on marks is computed once.  Each call that marks is a step, gives new labels and returns them;
    :meth:`undo` gives back those before, as if the step had never been made.  Labels are those of ``s3svm segment``, of the page
    and of :meth:`Predictor.predict` for the same photograph, marks and model.  In a notebook a segmenter shows the photograph
    with the outline.  One thread at a time.

    >>> y, x = np.mgrid[:60, :80]
    >>> photograph = np.where(((x - 40) ** 2 + (y - 30) ** 2 < 300)[..., None], [200, 40, 40], [40, 120, 60]).astype(np.uint8)
    >>> s = Segmenter(photograph, model="grabcut")
    >>> labels = s.box(15, 8, 65, 52)
    >>> int(labels[30, 40]), int(labels[2, 2])
    (1, 0)
    """

    def __init__(self, photograph: PictureLike, model: Any = "segment", *, hard: bool = True, specks: Optional[int] = None,
                 connected: bool = False, max_pixels: Optional[int] = None, maps: Optional[ArrayLike] = None,
                 components: int = COMPONENTS, iterations: int = ITERATIONS, gamma: float = GAMMA, seed: int = SEED,
                 n_jobs: Optional[int] = None, progress: Progress = None, channels_first: bool = False):
        self.photograph = colour_picture(photograph, "photograph", channels_first)
        self.n_jobs = n_jobs
        loaded = _model_of(model)
        self.model_name = model if isinstance(model, str) else "a model"
        pixels = 0 if max_pixels is None else np.iinfo(np.uintp).max if max_pixels == 0 else int(max_pixels)
        if specks is not None and specks < 0:
            raise ValueError(f"specks must not be negative: {specks}")
        least = 0 if specks is None else max(1, int(specks))  # no part has fewer than one pixel
        settings = (bool(hard), int(pixels), least, bool(connected), threads(n_jobs), int(components), int(iterations),
                    float(gamma), int(seed))
        own = loaded is not None and "maps" in loaded.facts  # what it has learned from, not evidence
        given = (maps_tuple if own else evidence_tuple)(maps, "maps", channels_first, self.photograph.shape[:2])
        with watched(progress) as callback:
            self._handle = _s3svm.segmenter_create(tuple_of(self.photograph), None if loaded is None else loaded._handle, given,
                                                   settings, callback)

    # ---- marking ----

    def stroke(self, points: ArrayLike, label: str = "object", radius: float = 5.0, *, progress: Progress = None) -> LabelPicture:
        """A line through points (x, y) with a round pen, on the object or the background; one point is a click."""
        return self.mark([("stroke", points, label, radius)], progress=progress)

    def click(self, x: float, y: float, label: str = "object", radius: float = 5.0, *,
              progress: Progress = None) -> LabelPicture:
        """A stroke of one point."""
        return self.stroke([[x, y]], label, radius, progress=progress)

    def box(self, x0: float, y0: float, x1: float, y1: float, *, progress: Progress = None) -> LabelPicture:
        """Two opposite corners: the object lies between them."""
        return self.mark([("box", [[x0, y0], [x1, y1]])], progress=progress)

    def outline(self, points: ArrayLike, *, progress: Progress = None) -> LabelPicture:
        """A closed line drawn loosely around the object."""
        return self.mark([("outline", points)], progress=progress)

    def scribbles(self, marks: ArrayLike, convention: str = "palette", *, progress: Progress = None) -> LabelPicture:
        """Marks for each pixel: numbers of :class:`Mark`, or, with convention "opencv", those of OpenCV's grabCut."""
        return self.mark([("pixels", marks, convention)], progress=progress)

    def mark(self, marks: Sequence[Sequence[Any]], *, progress: Progress = None) -> LabelPicture:
        """Several marks at once, as one step: ("stroke", points, label, radius), ("box", corners), ("outline", points) or
        ("pixels", marks, convention)."""
        made = [self._made(mark) for mark in marks]
        with watched(progress) as callback:
            _s3svm.segmenter_mark(self._handle, made, callback)
        return self.labels

    def propose(self) -> LabelPicture:
        """What the maps say before the first mark, for models that see evidence.  Labels of later steps are the same with and
        without a proposal; :meth:`undo` of all of them leads back to it.

        >>> import s3svm
        >>> random, (y, x) = np.random.default_rng(0), np.mgrid[:40, :50]
        >>> truth = (x - 25) ** 2 + (y - 20) ** 2 < 100
        >>> photographs = [np.clip(120 + 60 * truth[..., None] + random.normal(0, 20, (40, 50, 3)), 0, 255) for _ in range(3)]
        >>> odds = [np.where(truth, 3, -3) + random.normal(0, 1, truth.shape) for _ in range(3)]
        >>> model = s3svm.train_segment([p.astype(np.uint8) for p in photographs], None, 3 * [truth], method="amn", maps=odds,
        ...                             dialogues=True, evidence=True, samples=200, tol=0.5)
        >>> s = Segmenter(photographs[0].astype(np.uint8), model, maps=odds[0])
        >>> bool(np.mean(s.propose() != truth) < 0.05)
        True
        """
        _s3svm.segmenter_propose(self._handle)
        return self.labels

    def replay(self, path: Path, *, progress: Progress = None) -> LabelPicture:
        """The steps of a list of marks (JSON), or a file of scribbles of any convention as one."""
        with watched(progress) as callback:
            _s3svm.segmenter_replay(self._handle, path_bytes(path), callback)
        return self.labels

    def undo(self, steps: int = 1) -> LabelPicture:
        """Takes the last steps back."""
        _s3svm.segmenter_cut(self._handle, max(0, self.steps - int(steps)))
        return self.labels

    def clear(self) -> None:
        """Takes all steps back."""
        _s3svm.segmenter_cut(self._handle, 0)

    def save_marks(self, path: Path) -> None:
        """Writes all steps as a list of marks (JSON), for :meth:`replay` and the command."""
        _s3svm.segmenter_write(self._handle, path_bytes(path))

    def _made(self, mark: Sequence[Any]) -> Any:
        shape, *rest = mark
        if shape == "stroke":
            points, label, radius = (list(rest) + ["object", 5.0][len(rest) - 1:])[:3]
            if label not in SIDES:
                raise ValueError(f"label must be 'object' or 'background', not {label!r}")
            made = _points(points)
            height, width = self.photograph.shape[:2]
            inside = (made >= 0).all(axis=1) & (made[:, 0] < width) & (made[:, 1] < height)
            if np.isfinite(made).all() and len(made) and not inside.any():
                raise ValueError(f"({made[0, 0]:g}, {made[0, 1]:g}) lies outside of the photograph, which has {width} x {height} pixels")
            return STROKE, int(SIDES[label]), float(radius), made, None
        if shape == "box":
            return BOX, 0, 0.0, _points(rest[0]), None
        if shape == "outline":
            return OUTLINE, 0, 0.0, _points(rest[0]), None
        if shape == "pixels":
            pixels = marks_of(rest[0], self.photograph.shape[:2], rest[1] if len(rest) > 1 else "palette")
            return PIXELS, 0, 0.0, None, tuple_of(pixels)
        raise ValueError(f"a mark is a stroke, box, outline or pixels, not {shape!r}")

    # ---- what came out ----

    @property
    def steps(self) -> int:
        return int(_s3svm.segmenter_state(self._handle)[0])

    @property
    def labels(self) -> LabelPicture:
        """1 where the object is, a copy; while nothing is marked what was proposed, or 0 everywhere."""
        labels = wrap(_s3svm.segmenter_state(self._handle)[1], np.uint8).reshape(self.photograph.shape[:2])
        return LabelPicture(labels, NAMES)

    @property
    def marks(self) -> Bytes:
        """All marks together: numbers of :class:`Mark`."""
        return wrap(_s3svm.segmenter_state(self._handle)[2], np.uint8).reshape(self.photograph.shape[:2])

    @property
    def result(self) -> Mapping[str, Any]:
        """How the last step went: what was assumed, by how much sides were reduced, seconds."""
        return dict(_s3svm.segmenter_state(self._handle)[3])

    def confidence(self, *, progress: Progress = None) -> Confidence:
        """How sure the labels are after the last step, and where to look next: :class:`Confidence`.  Not for GrabCut."""
        with watched(progress) as callback:
            values, place, pieces, doubt, seconds = _s3svm.segmenter_confidence(self._handle, callback)
        return Confidence(wrap(values, np.float32).reshape(self.photograph.shape[:2]), place, pieces, doubt, seconds)

    def cutout(self, edge: Optional[float] = None) -> Bytes:
        """:func:`s3svm.cutout` of the object."""
        return cutout(self.photograph, self.labels, edge, n_jobs=self.n_jobs)

    def overlay(self) -> Bytes:
        """:func:`s3svm.overlay` of the labels and marks."""
        return overlay(self.photograph, self.labels, self.marks, n_jobs=self.n_jobs)

    def __repr__(self) -> str:
        height, width = self.photograph.shape[:2]
        return f"Segmenter of {height} x {width} pixels by {self.model_name}, {self.steps} steps, {self.labels.sum():,} of object"

    def _repr_png_(self) -> bytes:
        return png(self.overlay())


def segment(photograph: PictureLike, marks: ArrayLike, model: Any = "segment", *, convention: str = "palette",
            **settings: Any) -> LabelPicture:
    """The object of a photograph by marks for each pixel: a :class:`Segmenter` with one step.

    photograph, model, settings
        as of :class:`Segmenter`
    marks, convention
        as of :meth:`Segmenter.scribbles`
    """
    return Segmenter(photograph, model, **settings).scribbles(marks, convention)


class GrabCut:
    """What :func:`grabcut` found: labels (1 is the object), marks (numbers of :class:`Mark`, perhaps where it decided),
    iterations, converged, beta; ``mask`` is OpenCV's."""

    def __init__(self, labels: LabelPicture, marks: Bytes, iterations: int, converged: bool, beta: float):
        self.labels = labels
        self.marks = marks
        self.iterations = iterations
        self.converged = converged
        self.beta = beta

    @property
    def mask(self) -> Bytes:
        return opencv_mask(self.marks)

    def __array__(self, dtype: Any = None) -> Any:
        return np.asarray(self.labels) if dtype is None else np.asarray(self.labels).astype(dtype)

    def __repr__(self) -> str:
        how = "converged" if self.converged else "stopped"
        return f"GrabCut: {how} after {self.iterations} iterations, {int(self.labels.sum()):,} pixels of object"

    def _repr_png_(self) -> Optional[bytes]:
        return self.labels._repr_png_()


def grabcut(photograph: PictureLike, marks: Optional[ArrayLike] = None, rect: Optional[Sequence[int]] = None, *,
            convention: str = "palette", components: int = COMPONENTS, iterations: int = ITERATIONS, gamma: float = GAMMA,
            seed: int = SEED, n_jobs: Optional[int] = None, progress: Progress = None) -> GrabCut:
    """GrabCut, as OpenCV's but with exact and repeatable cuts: mixtures of colours and pairs of neighbours.

    marks
        numbers of :class:`Mark` for each pixel, or, with convention "opencv", OpenCV's
    photograph
        height x width x 3, or a file
    rect
        (x, y, width, height) that holds the object, as OpenCV's
    components, iterations, gamma, seed
        of the mixtures of colours, how many; of the loop, at most; how much neighbours weigh; of the first mixtures
    n_jobs, progress
        threads; called with a phase and how much of it is done, returning False cancels

    >>> photograph = np.zeros((40, 40, 3), np.uint8)
    >>> photograph[10:30, 10:30] = [250, 200, 10]
    >>> int(grabcut(photograph, rect=(5, 5, 30, 30)).labels.sum())
    400
    """
    picture = colour_picture(photograph, "photograph")
    shape = picture.shape[:2]
    begin = np.zeros(shape, np.uint8) if marks is None else np.array(marks_of(marks, shape, convention))
    if rect is not None:
        x, y, width, height = (int(v) for v in rect)
        inside = np.zeros(shape, bool)
        inside[max(0, y):max(0, y + height), max(0, x):max(0, x + width)] = True
        if not inside.any():
            raise ValueError(f"the rectangle {tuple(rect)} holds no pixel")
        free = (begin != Mark.OBJECT) & (begin != Mark.BACKGROUND)
        begin[free] = np.where(inside, Mark.PERHAPS_OBJECT, Mark.BACKGROUND)[free]
    elif marks is None:
        raise ValueError("marks or a rectangle are needed")
    with watched(progress) as callback:
        done, converged, _, beta = _s3svm.grabcut(tuple_of(picture), begin, (int(components), int(iterations), float(gamma),
                                                                           int(seed), threads(n_jobs)), callback)
    return GrabCut(LabelPicture((begin & 1).astype(np.uint8), NAMES), begin, done, converged, beta)


def _points(points: ArrayLike) -> npt.NDArray[np.float32]:
    array = np.ascontiguousarray(points, dtype=np.float32)
    if array.ndim == 1 and array.size == 2:
        array = array.reshape(1, 2)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"points must be count x 2, x and y, not of shape {np.shape(points)}")
    return array


def _model_of(model: Any) -> Optional[Model]:
    if isinstance(model, Model):
        return model
    name = METHODS.get(model, model) if isinstance(model, str) else model
    if name is None:
        return None
    if isinstance(name, str) and name in _s3svm.embedded_names():
        return Model.embedded(name)
    if hasattr(model, "model") and isinstance(model.model, Model):
        return model.model
    return Model.load(model)
