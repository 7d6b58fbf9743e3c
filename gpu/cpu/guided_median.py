"""Compute guided medians of sixteen pixels at a time, as gpu.reference.guided_median."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.cpu.lanes import LANES, equal, less, load, splat, store, where
from wheatstone.gpu.cpu.rows import fill, widen
from wheatstone.gpu.image import Int16, Uint8, Uint16
from wheatstone.gpu.pipelines.sgm.params import GUIDED_RADIUS, SUBPIXEL_STEPS

SIDE = 2 * GUIDED_RADIUS + 1
NONE = 0xFFFF  # above every disparity


def guided_median(
    filled: Int16, left: Uint8, guided: Int16, min_disparity: int, guided_median: int
) -> None:
    """Write the guided median of every pixel."""
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    images = filled, left, guided
    # Room for a window about the last lanes.
    pitch = (filled.shape[1] + LANES - 1) // LANES * LANES + LANES

    def room() -> tuple[NDArray[Any], ...]:
        """Allocate a share's scratch arrays: rows above the invalid value, window, medians."""
        return (
            np.empty(SIDE * pitch, np.uint16),
            np.zeros(SIDE * pitch, np.uint8),
            np.empty(SIDE * SIDE * LANES, np.uint16),
            np.empty(pitch, np.uint16),
        )

    on_rows(filled.shape[0], _smooth, *images, invalid, guided_median, room=room)


@compiled
def _smooth(
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
            found = where(equal(centre, splat(NONE)), splat(0), _middle(window, highest))
            store(medians, x, found)
        for x in range(width):
            guided[y, x] = invalid + medians[x]


@helper
def _widen_values(row: Int16, invalid: int, wide: Uint16) -> int:
    """Copy a row as steps above the invalid value, repeat its ends, and return the highest."""
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
    """Collect the values of all neighbours, with ``NONE`` for those that do not count."""
    grey = load(greys, GUIDED_RADIUS * pitch + x + GUIDED_RADIUS)
    for row in range(SIDE):
        for column in range(SIDE):
            here = row * pitch + x + column
            theirs = load(greys, here)
            apart = where(less(theirs, grey), grey - theirs, theirs - grey)
            similar = less(apart, splat(tolerance + 1))
            counted = where(similar, load(values, here), splat(NONE))
            store(window, (row * SIDE + column) * LANES, counted)


@helper
def _middle(window: Uint16, highest: int):  # type: ignore[no-untyped-def] # lanes
    """Compute the median bit by bit: the largest value with at most half of the others below."""
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
