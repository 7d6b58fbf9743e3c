"""Hysteresis, a band of rows a core.  Computes gpu.reference.hysteresis.

Each core follows edges within its band; where they cross from band to band, one core goes on.
"""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gpu.cpu.cores import core_count, on_all_cores, shares
from gpu.pipelines.canny import STRONG
from gpu.reference.hysteresis import KEPT, REJECTED

BANDS = 4  # of each core: enough to even out, few enough that few edges cross


def hysteresis(
    seeds: NDArray[np.uint8], edges: NDArray[np.uint8], strength: NDArray[np.uint8]
) -> None:
    """Follow edges in bands, then across their borders, then mark them."""
    height = seeds.shape[0]
    count = min(BANDS * core_count(), height)
    borders = [height * i // count for i in range(count + 1)]
    found = np.empty(seeds.size, np.int32)  # a band's part of it is as large as the band
    on_all_cores([partial(_follow, seeds, strength, found, *rows) for rows in pairwise(borders)])
    _cross(strength, found, np.array(borders[1:-1], np.int64))
    on_all_cores([partial(_mark, strength, edges, *rows) for rows in shares(height)])


@njit(cache=True, nogil=True)
def _follow(
    seeds: NDArray[np.uint8],
    strength: NDArray[np.uint8],
    found: NDArray[np.int32],
    top: int,
    bottom: int,
) -> None:
    """Keep the weak pixels between two rows that are connected to a strong one between them."""
    width = seeds.shape[1]
    for y in range(top, bottom):
        _classify(seeds[y], strength[y])
    found = found[top * width : bottom * width]
    for y in range(top, bottom):
        for x in range(width):
            if seeds[y, x] == STRONG:
                _flood(strength, y, x, found, top, bottom)


@njit(cache=True)
def _classify(seeds: NDArray[np.uint8], strength: NDArray[np.uint8]) -> None:
    for x in range(seeds.size):
        weak = np.uint8(REJECTED) if seeds[x] > 0 else np.uint8(0)
        strength[x] = np.uint8(3) if seeds[x] == STRONG else weak


@njit(cache=True)
def _flood(
    strength: NDArray[np.uint8], y: int, x: int, found: NDArray[np.int32], top: int, bottom: int
) -> None:
    """Keep what a pixel is connected to between two rows."""
    width = strength.shape[1]
    count = _keep_around(strength, y, x, found, 0, top, bottom)
    while count > 0:
        count -= 1
        y, x = divmod(found[count], width)
        count = _keep_around(strength, y, x, found, count, top, bottom)


@njit(cache=True)
def _keep_around(
    strength: NDArray[np.uint8],
    y: int,
    x: int,
    found: NDArray[np.int32],
    count: int,
    top: int,
    bottom: int,
) -> Any:
    """Keep the weak neighbours of a pixel and note them in ``found``."""
    width = strength.shape[1]
    for near_y in range(max(y - 1, top), min(y + 2, bottom)):
        for near_x in range(max(x - 1, 0), min(x + 2, width)):
            if strength[near_y, near_x] == REJECTED:
                strength[near_y, near_x] = KEPT
                found[count] = near_y * width + near_x
                count += 1
    return count


@njit(cache=True)
def _cross(
    strength: NDArray[np.uint8], found: NDArray[np.int32], borders: NDArray[np.int64]
) -> None:
    """Go on from the edges on both sides of each border, wherever they lead."""
    height, width = strength.shape
    for border in borders:
        for y in range(border - 1, border + 1):
            for x in range(width):
                if strength[y, x] > REJECTED:
                    _flood(strength, y, x, found, 0, height)


@njit(cache=True, nogil=True)
def _mark(strength: NDArray[np.uint8], edges: NDArray[np.uint8], top: int, bottom: int) -> None:
    for y in range(top, bottom):
        for x in range(strength.shape[1]):
            edges[y, x] = np.uint8(255) if strength[y, x] > REJECTED else np.uint8(0)
