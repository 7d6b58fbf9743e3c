"""Consistency check on the GPU."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS

BLOCK = (32, 16)
KERNELS = {
    np.int16: Kernel(
        "consistency_check.cu",
        "consistency_check",
        (np.int16,) * 4 + (np.int32,) * 4,
        arrays=4,
        defines=(("SUBPIXEL_STEPS", str(SUBPIXEL_STEPS)),),
    )
}


def consistency_check(
    unique: Array,
    winner: Array,
    right_winner: Array,
    disparity: Array,
    min_disparity: int,
    lr_check: int,
) -> None:
    """Launch the kernel."""
    height, width = disparity.shape
    images = (unique, winner, right_winner, disparity)
    grid = blocks(BLOCK, width, height)
    KERNELS[disparity.dtype.type](grid, BLOCK, *images, height, width, min_disparity, lr_check)
