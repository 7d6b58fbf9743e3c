"""Smooth the disparity by a 3x3 median, row by row.

Computes gpu.reference.median_filter, but only for pixels that no check has rejected.
"""

from functools import partial

import numpy as np
from numba import int16

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.image import Int16
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS


def median_filter(refined: Int16, consistent: Int16, min_disparity: int) -> None:
    """Replace each valid disparity by the median of the refined ones around it."""
    room = partial(_columns, refined.shape[1])
    invalid = np.int16((min_disparity - 1) * SUBPIXEL_STEPS)
    on_rows(refined.shape[0], _smooth, refined, consistent, invalid, room=room)


def _columns(width: int) -> tuple[Int16]:
    return (np.empty((3, width + 2), np.int16),)


@compiled
def _smooth(
    refined: Int16, consistent: Int16, invalid: int, top: int, bottom: int, columns: Int16
) -> None:
    height = refined.shape[0]
    for y in range(top, bottom):
        above, below = refined[max(y - 1, 0)], refined[min(y + 1, height - 1)]
        _sort_columns(above, refined[y], below, columns)
        _median_of_columns(columns, consistent[y], invalid)


@helper
def _sort_columns(first: Int16, second: Int16, third: Int16, columns: Int16) -> None:
    """Write the lowest, middle and highest value of three rows, and repeat the ends."""
    low, middle, high = columns[0], columns[1], columns[2]  # unpacked, they would not vectorise
    for x in range(first.size):
        a, b, c = first[x], second[x], third[x]
        low[x + 1] = min(a, b, c)
        middle[x + 1] = _median(a, b, c)
        high[x + 1] = max(a, b, c)
    last = first.size
    for column in (low, middle, high):
        column[0], column[last + 1] = column[1], column[last]


@helper
def _median_of_columns(columns: Int16, consistent: Int16, invalid: int) -> None:
    """Write medians of nine: of the highest low, the median middle and the lowest high value."""
    low, middle, high = columns[0], columns[1], columns[2]  # unpacked, they would not vectorise
    for x in range(consistent.size):
        highest_low = max(low[x], low[x + 1], low[x + 2])
        median_middle = _median(middle[x], middle[x + 1], middle[x + 2])
        lowest_high = min(high[x], high[x + 1], high[x + 2])
        median = _median(highest_low, median_middle, lowest_high)
        consistent[x] = int16(median if consistent[x] != invalid else invalid)


@helper
def _median(a: int, b: int, c: int) -> int:
    return max(min(a, b), min(max(a, b), c))
