"""Measure the confidence of disparities, on all CPU cores.

The results equal those of ``gpu.reference.confidence``.
"""

from functools import partial
from typing import Any

import numpy as np
from numba import int32, int64, uint32

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import fill, on_rows, widen
from wheatstone.gpu.cpu.disparity import HIGHEST, find_winner
from wheatstone.gpu.cpu.lanes import LANES, count_up, less, load, minimum, smallest, splat, where
from wheatstone.gpu.image import Int16, Uint16, Uint32
from wheatstone.gpu.pipelines.sgm.params import CONFIDENCE_RADIUS, MARGIN_STEPS, SUBPIXEL_STEPS


def winner_margin(sums: Uint16, margin: Uint16) -> None:
    """Write the margin of each pixel's winner over its rival, in 1/100 per cent of the rival."""
    on_rows(sums.shape[0], _margin_rows, sums, margin)


@compiled
def _margin_rows(sums: Uint16, margin: Uint16, top: int, bottom: int) -> None:
    for y in range(top, bottom):
        for x in range(sums.shape[1]):
            d = find_winner(sums[y, x])
            rival = _rival(sums[y, x], d)
            margin[y, x] = _share(rival - int64(sums[y, x, d]), rival)


@partial(helper, error_model="numpy")
def _share(above: int, rival: int) -> Any:
    """Convert a winner's margin to 1/100 per cent of the rival's sum; 0 if that sum is 0."""
    return uint32(100 * MARGIN_STEPS * above) // uint32(rival) if rival > 0 else uint32(0)


@helper
def _rival(sums: Uint16, d: int) -> Any:
    """Return the rival's sum: the smallest at a disparity more than one away from the winner d."""
    lowest = splat(HIGHEST)
    for start in range(0, sums.size, LANES):
        near = less(splat(start + 1 - d) + count_up(), splat(3))  # unsigned: 0, 1 or 2
        lowest = minimum(lowest, where(near, splat(HIGHEST), load(sums, start)))
    return smallest(lowest)


SIDE = 2 * CONFIDENCE_RADIUS + 1


def confidence_measure(margin: Uint16, refined: Int16, confidence: Uint16) -> None:
    """Write the confidence of each pixel in 1/100 per cent."""
    on_rows(margin.shape[0], _confidence_rows, margin, refined, confidence)


@compiled
def _confidence_rows(
    margin: Uint16, refined: Int16, confidence: Uint16, top: int, bottom: int
) -> None:
    height, width = margin.shape
    margins = np.empty(width + SIDE - 1, np.uint16)
    disparities = np.empty(width + SIDE - 1, np.int16)
    totals = np.empty(width, np.uint32)
    for y in range(top, bottom):
        fill(totals, 0)
        for dy in range(-CONFIDENCE_RADIUS, CONFIDENCE_RADIUS + 1):
            neighbour_y = min(max(y + dy, 0), height - 1)
            widen(margin[neighbour_y], margins, CONFIDENCE_RADIUS)
            widen(refined[neighbour_y], disparities, CONFIDENCE_RADIUS)
            for dx in range(SIDE):
                _add(margins[dx:], disparities[dx:], refined[y], totals)
        for x in range(width):
            confidence[y, x] = totals[x] // uint32(SIDE * SIDE)


@helper
def _add(margins: Uint16, disparities: Int16, centre: Int16, totals: Uint32) -> None:
    """Add a neighbour's margin to the pixels of a row whose disparities agree with it."""
    for x in range(totals.size):
        difference = abs(int32(disparities[x]) - int32(centre[x]))
        totals[x] += uint32(margins[x] if difference <= SUBPIXEL_STEPS else 0)
