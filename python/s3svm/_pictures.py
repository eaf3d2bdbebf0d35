"""Pictures as arrays: files, marks, drawings, and labels that show themselves."""

from __future__ import annotations

import enum
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _s3svm
from ._arrays import ArrayLike, Path, is_path, path_bytes, plain, whole, wrap
from ._display import label_png, png

IMAGE_KINDS = {"grey": 0, "colour": 1, "labels": 2}
CONVENTIONS = {"auto": 0, "palette": 1, "opencv": 2, "trimap": 3, "colour": 4, "list": 5}

Bytes = npt.NDArray[np.uint8]
PictureLike = Union[ArrayLike, Path]  # an array, or a file


class Mark(enum.IntEnum):
    """What is known of a pixel."""

    NONE = 0
    OBJECT = 1
    BACKGROUND = 2
    PERHAPS_OBJECT = 3
    PERHAPS_BACKGROUND = 4


# OpenCV's masks by number: GC_BGD, GC_FGD, GC_PR_BGD, GC_PR_FGD.
_FROM_OPENCV = np.array([Mark.BACKGROUND, Mark.OBJECT, Mark.PERHAPS_BACKGROUND, Mark.PERHAPS_OBJECT], dtype=np.uint8)
_TO_OPENCV = np.array([2, 1, 0, 3, 2], dtype=np.uint8)


class LabelPicture(np.ndarray):  # type: ignore[type-arg]
    """An array of labels, which in a notebook shows itself as a picture.  ``names`` are those of the labels, where there are."""

    names: Optional["list[str]"]
    colours: Optional[Bytes]

    def __new__(cls, labels: npt.NDArray[Any], names: Optional["list[str]"] = None,
                colours: Optional[Bytes] = None) -> "LabelPicture":
        picture = np.asarray(labels).view(cls)
        picture.names = names
        picture.colours = colours
        return picture

    def __array_finalize__(self, other: Any) -> None:
        self.names = getattr(other, "names", None)
        self.colours = getattr(other, "colours", None)

    def __array_wrap__(self, out: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """What is computed from labels is a plain array, or a number."""
        plain = np.asarray(out)
        return plain[()] if plain.ndim == 0 else plain

    def _repr_png_(self) -> Optional[bytes]:
        labels = np.asarray(self)
        if labels.ndim != 2 or labels.dtype.kind not in "iub":
            return None
        if self.colours is None or (labels.size and int(labels.max()) >= len(self.colours)):
            return label_png(labels)
        return png(self.colours[labels])


def picture_array(picture: Any, name: str, kind: str, channels_first: bool) -> npt.NDArray[Any]:
    """An array whose channels, if it has some, are in the last axis; of a file what it holds."""
    if is_path(picture):
        return read_image(picture, kind)
    array = plain(picture, name)
    return np.moveaxis(array, 0, -1) if channels_first and array.ndim == 3 else array


def colour_picture(picture: Any, name: str = "picture", channels_first: bool = False) -> Bytes:
    """height x width x 3 bytes: of grey values repeated, of fractions from 0 to 1 multiplied by 255; opacity is left out."""
    given = picture_array(picture, name, "colour", channels_first)
    array = np.repeat(given[..., None], 3, axis=2) if given.ndim == 2 else given
    if array.ndim != 3 or array.shape[2] not in (3, 4):
        wanted = "3 x height x width" if channels_first else "height x width x 3"
        first = not channels_first and array.ndim == 3 and array.shape[0] in (3, 4)
        raise ValueError(f"{name} must be {wanted}, not of shape {np.shape(picture)}"
                         f"{'; channels_first=True takes channels x height x width' if first else ''}")
    return np.ascontiguousarray(as_bytes(array[..., :3], name))


def as_bytes(array: npt.NDArray[Any], name: str) -> Bytes:
    if array.dtype == np.uint8:
        return array
    if array.dtype.kind == "f":
        wrong = ~((array >= 0) & (array <= 1))  # NaN is neither
        if wrong.any():
            raise ValueError(f"{name} of real numbers must lie between 0 and 1: {_place(wrong)} does not")
        rounded: Bytes = np.rint(255 * array).astype(np.uint8)
        return rounded
    raise TypeError(f"{name} must be uint8 or real numbers from 0 to 1, not {array.dtype}")


def grey_picture(picture: Any, name: str = "picture", channels_first: bool = False) -> npt.NDArray[np.float32]:
    """height x width real numbers: 0 black, 1 white, noise may lead further; bytes are divided by 255."""
    array = picture_array(picture, name, "grey", channels_first)
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[..., 0]
    if array.ndim != 2:
        raise ValueError(f"{name} must be height x width, not of shape {np.shape(picture)}")
    if array.dtype == np.uint8:
        return np.ascontiguousarray(array.astype(np.float32) / np.float32(255))
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be real numbers, not {array.dtype}")
    finite = np.isfinite(array)
    if not finite.all():
        raise ValueError(f"{name} must be finite: {_place(~finite)} is not")
    return np.ascontiguousarray(array, dtype=np.float32)


def _place(wrong: npt.NDArray[np.bool_]) -> str:
    """Where the first of what is wrong lies."""
    row, column, *_ = np.argwhere(wrong)[0]
    return f"row {row}, column {column}"


def marks_of(marks: ArrayLike, shape: "tuple[int, ...]", convention: str = "palette", name: str = "marks") -> Bytes:
    """Numbers of :class:`Mark` for each pixel; convention "opencv": those of OpenCV's grabCut."""
    array = whole(marks, name)
    if array.shape != shape:
        raise ValueError(f"{name} must have the size of the photograph, {shape}, not {array.shape}")
    most = 3 if convention == "opencv" else max(Mark)
    if array.size and (int(array.min()) < 0 or int(array.max()) > most):
        raise ValueError(f"{name} must be from 0 to {most}")
    if convention == "opencv":
        from_theirs: Bytes = _FROM_OPENCV[array]
        return from_theirs
    if convention != "palette":
        raise ValueError(f"convention must be palette or opencv, not {convention!r}")
    return np.ascontiguousarray(array, dtype=np.uint8)


def opencv_mask(marks: ArrayLike) -> Bytes:
    """Numbers of :class:`Mark` (marks) as OpenCV's grabCut has them."""
    mask: Bytes = _TO_OPENCV[whole(marks, "marks")]
    return mask


def tuple_of(array: Optional[npt.NDArray[Any]]) -> Any:
    """A picture for the extension: (array, height, width, channels)."""
    if array is None:
        return None
    return array, array.shape[0], array.shape[1], 1 if array.ndim == 2 else array.shape[2]


def maps_tuple(maps: Optional[ArrayLike], name: str = "maps", channels_first: bool = False,
               shape: Optional["tuple[int, ...]"] = None) -> Any:
    """Maps height x width x channels for the extension, which has channel after channel; shape: that of the picture."""
    if maps is None:
        return None
    array = picture_array(maps, name, "grey", channels_first)
    if array.ndim == 2:
        array = array[..., None]
    if array.ndim != 3 or array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be height x width x channels of real numbers, not of shape {np.shape(maps)}")
    if shape is not None and array.shape[:2] != shape:
        raise ValueError(f"{name} must have the size of the picture, {shape}, not {array.shape[:2]}")
    finite = np.isfinite(array)
    if not finite.all():
        raise ValueError(f"{name} must be finite: {_place(~finite)} is not")
    return np.ascontiguousarray(np.moveaxis(array, 2, 0), dtype=np.float32), array.shape[0], array.shape[1], array.shape[2]


def evidence_tuple(maps: Optional[ArrayLike], name: str = "maps", channels_first: bool = False,
                   shape: Optional["tuple[int, ...]"] = None) -> Any:
    """Log odds of the object for the extension, height x width; numbers that must be something else are refused."""
    found = maps_tuple(maps, name, channels_first, shape)
    if found is None:
        return None
    numbers, _, _, channels = found
    if channels != 1:
        raise ValueError(f"{name} must have one channel as evidence, the log odds of the object, not {channels}")
    if numbers.min() >= 0 and 0 < numbers.max() and (numbers.max() <= 1 or np.asarray(maps).dtype.kind in "ub"):
        kind = "bytes" if numbers.max() > 1 else "probabilities"
        raise ValueError(f"{name} must be log odds of the object, which are negative where it is not; these look like {kind}: "
                         f"Calibration({kind!r}, 1, 0).apply(maps) makes log odds of them")
    return found


def array_of(found: Any) -> Bytes:
    """An array of what the extension returned as a picture."""
    pixels, height, width, channels = found
    array = wrap(pixels, np.uint8)
    return array.reshape(height, width) if channels == 1 else array.reshape(height, width, channels)


def read_image(path: Path, kind: str = "colour") -> Bytes:
    """Reads a PNG, JPEG, PGM or PPM from a path, as kind: "colour" height x width x 3, "grey" height x width, or "labels", numbers as stored."""
    if kind not in IMAGE_KINDS:
        raise ValueError(f"kind must be one of {', '.join(IMAGE_KINDS)}, not {kind!r}")
    return array_of(_s3svm.image_read(path_bytes(path), IMAGE_KINDS[kind]))


def write_image(path: Path, picture: ArrayLike) -> None:
    """Writes a picture as PNG, JPEG, PGM or PPM, by the ending of path: height x width, or height x width x 3 or 4 (PNG)."""
    array = np.ascontiguousarray(as_bytes(np.asarray(picture), "picture"))
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 3, 4)):
        raise ValueError(f"a picture has height x width x 3 bytes, not shape {array.shape}")
    _s3svm.image_write(tuple_of(array), path_bytes(path))


def read_scribbles(path: Path, photograph: ArrayLike, convention: str = "auto") -> Bytes:
    """Reads a file of scribbles (path) over a photograph: numbers of :class:`Mark` for each pixel.  convention: palette, opencv,
    trimap or colour; auto recognises it."""
    if convention not in CONVENTIONS:
        raise ValueError(f"convention must be one of {', '.join(CONVENTIONS)}, not {convention!r}")
    marks, _ = _s3svm.scribbles_read(path_bytes(path), tuple_of(colour_picture(photograph, "photograph")),
                                     CONVENTIONS[convention])
    return array_of(marks)


def draw(height: int, width: int, number: int = 0, seed: int = 1, sketch: bool = False) -> LabelPicture:
    """A drawing to learn from or to try things on: 1 is ink, 0 paper.

    height, width are its sides; number and seed choose it, the same everywhere; sketch: drawn as if by hand.

    >>> draw(40, 60).shape
    (40, 60)
    """
    found = array_of(_s3svm.drawing_make(int(width), int(height), sketch, seed, number))
    return LabelPicture((found == 0).astype(np.uint8), ["paper", "ink"])
