"""Define the layout of images in variant `fast` of the edge detector: tiles of bits."""

from typing import Any

TILE = 32  # rows and columns of a tile, which a warp has in its registers: a word a lane
BLOCK_ROWS, BLOCK_COLUMNS = 2, 4  # tiles whose sets one block of threads joins
TILES = BLOCK_ROWS * BLOCK_COLUMNS
SIDES = 4  # of a tile: top, bottom, left, right
MOST_SETS = (TILE // 2) ** 2  # of a tile: a cell of 2x2 pixels can begin but one
DEFINES = {"BLOCK_ROWS": BLOCK_ROWS, "BLOCK_COLUMNS": BLOCK_COLUMNS, "MOST_SETS": MOST_SETS}
"""The macros of ``tiles_of_bits.cuh``."""


def tile_rows(height: int, width: int, params: Any) -> int:
    """Compute the number of tiles down a column of the image."""
    return -(-height // TILE)


def tile_columns(height: int, width: int, params: Any) -> int:
    """Compute the number of tiles along a row of the image."""
    return -(-width // TILE)


def block_grid(height: int, width: int) -> tuple[int, int]:
    """Compute the number of blocks of tiles along a row and down a column."""
    return -(-width // (TILE * BLOCK_COLUMNS)), -(-height // (TILE * BLOCK_ROWS))


def tiles(height: int, width: int, params: Any) -> int:
    """Compute the number of tiles of all blocks, including tiles outside the image."""
    columns, rows = block_grid(height, width)
    return TILES * columns * rows


def sets(height: int, width: int, params: Any) -> int:
    """Compute the largest number of sets in all tiles, and one for the set of all strong pixels."""
    return 1 + MOST_SETS * tiles(height, width, params)
