"""Uniqueness check on the GPU."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks, c_type
from gpu.pipeline import Array
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS

BLOCK = (32, 16)
KERNELS = {
    total: Kernel(
        "uniqueness_check.cu",
        "uniqueness_check",
        (np.int16, total, np.int16, np.int16) + (np.int32,) * 5,
        arrays=4,
        defines=(("SUM", c_type(total)), ("SUBPIXEL_STEPS", str(SUBPIXEL_STEPS))),
    )
    for total in (np.uint16, np.int32)
}


def uniqueness_check(
    smoothed: Array,
    sums: Array,
    winner: Array,
    unique: Array,
    min_disparity: int,
    uniqueness: int,
) -> None:
    """Launch the kernel."""
    height, width, disparities = sums.shape
    images, size = (smoothed, sums, winner, unique), (height, width, disparities)
    grid = blocks(BLOCK, width, height)
    KERNELS[sums.dtype.type](grid, BLOCK, *images, *size, min_disparity, uniqueness)
