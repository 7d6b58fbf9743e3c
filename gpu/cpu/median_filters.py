"""Smooth disparities by medians on all cores, with the results of gpu.reference.median_filters."""

from functools import partial
from typing import Any

import numpy as np
from numba import int16
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import fill, on_rows, widen
from wheatstone.gpu.cpu.lanes import LANES, equal, less, load, splat, store, where
from wheatstone.gpu.image import Int16, Uint8, Uint16
from wheatstone.gpu.pipelines.sgm.params import GUIDED_RADIUS, SUBPIXEL_STEPS


def median_filter(refined: Int16, consistent: Int16, min_disparity: int) -> None:
    """Replace each valid disparity by the median of the refined disparities around it."""
    room = partial(_columns, refined.shape[1])
    invalid = np.int16((min_disparity - 1) * SUBPIXEL_STEPS)
    on_rows(refined.shape[0], _median_rows, refined, consistent, invalid, room=room)


def _columns(width: int) -> tuple[Int16]:
    return (np.empty((3, width + 2), np.int16),)


@compiled
def _median_rows(
    refined: Int16, consistent: Int16, invalid: int, top: int, bottom: int, columns: Int16
) -> None:
    height = refined.shape[0]
    for y in range(top, bottom):
        above, below = refined[max(y - 1, 0)], refined[min(y + 1, height - 1)]
        _sort_columns(above, refined[y], below, columns)
        _median_of_columns(columns, consistent[y], invalid)


@helper
def _sort_columns(first: Int16, second: Int16, third: Int16, columns: Int16) -> None:
    """Write the lowest, middle and highest value of each column of three rows.

    The values of the first and the last column are repeated beyond the ends.
    """
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
    """Write the median of each 3x3 window from its sorted columns.

    It is the median of three values: the highest of the low ones, the median of the middle ones and
    the lowest of the high ones.
    """
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


SIDE = 2 * GUIDED_RADIUS + 1
NONE = 0xFFFF  # above every disparity


def guided_median(
    filled: Int16, left: Uint8, guided: Int16, min_disparity: int, guided_median: int
) -> None:
    """Write the median disparity of each pixel's neighbours of similar grey level."""
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    images = filled, left, guided
    # Room for a window about the last lanes.
    pitch = (filled.shape[1] + LANES - 1) // LANES * LANES + LANES

    def room() -> tuple[NDArray[Any], ...]:
        """Allocate the scratch arrays of one call of ``_guided_rows``.

        They hold disparities above the invalid value, grey levels, a window of disparities, and
        medians.
        """
        return (
            np.empty(SIDE * pitch, np.uint16),
            np.zeros(SIDE * pitch, np.uint8),
            np.empty(SIDE * SIDE * LANES, np.uint16),
            np.empty(pitch, np.uint16),
        )

    on_rows(filled.shape[0], _guided_rows, *images, invalid, guided_median, room=room)


@compiled
def _guided_rows(
    filled: Int16,
    left: Uint8,
    guided: Int16,
    invalid: int,
    tolerance: int,
    top: int,
    bottom: int,
    values: Uint16,
    greys: Uint8,
    window: Uint16,
    medians: Uint16,
) -> None:
    height, width = filled.shape
    pitch = medians.size
    for y in range(top, bottom):
        highest = 0
        for row in range(SIDE):
            near = min(max(y + row - GUIDED_RADIUS, 0), height - 1)
            widen(left[near], greys[row * pitch :], GUIDED_RADIUS)
            highest = max(highest, _widen_values(filled[near], invalid, values[row * pitch :]))
        for x in range(0, width, LANES):
            _gather(values, greys, pitch, x, tolerance, window)
            centre = load(values, GUIDED_RADIUS * pitch + x + GUIDED_RADIUS)
            median = where(equal(centre, splat(NONE)), splat(0), _middle(window, highest))
            store(medians, x, median)
        for x in range(width):
            guided[y, x] = invalid + medians[x]


@helper
def _widen_values(row: Int16, invalid: int, wide: Uint16) -> int:
    """Copy a row as 1/16 px steps above "invalid", with extended ends; return the highest step."""
    width, highest = row.size, 0
    for x in range(width):
        above = int(row[x]) - invalid
        wide[GUIDED_RADIUS + x] = above if above > 0 else NONE
        highest = max(highest, above)
    fill(wide[:GUIDED_RADIUS], wide[GUIDED_RADIUS])
    last = wide[GUIDED_RADIUS + width - 1]
    fill(wide[GUIDED_RADIUS + width : 2 * GUIDED_RADIUS + width], last)
    return highest


@helper
def _gather(
    values: Uint16, greys: Uint8, pitch: int, x: int, tolerance: int, window: Uint16
) -> None:
    """Collect the disparities around sixteen pixels; ``NONE`` where grey levels differ too much."""
    grey = load(greys, GUIDED_RADIUS * pitch + x + GUIDED_RADIUS)
    for row in range(SIDE):
        for column in range(SIDE):
            here = row * pitch + x + column
            theirs = load(greys, here)
            difference = where(less(theirs, grey), grey - theirs, theirs - grey)
            similar = less(difference, splat(tolerance + 1))
            counted = where(similar, load(values, here), splat(NONE))
            store(window, (row * SIDE + column) * LANES, counted)


@helper
def _middle(window: Uint16, highest: int):  # type: ignore[no-untyped-def] # lanes
    """Compute the lower medians of sixteen windows, bit by bit.

    A median is the largest value with at most half of the others below.
    """
    count, middle = splat(0), splat(0)
    for i in range(0, window.size, LANES):
        count = count - less(load(window, i), splat(NONE))
    bit = 1
    while 2 * bit <= highest:
        bit *= 2
    while bit > 0:
        trial, below = middle + splat(bit), splat(0)
        for i in range(0, window.size, LANES):
            below = below - less(load(window, i), trial)
        middle = where(less(below + below, count), trial, middle)
        bit //= 2
    return middle
