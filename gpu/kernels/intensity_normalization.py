"""Stretch an image to the entire range of grey levels on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import Kernel, blocks
from wheatstone.gpu.pipeline import Array

BLOCK = (256,)
BLOCKS = 1024


def _kernel(name: str, *arrays: Any, scalars: int = 1) -> Kernel:
    types = arrays + (np.int32,) * scalars
    return Kernel(
        "intensity_normalization.cu", f"intensity_normalization_{name}", types, len(arrays)
    )


KERNELS = {
    "begin": _kernel("begin", np.int32, scalars=0),
    "peak": _kernel("peak", np.uint16, np.int32),
    "stretch": _kernel("stretch", np.uint16, np.int32, np.uint8),
}


def intensity_normalization(smoothed: Array, blurred: Array, peak: Array) -> None:
    """Launch the kernels that find the largest grey level and stretch the image."""
    height, width = smoothed.shape
    count = height * width
    grid = blocks(BLOCK, count)
    KERNELS["begin"]((1,), (1,), peak)
    KERNELS["peak"]((min(BLOCKS, *grid),), BLOCK, smoothed, peak, count)
    KERNELS["stretch"](grid, BLOCK, smoothed, peak, blurred, count)
