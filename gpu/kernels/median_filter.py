"""Median filter on the GPU."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array

BLOCK = (32, 16)
KERNELS = {
    np.int16: Kernel(
        "median_filter.cu", "median_filter", (np.int16, np.int16, np.int32, np.int32), arrays=2
    )
}


def median_filter(refined: Array, smoothed: Array) -> None:
    """Launch the kernel."""
    height, width = refined.shape
    grid = blocks(BLOCK, width, height)
    KERNELS[refined.dtype.type](grid, BLOCK, refined, smoothed, height, width)
