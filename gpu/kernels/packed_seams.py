"""Unite sets of pixels that touch across the borders of blocks of tiles on the GPU."""

import numpy as np

from wheatstone.gpu.kernels.kernel import declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.packing import (
    BLOCK_COLUMNS,
    BLOCK_ROWS,
    DEFINES,
    TILE,
    block_grid,
)

KERNELS = {"seams": declare("packed_seams", "", (np.uint16, np.uint32), 0, **DEFINES)}


def packed_seams(weak_bits: Array, side_sets: Array, set_parents: Array) -> None:
    """Launch the kernel that unites the sets."""
    rows, columns, _ = weak_bits.shape
    threads = (32 * (BLOCK_ROWS + BLOCK_COLUMNS),)
    grid = block_grid(rows * TILE, columns * TILE)
    KERNELS["seams"](grid, threads, side_sets, set_parents)
