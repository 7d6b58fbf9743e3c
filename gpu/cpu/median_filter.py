"""Smooth the disparity, whole rows at a time.  Computes gpu.reference.median_filter."""

import numpy as np
from functools import partial
from gpu.cpu.cores import on_all_cores, bands
from numba import njit
from numpy.typing import NDArray

from gpu.pipelines.sgm import SUBPIXEL_STEPS


def median_filter(
    refined: NDArray[np.int16], disparity: NDArray[np.int16], min_disparity: int
) -> None:
    invalid = np.int16((min_disparity - 1) * SUBPIXEL_STEPS)
    on_all_cores(
        [
            partial(_smooth, refined, disparity, invalid, top, bottom)
            for top, bottom in bands(refined.shape[0])
        ]
    )


@njit(cache=True, nogil=True)
def _smooth(refined, disparity, invalid, top, bottom):
    for y in range(top, bottom):
        _smooth_row(refined, disparity[y], invalid, y)


@njit(cache=True)
def _smooth_row(refined, disparity, invalid, y):
    height, width = refined.shape
    above, here, below = refined[max(y - 1, 0)], refined[y], refined[min(y + 1, height - 1)]
    low = np.empty(width + 2, np.int16)
    middle = np.empty(width + 2, np.int16)
    high = np.empty(width + 2, np.int16)
    for x in range(width):
        a, b = min(above[x], here[x]), max(above[x], here[x])
        low[x + 1] = min(a, below[x])
        middle[x + 1] = max(a, min(b, below[x]))
        high[x + 1] = max(b, below[x])
    for column in (low, middle, high):
        column[0], column[width + 1] = column[1], column[width]
    for x in range(width):
        if disparity[x] != invalid:
            a = max(low[x], max(low[x + 1], low[x + 2]))
            b = _median(middle[x], middle[x + 1], middle[x + 2])
            c = min(high[x], min(high[x + 1], high[x + 2]))
            disparity[x] = _median(a, b, c)


@njit(cache=True)
def _median(a, b, c):
    return max(min(a, b), min(max(a, b), c))
