"""Compute confidences from neighbours, row by row, as gpu.reference.confidence_measure."""

import numpy as np
from numba import int32, uint32

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.cpu.rows import fill, widen
from wheatstone.gpu.image import Int16, Uint16, Uint32
from wheatstone.gpu.pipelines.sgm.params import CONFIDENCE_RADIUS, SUBPIXEL_STEPS

SIDE = 2 * CONFIDENCE_RADIUS + 1


def confidence_measure(margin: Uint16, refined: Int16, confidence: Uint16) -> None:
    """Write the confidence of each pixel in 1/100 per cent."""
    on_rows(margin.shape[0], _measure, margin, refined, confidence)


@compiled
def _measure(margin: Uint16, refined: Int16, confidence: Uint16, top: int, bottom: int) -> None:
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
    """Add a neighbour's margin to the pixels of a row whose disparity it agrees with."""
    for x in range(totals.size):
        apart = abs(int32(disparities[x]) - int32(centre[x]))
        totals[x] += uint32(margins[x] if apart <= SUBPIXEL_STEPS else 0)
