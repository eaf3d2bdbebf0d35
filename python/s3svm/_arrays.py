"""Arrays as the C library takes them: contiguous, of its types; copied only where they are not."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]
Labels = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.uint32]
ArrayLike = npt.ArrayLike
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def doubles(values: ArrayLike, name: str) -> Doubles:
    """Real numbers of any shape."""
    array = np.asarray(values)
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
    array = np.asarray(values)
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


def path_bytes(path: Path) -> bytes:
    return os.fsencode(path)
