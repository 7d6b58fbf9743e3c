"""Write the hysteresis label of each pixel on the GPU, from bits and edges."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array

BLOCK = (32, 16)
ARRAYS = (np.uint8, np.uint32, np.uint32, np.uint8)
KERNELS = {"strength": declare("packed_strength", "", ARRAYS)}


def packed_strength(edges: Array, weak_bits: Array, strong_bits: Array, strength: Array) -> None:
    """Launch the kernel that writes the labels."""
    height, width = edges.shape
    images = (edges, weak_bits, strong_bits, strength)
    KERNELS["strength"](blocks(BLOCK, width, height), BLOCK, *images, height, width)
