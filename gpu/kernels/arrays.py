"""Convert arrays of other programs, and compare arrays, on the GPU."""

import math

import numpy as np

from wheatstone.gpu.kernels.kernel import Kernel, blocks, c_type, declare
from wheatstone.gpu.pipeline import Array

BLOCK = (256,)
FILE = "array_exchange.cu"
DEFINES = (("STORED", "int16_t"),)
GREY_LEVELS = Kernel(FILE, "grey_levels", (np.uint8, np.uint8, np.int32), 2, DEFINES)
IN_UNITS = {
    dtype: Kernel(
        FILE,
        "in_units",
        (dtype, np.float32, np.int32, np.float32, np.int32, np.int32),
        arrays=2,
        defines=(("STORED", c_type(dtype)),),
    )
    for dtype in (np.int16, np.uint16, np.uint8)
}


def grey_levels(rgb: Array, grey: Array) -> None:
    """Convert RGB to grey levels as OpenCV does.

    Args:
        rgb: (H, W, 3) uint8, C-contiguous.
        grey: (H, W) uint8, written.
    """
    GREY_LEVELS(blocks(BLOCK, grey.size), BLOCK, rgb, grey, grey.size)


def in_units(stored: Array, values: Array, scale: float, invalid: int | None) -> None:
    """Convert the stored values of an image to values in its unit.

    Args:
        stored: (H, W) int16, uint16 or uint8.
        values: (H, W) float32, written; NaN where there is no result.
        scale: multiplies a stored value into the unit.
        invalid: stored value that means no result; None if every value is a result.
    """
    kernel, has_invalid = IN_UNITS[stored.dtype.type], int(invalid is not None)
    arguments = (stored.size, np.float32(scale), has_invalid, invalid or 0)
    kernel(blocks(BLOCK, stored.size), BLOCK, stored, values, *arguments)


MOST_BLOCKS = 1024  # enough to fill a GPU; each thread takes several elements
DIFFERENCE_COUNT_KERNELS = {
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
    DIFFERENCE_COUNT_KERNELS[first.dtype.type](grid, BLOCK, first, second, counts, *sizes)
