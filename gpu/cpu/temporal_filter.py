"""Smooth each disparity over the frames so far, a share of the rows at a time.

Computes gpu.reference.temporal_filter.
"""

from typing import Any

from numba import int16, int32, uint32

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.image import Int16, Uint32
from wheatstone.gpu.pipelines.sgm.params import FILTER_STEPS, HISTORY, SUBPIXEL_STEPS

HALF, BITS = FILTER_STEPS // 2, (1 << HISTORY) - 1


def temporal_filter(
    decimated: Int16,
    filter_past: Uint32,
    disparity: Int16,
    filter_state: Uint32,
    min_disparity: int,
    weight: int,
    largest_change: int,
    least: int,
    newest: int,
) -> None:
    """Write each pixel's smoothed disparity, and the state for the next frame."""
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    images = decimated, filter_past, disparity, filter_state
    numbers = invalid, weight, largest_change, least, (1 << newest) - 1
    on_rows(decimated.shape[0], _filter, images, numbers)


@compiled
def _filter(
    images: tuple[Int16, Uint32, Int16, Uint32],
    numbers: tuple[int, int, int, int, int],
    top: int,
    bottom: int,
) -> None:
    invalid, weight, largest_change, least, newest = numbers
    for y in range(top, bottom):
        decimated, past = images[0][y], images[1][y]
        disparity, state = images[2][y], images[3][y]
        for x in range(decimated.size):
            value, smoothed = int32(decimated[x]), int32(past[x] >> uint32(HISTORY))
            history, valid = int32(past[x] & uint32(BITS)), value != invalid
            if valid:
                new = int32((value - invalid) * FILTER_STEPS)
                if smoothed == 0 or abs(new - smoothed) > largest_change:
                    smoothed = new
                else:
                    mean = weight * new + (FILTER_STEPS - weight) * smoothed
                    smoothed = int32((mean + HALF) // FILTER_STEPS)
            shown = valid or (smoothed > 0 and _count(history & newest) >= least)
            disparity[x] = int16(invalid + (smoothed + HALF) // FILTER_STEPS if shown else invalid)
            state[x] = uint32((smoothed << HISTORY) | (2 * history + valid) & BITS)


@helper
def _count(bits: int) -> Any:
    """Count the bits set among eight."""
    pairs = bits - ((bits >> 1) & 0x55)
    fours = (pairs & 0x33) + ((pairs >> 2) & 0x33)
    return (fours + (fours >> 4)) & 0x0F
