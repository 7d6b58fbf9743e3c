"""Classify local maxima as strong or weak edge seeds on the GPU."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.params import STRONG, WEAK

BLOCK = (32, 16)
ARRAYS = (np.int32, np.int32, np.uint8)
KERNELS = {"seeds": declare("edge_seeds", "", ARRAYS, 3, STRONG=STRONG, WEAK=WEAK)}


def edge_seeds(suppressed: Array, levels: Array, seeds: Array, convention: str) -> None:
    """Launch the kernel that writes the edge seeds."""
    height, width = seeds.shape
    margin = 0 if convention == "opencv" else 1
    grid = blocks(BLOCK, width, height)
    KERNELS["seeds"](grid, BLOCK, suppressed, levels, seeds, height, width, margin)
