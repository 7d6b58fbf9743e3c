"""Reasons of rejection on the GPU, from what the packed kernels keep."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS

BLOCK = (32, 16)
KERNELS = {
    np.uint8: Kernel(
        "packed_reason.cu",
        "packed_reason",
        (np.int16, np.uint32, np.uint32, np.int16, np.uint8) + (np.int32,) * 5,
        arrays=5,
        defines=(("SUBPIXEL_STEPS", str(SUBPIXEL_STEPS)),),
    )
}


def packed_reason(
    winner: Array,
    rivals: Array,
    right_best: Array,
    checked: Array,
    invalid_reason: Array,
    min_disparity: int,
    uniqueness: int,
    lr_check: int,
) -> None:
    """Launch the kernel."""
    height, width = winner.shape
    images = (winner, rivals, right_best, checked, invalid_reason)
    scalars = (height, width, min_disparity, uniqueness, lr_check)
    grid = blocks(BLOCK, width, height)
    KERNELS[invalid_reason.dtype.type](grid, BLOCK, *images, *scalars)
