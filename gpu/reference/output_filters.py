"""Filter finished disparities: a disparity for each block, and smoothing over frames."""

from typing import Any

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Int64, Uint32
from wheatstone.gpu.pipelines.sgm.params import FILTER_STEPS, HISTORY, SUBPIXEL_STEPS


@compiled
def decimation(guided: Int16, decimated: Int16, min_disparity: int, decimation: int) -> None:
    """Write for each pixel the median or the mean of the disparities in its block.

    Blocks are ``decimation`` pixels wide and high, and begin at the top left pixel; where they
    leave the image they are smaller. The image keeps its size, and disparities stay in pixels of
    it. Only pixels with a disparity count; a block without one has none. Blocks of at most three
    by three take the median: of n values in order, the one of index (n - 1) / 2, rounded down.
    Larger blocks take the mean, rounded to the nearest 1/16 pixel, and up where two are as near.
    Invalid is (min_disparity - 1) * 16, and lies below every disparity.

    Args:
        guided: (H, W) disparity in 1/16 pixel.
        decimated: (H, W) one disparity a block, written.
        decimation: side of a block, in pixels.

    Source: the decimation filter of librealsense, which shrinks the image instead.
    """
    height, width = guided.shape
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    values = np.empty(decimation * decimation, np.int64)
    for top in range(0, height, decimation):
        for first in range(0, width, decimation):
            block = guided[top : top + decimation, first : first + decimation]
            count = _gather(block, values, invalid)
            block = decimated[top : top + decimation, first : first + decimation]
            if count == 0:
                block[:] = invalid
            elif decimation <= 3:
                block[:] = np.sort(values[:count])[(count - 1) // 2]
            else:
                block[:] = (2 * values[:count].sum() + count) // (2 * count)


@compiled
def _gather(block: Int16, values: Int64, invalid: int) -> Any:
    """Collect the valid disparities of a block, and return their number."""
    count = 0
    for value in block.flat:
        if value != invalid:
            values[count] = value
            count += 1
    return count


@compiled
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
    """Write each pixel's smoothed disparity, and the state for the next frame.

    A pixel remembers its smoothed disparity, in 1/256 of a stored step above invalid, so 0 if it
    never had one; and for each of the last eight frames whether it had a disparity before this
    filter. In memory these are the upper 24 bits of a word, and the lower 8, the newest frame
    lowest. All 0, as in the first frame of a sequence, is a pixel that never had a disparity.

    A new disparity replaces the remembered one if there is none, or if both differ by more than
    ``largest_change``; else the smoothed one is (weight * new + (256 - weight) * remembered) / 256.
    It is remembered rounded to 1/256 of a stored step, and written rounded to a stored step; both
    round to the nearest value, and up where two are as near.

    A pixel without a disparity is written the remembered one if it had a disparity in at least
    ``least`` of the ``newest`` frames before this one, and else is invalid; what it remembers
    stays. Invalid is (min_disparity - 1) * 16, and lies below every disparity.

    Args:
        decimated: (H, W) disparity in 1/16 pixel.
        filter_past: (H, W) what each pixel remembers of the frames before.
        disparity: (H, W) smoothed disparity in 1/16 pixel, written.
        filter_state: (H, W) what each pixel remembers after this frame, written.
        weight: share of the new disparity, from 0 to 256.
        largest_change: largest difference that is smoothed, in 1/256 of a stored step.

    Source: the temporal filter of librealsense, which computes in floating point.
    """
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    height, width = decimated.shape
    for y in range(height):
        for x in range(width):
            value, word = int64(decimated[y, x]), int64(filter_past[y, x])
            smoothed, history = word >> HISTORY, word & ((1 << HISTORY) - 1)
            valid = value != invalid
            if valid:
                new = (value - invalid) * FILTER_STEPS
                if smoothed == 0 or abs(new - smoothed) > largest_change:
                    smoothed = new
                else:
                    mean = weight * new + (FILTER_STEPS - weight) * smoothed
                    smoothed = (mean + FILTER_STEPS // 2) // FILTER_STEPS
            kept = smoothed > 0 and _frames(history, newest) >= least
            rounded = (smoothed + FILTER_STEPS // 2) // FILTER_STEPS
            disparity[y, x] = invalid + rounded if valid or kept else invalid
            history = (2 * history + valid) & ((1 << HISTORY) - 1)
            filter_state[y, x] = (smoothed << HISTORY) | history


@compiled
def _frames(history: int, newest: int) -> Any:
    """Count the frames with a disparity among the last ``newest`` frames."""
    count = 0
    for frame in range(newest):
        count += (history >> frame) & 1
    return count
