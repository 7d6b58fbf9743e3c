"""Give all pixels of a block one disparity, a share of the rows at a time.

Computes gpu.reference.decimation.
"""

from typing import Any

from numba import int16, int64

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.image import Int16
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

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
    """Return the lower median of up to four disparities, or the mean of more."""
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
