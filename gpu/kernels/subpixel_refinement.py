"""Subpixel refinement on the GPU."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks, c_type
from gpu.pipeline import Array
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS

BLOCK = (32, 16)
KERNELS = {
    total: Kernel(
        "subpixel_refinement.cu",
        "subpixel_refinement",
        (total, np.int16, np.int16) + (np.int32,) * 5,
        arrays=3,
        defines=(("SUM", c_type(total)), ("SUBPIXEL_STEPS", str(SUBPIXEL_STEPS))),
    )
    for total in (np.uint16, np.int32)
}


def subpixel_refinement(
    sums: Array, winner: Array, refined: Array, min_disparity: int, subpixel: bool
) -> None:
    """Launch the kernel."""
    height, width, disparities = sums.shape
    images, size = (sums, winner, refined), (height, width, disparities)
    grid = blocks(BLOCK, width, height)
    KERNELS[sums.dtype.type](grid, BLOCK, *images, *size, min_disparity, subpixel)
