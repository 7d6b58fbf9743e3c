"""Smooth disparities by median filters."""

from typing import Any

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint8
from wheatstone.gpu.pipelines.sgm.params import GUIDED_RADIUS, SUBPIXEL_STEPS
from wheatstone.gpu.reference.speckles_and_holes import median


@compiled
def median_filter(refined: Int16, smoothed: Int16) -> None:
    """Write the median of each pixel's 3x3 neighbourhood: the fifth of its nine values in order.

    Where the neighbourhood leaves the image, the nearest edge pixel is used. Pixels that later
    stages reject count like any other.

    Args:
        refined: (H, W) disparity in 1/16 pixel.
        smoothed: (H, W) its median, written.
    """
    height, width = refined.shape
    values = np.empty(9, np.int16)
    for y in range(height):
        for x in range(width):
            for i in range(9):
                neighbour_y = min(max(y + i // 3 - 1, 0), height - 1)
                neighbour_x = min(max(x + i % 3 - 1, 0), width - 1)
                values[i] = refined[neighbour_y, neighbour_x]
            smoothed[y, x] = median(values, 9)


@compiled
def guided_median(
    filled: Int16, left: Uint8, guided: Int16, min_disparity: int, guided_median: int
) -> None:
    """Write for each pixel the median disparity of its neighbours of similar grey level.

    Neighbours are the 7x7 pixels around the pixel, itself included; where they leave the image the
    nearest edge pixel is used, as often as it occurs. One counts if it has a disparity and its
    grey level differs by at most ``guided_median``. Of n values in order, the one of index
    (n - 1) / 2, rounded down, is taken. A pixel without a disparity stays without one.

    Args:
        filled: (H, W) disparity in 1/16 pixel.
        left: (H, W) grey levels.
        guided: (H, W) the median, written.
        guided_median: the tolerance, in grey levels.

    Source: Z. Ma et al., "Constant Time Weighted Median Filtering for Stereo Matching and Beyond",
    ICCV 2013, for a median guided by the image; here every weight is 0 or 1.
    """
    height, width = filled.shape
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    values = np.empty((2 * GUIDED_RADIUS + 1) ** 2, np.int16)
    for y in range(height):
        for x in range(width):
            guided[y, x] = filled[y, x]
            if int64(filled[y, x]) != invalid:
                count = _gather(filled, left, y, x, invalid, guided_median, values)
                guided[y, x] = values[(count - 1) // 2]


@compiled
def _gather(
    filled: Int16, left: Uint8, y: int, x: int, invalid: int, tolerance: int, values: Int16
) -> Any:
    """Sort the valid nearby disparities with similar grey levels, and return their number."""
    height, width = filled.shape
    count = 0
    for dy in range(-GUIDED_RADIUS, GUIDED_RADIUS + 1):
        for dx in range(-GUIDED_RADIUS, GUIDED_RADIUS + 1):
            near_y, near_x = min(max(y + dy, 0), height - 1), min(max(x + dx, 0), width - 1)
            there = filled[near_y, near_x]
            difference = abs(int64(left[near_y, near_x]) - int64(left[y, x]))
            if int64(there) != invalid and difference <= tolerance:
                place = count
                while place > 0 and values[place - 1] > there:
                    values[place] = values[place - 1]
                    place -= 1
                values[place] = there
                count += 1
    return count
