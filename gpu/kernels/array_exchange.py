"""Convert arrays that other programs pass or receive on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import Kernel, blocks, c_type
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
KERNELS: dict[Any, Kernel] = {"grey_levels": GREY_LEVELS, **IN_UNITS}


def grey_levels(rgb: Array, grey: Array) -> None:
    """Convert RGB to grey levels as OpenCV does.

    Args:
        rgb: (H, W, 3) uint8, C-contiguous.
        grey: (H, W) uint8, written.
    """
    GREY_LEVELS(blocks(BLOCK, grey.size), BLOCK, rgb, grey, grey.size)


def in_units(stored: Array, values: Array, scale: float, invalid: int | None) -> None:
    """Convert stored values to their unit.

    Args:
        stored: (H, W) int16, uint16 or uint8.
        values: (H, W) float32, written; NaN where there is no result.
        scale: multiplies a stored value into the unit.
        invalid: stored value that means no result; None if every value is a result.
    """
    kernel, has_invalid = IN_UNITS[stored.dtype.type], int(invalid is not None)
    arguments = (stored.size, np.float32(scale), has_invalid, invalid or 0)
    kernel(blocks(BLOCK, stored.size), BLOCK, stored, values, *arguments)
