"""Rectify both views by their maps, a share of the rows at a time.  Computes gpu.reference.rectify.

Where all four taps are inside, which is nearly everywhere, they are read without a question.
"""

from functools import partial

import numpy as np
from numba import int32, njit
from numpy.typing import NDArray

from gpu.cpu.cores import on_all_cores, shares
from gpu.reference.rectify import OUTSIDE, rectify_pixel

Pixels = NDArray[np.uint8]
Map = NDArray[np.int16]


def rectify(
    raw_left: Pixels,
    raw_right: Pixels,
    left_map: Map,
    right_map: Map,
    rectified_left: Pixels,
    rectified_right: Pixels,
) -> None:
    """Write for each pixel the bilinear mean of the four raw pixels around its place."""
    views = (raw_left, left_map, rectified_left), (raw_right, right_map, rectified_right)
    on_all_cores(
        [
            partial(_rows, *view, top, bottom)
            for top, bottom in shares(raw_left.shape[0])
            for view in views
        ]
    )


@njit(cache=True, nogil=True)
def _rows(raw: Pixels, view_map: Map, rectified: Pixels, top: int, bottom: int) -> None:
    """Write rows ``top`` to ``bottom`` - 1 of one view, pixel by pixel where a tap is outside."""
    height, width = raw.shape[:2]
    for y in range(top, bottom):
        for x in range(width):
            across, down = int32(view_map[y, x, 0]), int32(view_map[y, x, 1])
            column, row = x + (across >> 5), y + (down >> 5)
            if across == OUTSIDE or not (0 <= row < height - 1 and 0 <= column < width - 1):
                rectify_pixel(raw, view_map, rectified, y, x)
                continue
            fx, fy = across & 31, down & 31
            a, b = (32 - fx) * (32 - fy), fx * (32 - fy)
            c, d = (32 - fx) * fy, fx * fy
            for channel in range(4):
                rectified[y, x, channel] = (
                    a * raw[row, column, channel]
                    + b * raw[row, column + 1, channel]
                    + c * raw[row + 1, column, channel]
                    + d * raw[row + 1, column + 1, channel]
                    + 512
                ) >> 10
