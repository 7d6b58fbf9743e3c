"""Classify maxima as strong or weak edge seeds on the GPU, one bit each, in tiles."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.packing import TILE

BLOCK = (128, 1)
ARRAYS = (np.int32, np.int32, np.uint32, np.uint32)
KERNELS = {"seeds": declare("packed_seeds", "", ARRAYS, 3)}


def packed_seeds(
    suppressed: Array, levels: Array, weak_bits: Array, strong_bits: Array, convention: str
) -> None:
    """Launch the kernel that writes the bits of the seeds."""
    height, width = suppressed.shape
    margin = 0 if convention == "opencv" else 1
    images = (suppressed, levels, weak_bits, strong_bits)
    grid = blocks(BLOCK, width, weak_bits.shape[0] * TILE)  # all rows of the tiles are written
    KERNELS["seeds"](grid, BLOCK, *images, height, width, margin)
