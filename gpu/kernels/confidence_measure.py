"""Margins of agreeing neighbours on the GPU."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array
from gpu.pipelines.sgm.params import CONFIDENCE_RADIUS, SUBPIXEL_STEPS

BLOCK = (32, 8)
KERNELS = {
    np.uint16: Kernel(
        "confidence_measure.cu",
        "confidence_measure",
        (np.uint16, np.int16, np.uint16, np.int32, np.int32),
        arrays=3,
        defines=(("RADIUS", str(CONFIDENCE_RADIUS)), ("SUBPIXEL_STEPS", str(SUBPIXEL_STEPS))),
    )
}


def confidence_measure(margin: Array, refined: Array, confidence: Array) -> None:
    """Launch the kernel."""
    height, width = margin.shape
    grid = blocks(BLOCK, width, height)
    KERNELS[margin.dtype.type](grid, BLOCK, margin, refined, confidence, height, width)
