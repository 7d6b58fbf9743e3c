"""Stretch an image to the entire range of grey levels on the GPU."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array

BLOCK = (256,)
BLOCKS = 1024


KERNELS = {
    "begin": declare("intensity_normalization", "begin", (np.int32,), 0),
    "peak": declare("intensity_normalization", "peak", (np.uint16, np.int32), 1),
    "stretch": declare("intensity_normalization", "stretch", (np.uint16, np.int32, np.uint8), 1),
}


def intensity_normalization(smoothed: Array, blurred: Array, peak: Array) -> None:
    """Launch the kernels that find the largest grey level and stretch the image."""
    height, width = smoothed.shape
    count = height * width
    grid = blocks(BLOCK, count)
    KERNELS["begin"]((1,), (1,), peak)
    KERNELS["peak"]((min(BLOCKS, *grid),), BLOCK, smoothed, peak, count)
    KERNELS["stretch"](grid, BLOCK, smoothed, peak, blurred, count)
