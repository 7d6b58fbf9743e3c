"""Give all pixels of a block one disparity."""

from typing import Any

import numpy as np

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Int64
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS


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
    """Collect the disparities of a block, and return their number."""
    count = 0
    for value in block.flat:
        if value != invalid:
            values[count] = value
            count += 1
    return count
