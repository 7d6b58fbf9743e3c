"""Detect edges on the GPU, stored as bits in tiles, and unite them into connected sets."""

import numpy as np

from wheatstone.gpu.kernels.gradient import masks
from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.images import (
    BLOCK_COLUMNS,
    BLOCK_ROWS,
    DEFINES,
    TILE,
    TILES,
    block_grid,
)
from wheatstone.gpu.pipelines.canny.params import SMOOTHING

PIXELS = 8  # of a thread in a row
UNIT = {3: 1, 5: 1, 7: 16}  # what a gradient is stored in
MOST_HALVES = 2047  # above every magnitude |gx| + |gy| of aperture 3, and exact in half precision
BLOCKS = {  # that a multiprocessor holds at least
    (norm, aperture): 3 if (norm, aperture) == ("l1", 3) else 2
    for aperture in SMOOTHING
    for norm in ("l1", "l2")
}
PACKED_EDGES_KERNELS = {
    (norm, aperture, aligned): declare(
        "packed_edges",
        "",
        (np.uint8, np.uint32, np.uint32, np.uint16, np.uint32),
        4,
        **DEFINES,
        APERTURE=aperture,
        **masks(aperture),
        SQUARED=norm == "l2",
        ALIGNED_ROWS=aligned,
        BLOCKS=BLOCKS[norm, aperture],
    )
    for norm, aperture in BLOCKS
    for aligned in (True, False)
}


def packed_edges(
    blurred: Array,
    weak_bits: Array,
    strong_bits: Array,
    side_sets: Array,
    set_parents: Array,
    low: int,
    high: int,
    norm: str,
    aperture: int,
) -> None:
    """Launch the kernel that detects local maxima and unites them inside blocks of tiles."""
    height, width = blurred.shape
    images = (blurred, weak_bits, strong_bits, side_sets, set_parents)
    compared = (as_compared(threshold, norm, aperture) for threshold in (low, high))
    PACKED_EDGES_KERNELS[norm, aperture, width % PIXELS == 0](
        block_grid(height, width), (32 * TILES,), *images, height, width, *compared
    )


def as_compared(threshold: int, norm: str, aperture: int) -> int:
    """Convert a threshold to the unit in which the kernel compares magnitudes.

    With gradients in 1/16, 16 m > t is m > t / 16, rounded down; a root above t is a sum of squares
    above t squared.
    """
    if norm == "l2":
        return threshold**2 // UNIT[aperture] ** 2
    if aperture == 3:
        return int(np.float16(min(threshold, MOST_HALVES)).view(np.uint16)) * 0x10001
    return threshold // UNIT[aperture]


BLOCK = (128, 1)
PACKED_SEEDS = declare("packed_seeds", "", (np.int32, np.int32, np.uint32, np.uint32), 3)


def packed_seeds(
    suppressed: Array, levels: Array, weak_bits: Array, strong_bits: Array, convention: str
) -> None:
    """Launch the kernel that writes strong and weak edge pixels as bits."""
    height, width = suppressed.shape
    margin = 0 if convention == "opencv" else 1
    images = (suppressed, levels, weak_bits, strong_bits)
    grid = blocks(BLOCK, width, weak_bits.shape[0] * TILE)  # all rows of the tiles are written
    PACKED_SEEDS(grid, BLOCK, *images, height, width, margin)


TILE_ARRAYS = (np.uint32, np.uint32, np.uint16, np.uint32)
PACKED_TILES = declare("packed_tiles", "", TILE_ARRAYS, **DEFINES)


def packed_tiles(
    weak_bits: Array, strong_bits: Array, side_sets: Array, set_parents: Array
) -> None:
    """Launch the kernel that unites the edge pixels inside each block of tiles."""
    rows, columns, _ = weak_bits.shape
    images = (weak_bits, strong_bits, side_sets, set_parents)
    grid = block_grid(rows * TILE, columns * TILE)
    PACKED_TILES(grid, (32 * TILES,), *images, rows, columns)


PACKED_SEAMS = declare("packed_seams", "", (np.uint16, np.uint32), 0, **DEFINES)


def packed_seams(weak_bits: Array, side_sets: Array, set_parents: Array) -> None:
    """Launch the kernel that unites sets of edge pixels across seams, the borders of blocks."""
    rows, columns, _ = weak_bits.shape
    threads = (32 * (BLOCK_ROWS + BLOCK_COLUMNS),)
    grid = block_grid(rows * TILE, columns * TILE)
    PACKED_SEAMS(grid, threads, side_sets, set_parents)


WARPS = 4
PACKED_HYSTERESIS = declare(
    "packed_hysteresis", "", (*TILE_ARRAYS, np.uint8), **DEFINES, WARPS=WARPS
)


def packed_hysteresis(
    weak_bits: Array, strong_bits: Array, side_sets: Array, set_parents: Array, edges: Array
) -> None:
    """Launch the kernel that writes the edges: all sets that contain a strong pixel."""
    height, width = edges.shape
    images = (weak_bits, strong_bits, side_sets, set_parents, edges)
    grid = blocks((TILE * WARPS, TILE), width, height)
    PACKED_HYSTERESIS(grid, (32 * WARPS,), *images, height, width)


PACKED_STRENGTH_BLOCK = (32, 16)
PACKED_STRENGTH = declare("packed_strength", "", (np.uint8, np.uint32, np.uint32, np.uint8))


def packed_strength(edges: Array, weak_bits: Array, strong_bits: Array, strength: Array) -> None:
    """Launch the kernel that labels pixels: strong, weak (kept or rejected), or no edge."""
    height, width = edges.shape
    images = (edges, weak_bits, strong_bits, strength)
    PACKED_STRENGTH(
        blocks(PACKED_STRENGTH_BLOCK, width, height), PACKED_STRENGTH_BLOCK, *images, height, width
    )
