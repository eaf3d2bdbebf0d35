"""Regions: cliques of any size, such as superpixels, as pictures of numbers or as lists."""

from __future__ import annotations

from typing import Any, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._arrays import ArrayLike, Numbers, numbers, starts, whole

Regions = Union[ArrayLike, Sequence[ArrayLike]]


def region_lists(regions: Any, shape: tuple[int, ...]) -> tuple[npt.NDArray[np.uint64], Numbers]:
    """Where the members of each region begin, and all members behind each other.

    regions is an array of the shape of the grid with the number of its region for each variable, negative for none; or a list
    of arrays of variables.

    >>> region_lists(np.array([[0, 1], [1, -1]]), (2, 2))
    (array([0, 1, 3], dtype=uint64), array([0, 1, 2], dtype=uint32))
    """
    n = int(np.prod(shape, dtype=np.int64))
    if isinstance(regions, np.ndarray) and regions.dtype != object and regions.shape == shape:
        ids = whole(regions, "regions").reshape(-1).astype(np.int64)
        order = np.argsort(ids, kind="stable")
        order = order[ids[order] >= 0]
        _, lengths = np.unique(ids[order], return_counts=True)
        return starts([int(k) for k in lengths]), np.ascontiguousarray(order, dtype=np.uint32)
    if isinstance(regions, np.ndarray) and regions.dtype != object:
        raise ValueError(f"regions must have shape {shape}, not {regions.shape}, or be a list of arrays of variables")
    lists = [numbers(np.asarray(r), "regions", max(1, n)).reshape(-1) for r in regions]
    members = np.concatenate(lists) if lists else np.zeros(0, np.uint32)
    return starts([len(r) for r in lists]), np.ascontiguousarray(members, dtype=np.uint32)
