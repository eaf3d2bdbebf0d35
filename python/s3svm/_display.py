"""Labels as pictures, for notebooks."""

from __future__ import annotations

import struct
import zlib
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

# Colours for label numbers that are easy to tell apart; the first two are those of black and white pictures.
COLOURS = np.array(
    [[255, 255, 255], [0, 0, 0], [230, 97, 1], [94, 60, 153], [27, 158, 119], [231, 41, 138], [102, 166, 30], [230, 171, 2]],
    dtype=np.uint8)
SMALL_SIDE = 160  # a picture with smaller sides is shown enlarged


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(picture: npt.NDArray[np.uint8]) -> bytes:
    """A PNG of height x width (grey) or height x width x 3 or 4 bytes."""
    height, width = picture.shape[:2]
    channels = 1 if picture.ndim == 2 else picture.shape[2]
    colour_type = {1: 0, 3: 2, 4: 6}[channels]
    rows = np.zeros((height, 1 + width * channels), dtype=np.uint8)
    rows[:, 1:] = picture.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) +
            _chunk(b"IEND", b""))


def colours(labels: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Each label as a colour: height x width x 3."""
    shown: npt.NDArray[np.uint8] = COLOURS[np.asarray(labels, dtype=np.intp) % len(COLOURS)]
    return shown


def label_png(labels: npt.NDArray[Any]) -> Optional[bytes]:
    """Labels of a picture as a PNG; None where they are no picture."""
    if labels.ndim != 2 or labels.size == 0:
        return None
    times = max(1, SMALL_SIDE // max(labels.shape))
    return png(colours(labels).repeat(times, axis=0).repeat(times, axis=1))
