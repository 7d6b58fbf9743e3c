"""Margin of the winner on the GPU, from the two sums kept of every pixel."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array
from gpu.pipelines.sgm.params import MARGIN_STEPS

BLOCK = (32, 16)
KERNELS = {
    np.uint16: Kernel(
        "packed_confidence.cu",
        "packed_confidence",
        (np.uint32, np.uint16) + (np.int32,) * 2,
        arrays=2,
        defines=(("MARGIN_STEPS", str(MARGIN_STEPS)),),
    )
}


def packed_confidence(rivals: Array, margin: Array) -> None:
    """Launch the kernel."""
    height, width = margin.shape
    KERNELS[margin.dtype.type](blocks(BLOCK, width, height), BLOCK, rivals, margin, height, width)
