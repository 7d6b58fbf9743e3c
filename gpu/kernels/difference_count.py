"""Count the differing elements of two arrays on the GPU."""

import math

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array

BLOCK = (256,)
MOST_BLOCKS = 1024  # enough to fill a GPU; each thread takes several elements
KERNELS = {
    dtype: declare("difference_count", "", (dtype, dtype, np.int64), 5, ELEMENT=dtype)
    for dtype in (np.uint8, np.uint16, np.uint32, np.int16, np.int32, np.int64, np.float32)
}


def difference_count(
    first: Array, second: Array, counts: Array, invalid: tuple[float, float] | None = None
) -> None:
    """Launch the kernel that counts and locates the differences of two arrays.

    Args:
        counts: (3,) int64, all 0 before; the kernel adds to them.
        invalid: the stored values that mean "no value" in each array, for floats NaN; None if every
            value is one.
    """
    rows, columns = first.shape[0], first.size // first.shape[0]
    stored = [0 if math.isnan(value) else value for value in invalid or (0, 0)]
    sizes = (rows, columns, invalid is not None, *stored)
    grid = (min(blocks(BLOCK, first.size)[0], MOST_BLOCKS),)
    KERNELS[first.dtype.type](grid, BLOCK, first, second, counts, *sizes)
