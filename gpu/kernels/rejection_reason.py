"""Reasons of rejection on the GPU."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS

BLOCK = (32, 16)
KERNELS = {
    np.uint8: Kernel(
        "rejection_reason.cu",
        "rejection_reason",
        (np.int16,) * 4 + (np.uint8,) + (np.int32,) * 4,
        arrays=5,
        defines=(("SUBPIXEL_STEPS", str(SUBPIXEL_STEPS)),),
    )
}


def rejection_reason(
    winner: Array,
    right_winner: Array,
    unique: Array,
    checked: Array,
    invalid_reason: Array,
    min_disparity: int,
    lr_check: int,
) -> None:
    """Launch the kernel."""
    height, width = winner.shape
    images = (winner, right_winner, unique, checked, invalid_reason)
    scalars = (height, width, min_disparity, lr_check)
    grid = blocks(BLOCK, width, height)
    KERNELS[invalid_reason.dtype.type](grid, BLOCK, *images, *scalars)
