"""Median, uniqueness and consistency on the GPU, in one pass."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS

BLOCK = (32, 8)
KERNELS = {
    np.int16: Kernel(
        "packed_checks.cu",
        "packed_checks",
        (np.int16, np.int16, np.uint32, np.uint32, np.int16) + (np.int32,) * 6,
        arrays=5,
        defines=(("SUBPIXEL_STEPS", str(SUBPIXEL_STEPS)),),
    )
}


def packed_checks(
    refined: Array,
    winner: Array,
    rivals: Array,
    right_best: Array,
    disparity: Array,
    min_disparity: int,
    median: bool,
    uniqueness: int,
    lr_check: int,
) -> None:
    """Launch the kernel."""
    height, width = disparity.shape
    images = (refined, winner, rivals, right_best, disparity)
    scalars = (height, width, min_disparity, median, uniqueness, lr_check)
    KERNELS[disparity.dtype.type](blocks(BLOCK, width, height), BLOCK, *images, *scalars)
