"""Suppress pixels that are not local maxima of the gradient on the GPU."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array

BLOCK = (32, 16)
KERNELS = {
    memory: declare(
        "non_maximum_suppression",
        memory,
        (np.int16, np.int16, np.int32, np.uint8, np.int32),
        4,
        BLOCK_X=BLOCK[0],
        BLOCK_Y=BLOCK[1],
    )
    for memory in ("global", "shared")
}


def non_maximum_suppression(
    gradient_x: Array,
    gradient_y: Array,
    magnitude: Array,
    direction: Array,
    suppressed: Array,
    convention: str,
    norm: str,
    memory: str,
) -> None:
    """Launch the suppression kernel of a memory."""
    height, width = suppressed.shape
    opencv = convention == "opencv"
    scalars = (height, width, opencv and norm == "l2", opencv)
    images = (gradient_x, gradient_y, magnitude, direction, suppressed)
    KERNELS[memory](blocks(BLOCK, width, height), BLOCK, *images, *scalars)
