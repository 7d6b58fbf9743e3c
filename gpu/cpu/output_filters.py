"""Decimate and smooth disparities on all cores; same results as gpu.reference.output_filters."""

from typing import Any

from numba import int16, int32, int64, uint32

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.image import Int16, Uint32
from wheatstone.gpu.pipelines.sgm.params import FILTER_STEPS, HISTORY, SUBPIXEL_STEPS

ABOVE = 2**15  # more than any disparity


def decimation(guided: Int16, decimated: Int16, min_disparity: int, decimation: int) -> None:
    """Write for each pixel the median or the mean of the disparities in its block."""
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    rows = -(-guided.shape[0] // decimation)
    on_rows(rows, _fill_blocks, guided, decimated, invalid, decimation)


@compiled
def _fill_blocks(
    guided: Int16, decimated: Int16, invalid: int, side: int, top: int, bottom: int
) -> None:
    height, width = guided.shape
    for block_y in range(top, bottom):
        first_y, end_y = block_y * side, min((block_y + 1) * side, height)
        for first_x in range(0, width, side):
            end_x = min(first_x + side, width)
            value = _value(guided, invalid, side, (first_y, end_y, first_x, end_x))
            for y in range(first_y, end_y):
                for x in range(first_x, end_x):
                    decimated[y, x] = int16(value)


@helper
def _value(guided: Int16, invalid: int, side: int, block: tuple[int, int, int, int]) -> Any:
    """Return the disparity of a block: the lower median for side 2, else the rounded mean."""
    first_y, end_y, first_x, end_x = block
    count, total, lowest, second = 0, 0, ABOVE, ABOVE
    for y in range(first_y, end_y):
        for x in range(first_x, end_x):
            value = int64(guided[y, x])
            if value != invalid:
                count += 1
                total += value
                second = min(second, max(lowest, value))
                lowest = min(lowest, value)
    if count == 0:
        return int64(invalid)
    if side == 2:
        return int64(lowest if count <= 2 else second)
    return (2 * total + count) // (2 * count)


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
    """Count the bits that are set in a byte."""
    pairs = bits - ((bits >> 1) & 0x55)
    fours = (pairs & 0x33) + ((pairs >> 2) & 0x33)
    return (fours + (fours >> 4)) & 0x0F
