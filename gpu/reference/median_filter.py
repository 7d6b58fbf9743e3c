"""Smooth the disparity by a 3x3 median."""

from typing import Any

import numpy as np

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16


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
            smoothed[y, x] = _fifth(values)


@compiled
def _fifth(values: Int16) -> Any:
    """Return the middle one of nine values, which are sorted in place."""
    for i in range(1, 9):
        value, j = values[i], i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value
    return values[4]
