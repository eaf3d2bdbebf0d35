"""What a network says of pictures, as honest log odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _s3svm
from ._arrays import ArrayLike, Path, path_bytes
from ._minimize import threads
from ._pictures import maps_tuple, tuple_of

NUMBERS = ("odds", "probabilities", "bytes")  # s3svm_maps_numbers


@dataclass(frozen=True)
class Calibration:
    """Log odds are ``scale`` times z plus ``offset``, z being what the network would mean if it were honest.

    numbers
        what the network's numbers are: "odds", "probabilities" (0 to 1) or "bytes" (0 to 255)
    before, after, others
        (log loss, expected calibration error) without a calibration, with it, and of pictures left out; None: not known
    """

    numbers: str
    scale: float
    offset: float
    pictures: int = 0
    before: Optional[Tuple[float, float]] = None
    after: Optional[Tuple[float, float]] = None
    others: Optional[Tuple[float, float]] = None

    def __post_init__(self) -> None:
        if self.numbers not in NUMBERS:
            raise ValueError(f"numbers must be one of {', '.join(NUMBERS)}, not {self.numbers!r}")

    def apply(self, maps: ArrayLike) -> npt.NDArray[np.float32]:
        """Log odds of maps, height x width."""
        pixels, height, width, channels = maps_tuple(maps)
        odds = np.array(pixels, np.float32)  # a copy: it is changed in place
        _s3svm.maps_apply((odds, height, width, channels), NUMBERS.index(self.numbers), float(self.scale), float(self.offset))
        return odds.reshape(height, width)

    def save(self, path: Path) -> None:
        """Writes the file that ``s3svm segment --calibration`` reads."""
        _s3svm.calibration_write(path_bytes(path), NUMBERS.index(self.numbers), float(self.scale), float(self.offset))

    @classmethod
    def load(cls, path: Path) -> "Calibration":
        return cls(*_s3svm.calibration_read(path_bytes(path)))


def calibrate(maps: Sequence[ArrayLike], labels: Sequence[ArrayLike], *, n_jobs: Optional[int] = None) -> Calibration:
    """Learns how far to trust a network, from its maps of a few pictures and their true labels.

    maps
        of each picture, height x width: log odds of any scale, probabilities, or probabilities times 255
    labels
        of each picture, height x width: 0 background, 1 object; any other number: not sure
    n_jobs
        threads; None or -1: all cores.  The result is the same.

    >>> truth = np.random.default_rng(0).random((40, 50)) < 0.4
    >>> maps = np.where(truth, 9.0, -9.0) * np.where(np.random.default_rng(1).random((40, 50)) < 0.9, 1, -1)
    >>> c = calibrate([maps], [truth])
    >>> bool(c.scale < 0.5), c.numbers
    (True, 'odds')
    """
    if len(maps) != len(labels):
        raise ValueError(f"there are maps of {len(maps)} pictures, and labels of {len(labels)}")
    pairs = []
    for i, (said, true) in enumerate(zip(maps, labels)):
        numbers = np.asarray(true)
        if numbers.ndim != 2:
            raise ValueError(f"labels[{i}] must be height x width, not of shape {numbers.shape}")
        sides = np.where(numbers == 1, 1, np.where(numbers == 0, 0, 2)).astype(np.uint8)
        pairs.append((maps_tuple(said, f"maps[{i}]", False, sides.shape), tuple_of(sides)))
    name, scale, offset, pictures, before, after, others = _s3svm.maps_calibrate(pairs, threads(n_jobs))
    return Calibration(name, scale, offset, pictures, before, after, others if pictures > 1 else None)
