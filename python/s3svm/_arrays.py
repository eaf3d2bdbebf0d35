"""Arrays as the C library takes them: contiguous, of its types; copied only where they are not."""

from __future__ import annotations

import contextlib
import difflib
import math
import operator
import os
from typing import Any, Iterable, Iterator, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._errors import NumberError, RangeError

Doubles = npt.NDArray[np.float64]
Labels = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.uint32]
ArrayLike = npt.ArrayLike
VARIABLES_MAX = 2**32 - 1  # more have no number
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def near(name: object, names: Iterable[str]) -> str:
    """The end of a message: which of the names was meant, where one is like the one given."""
    found = difflib.get_close_matches(str(name), list(names), 1)
    return f"; did you mean {found[0]!r}?" if found else ""


@contextlib.contextmanager
def about(name: str) -> Iterator[None]:
    """What is wrong within is wrong with this."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise type(error)(f"{name}: {error}") from None


def plain(values: Any, name: str) -> npt.NDArray[Any]:
    """An array; entries that are masked have no value to go on with."""
    if isinstance(values, np.ma.MaskedArray) and np.any(values.mask):
        raise ValueError(f"{name} has masked entries; fill them first, as numpy.ma.filled does")
    return np.asarray(values)


def integer(value: Any, name: str) -> int:
    """A whole number: no fraction is cut off, and no text is read."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r}") from None


def number(value: Any, name: str, instead: str = "") -> float:
    """One real number; instead says what takes several."""
    array = plain(value, name)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be a number, not {value!r}")
    if array.ndim:
        raise ValueError(f"{name} must be one number, not an array of shape {array.shape}{instead}")
    return float(array)


def index(value: Any, count: int, name: str) -> int:
    """The number of one of count things."""
    i = integer(value, name)
    if not 0 <= i < count:
        raise NumberError(f"there is no {name} {i}: there are {count}, numbered from 0 on")
    return i


def shape_of(shape: Any) -> "tuple[int, ...]":
    """The shape of a grid, or the number of variables as one."""
    if isinstance(shape, (str, bytes)):
        raise TypeError(f"a shape must be whole numbers, not {shape!r}")
    sides = tuple(integer(s, "a side") for s in (shape if np.iterable(shape) else (shape,)))
    if any(s < 0 for s in sides):
        raise ValueError(f"a shape is not negative: {sides}")
    if math.prod(sides) > VARIABLES_MAX:
        raise RangeError(f"a shape of {sides}: {math.prod(sides):,} variables are more than the library can number")
    return sides


def is_path(value: Any) -> bool:
    return isinstance(value, (str, bytes, os.PathLike))


def doubles(values: ArrayLike, name: str) -> Doubles:
    """Real numbers of any shape."""
    array = plain(values, name)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be real numbers, not {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


def optional_doubles(values: Optional[ArrayLike], name: str) -> Optional[Doubles]:
    return None if values is None else doubles(values, name)


def spread(values: Optional[ArrayLike], shape: tuple[int, ...], name: str) -> Optional[Doubles]:
    """Real numbers of this shape; one number stands for all."""
    if values is None:
        return None
    array = doubles(values, name)
    if array.shape == shape:
        return array
    if array.ndim == 0 or array.shape == (1,):
        return np.full(shape, array.reshape(()))
    raise ValueError(f"{name} must have shape {shape} or be one number, not {array.shape}")


def whole(values: ArrayLike, name: str) -> npt.NDArray[Any]:
    """Whole numbers of any integer type; an empty list is one."""
    array = plain(values, name)
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.uint32)
    if array.dtype.kind not in "iub":
        raise TypeError(f"{name} must be whole numbers, not {array.dtype}")
    return array


def numbers(values: ArrayLike, name: str, below: int) -> Numbers:
    """Indices: whole numbers from 0 to below - 1."""
    array = whole(values, name)
    if array.size and array.dtype.kind == "i" and int(array.min()) < 0:
        raise ValueError(f"{name} must not be negative: {int(array.min())}")
    if array.size and int(array.max()) >= below:
        raise ValueError(f"{name} must be below {below}: {int(array.max())}")
    return np.ascontiguousarray(array, dtype=np.uint32)


def labels(values: ArrayLike, shape: tuple[int, ...], count: int, name: str = "labels") -> Labels:
    """A label for each variable, from 0 to count - 1."""
    array = whole(values, name)
    if array.shape != shape and array.shape != (int(np.prod(shape)),):
        raise ValueError(f"{name} must have shape {shape}, not {array.shape}")
    if array.dtype.kind == "b":
        array = array.view(np.uint8) if array.flags.c_contiguous else array.astype(np.uint8)
    if array.size and (int(array.min()) < 0 or int(array.max()) >= count):
        raise ValueError(f"{name} must be from 0 to {count - 1}")
    return np.ascontiguousarray(array, dtype=np.uint8)


def starts(lengths: "list[int]") -> npt.NDArray[np.uint64]:
    """Where lists of these lengths begin when they lie behind each other, and where the last ends."""
    out = np.zeros(len(lengths) + 1, dtype=np.uint64)
    np.cumsum(np.asarray(lengths, dtype=np.uint64), out=out[1:])
    return out


def wrap(buffer: bytearray, dtype: Any) -> npt.NDArray[Any]:
    """An array over bytes that the extension returned."""
    return np.frombuffer(buffer, dtype=dtype)


def content(text: Any) -> bytes:
    """What is in memory as a file would have it; bytes() would take a number for a length."""
    return memoryview(text).tobytes()


def path_bytes(path: Path) -> bytes:
    return os.fsencode(path)
