"""Join connected seeds to sets on the GPU, within blocks of tiles."""

import numpy as np

from wheatstone.gpu.kernels.kernel import declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.packing import DEFINES, TILE, TILES, block_grid

ARRAYS = (np.uint32, np.uint32, np.uint16, np.uint32)
KERNELS = {"tiles": declare("packed_tiles", "", ARRAYS, **DEFINES)}


def packed_tiles(
    weak_bits: Array, strong_bits: Array, side_sets: Array, set_parents: Array
) -> None:
    """Launch the kernel that joins the seeds."""
    rows, columns, _ = weak_bits.shape
    images = (weak_bits, strong_bits, side_sets, set_parents)
    grid = block_grid(rows * TILE, columns * TILE)
    KERNELS["tiles"](grid, (32 * TILES,), *images, rows, columns)
