"""Keep the connected sets that contain a strong pixel on the GPU, and write the edges."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.packing import DEFINES, TILE

WARPS = 4
ARRAYS = (np.uint32, np.uint32, np.uint16, np.uint32, np.uint8)
KERNELS = {"hysteresis": declare("packed_hysteresis", "", ARRAYS, **DEFINES, WARPS=WARPS)}


def packed_hysteresis(
    weak_bits: Array, strong_bits: Array, side_sets: Array, set_parents: Array, edges: Array
) -> None:
    """Launch the kernel that writes the edges."""
    height, width = edges.shape
    images = (weak_bits, strong_bits, side_sets, set_parents, edges)
    grid = blocks((TILE * WARPS, TILE), width, height)
    KERNELS["hysteresis"](grid, (32 * WARPS,), *images, height, width)
