"""Invert on the GPU."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array

BLOCK = (32, 16)
KERNELS = {
    np.uint8: Kernel("invert.cu", "invert", (np.uint8, np.uint8, np.int32, np.int32), arrays=2)
}


def invert(left: Array, inverted: Array) -> None:
    """Launch the kernel."""
    height, width = left.shape
    grid = blocks(BLOCK, width, height)
    KERNELS[left.dtype.type](grid, BLOCK, left, inverted, height, width)
