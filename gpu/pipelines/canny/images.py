"""The images of the Canny edge detector; those of variant `fast` are tiles of bits."""

from typing import Any

from wheatstone.gpu.pipeline import Image
from wheatstone.gpu.pipelines.canny.params import GAIN, HISTOGRAM_BINS, CannyParams

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
    """Compute the most connected sets of edge pixels in all tiles, plus one for strong pixels."""
    return 1 + MOST_SETS * tiles(height, width, params)


def grey_limits(params: CannyParams) -> tuple[float, float]:
    """Return the grey levels that are drawn black and white."""
    return 0, 255


def gradient_limits(params: CannyParams) -> tuple[float, float]:
    """Return the smallest and the largest gradient, as stored."""
    largest = 1020 * GAIN[params.aperture] // (16 if params.aperture == 7 else 1)
    return -largest, largest


def magnitude_limits(params: CannyParams) -> tuple[float, float]:
    """Return 0 and half the gradient of a step from black to white, which few pixels exceed."""
    return 0, 510 * GAIN[params.aperture]


def _bits(name: str, help: str) -> Image:
    return Image(name, "uint32", help, (tile_rows, tile_columns, TILE))


IMAGES = (
    Image("left", "uint8", "The image.", unit="grey level"),
    Image(
        "weights",
        "float32",
        "Quadrant of the Gaussian kernel: weight at |dy|, |dx|; opencv: in 1/65536.",
        ("kernel_side", "kernel_side"),
    ),
    Image("smoothed", "uint16", "The image after the Gaussian.", limits=grey_limits),
    Image("peak", "int32", "Largest smoothed value.", (1,)),
    Image("blurred", "uint8", "Smoothed image, input of the gradient.", unit="grey level"),
    Image("gradient_x", "int16", "Sobel gradient along the row.", limits=gradient_limits),
    Image("gradient_y", "int16", "Sobel gradient along the column.", limits=gradient_limits),
    Image("magnitude", "int32", "Magnitude of the gradient.", limits=magnitude_limits),
    Image(
        "direction",
        "uint8",
        "Direction of the gradient in sectors of 45 degrees; opposite directions are equal.",
        colormap="direction",
        labels=(
            "along the row",
            "down to the right",
            "along the column",
            "up to the right",
            "nowhere",
        ),
    ),
    Image("suppressed", "int32", "Magnitude of the local maxima.", limits=magnitude_limits),
    Image("histogram", "int32", "Number of pixels by grey level or magnitude.", (HISTOGRAM_BINS,)),
    Image("levels", "int32", "Smallest magnitude of a weak pixel, and of a strong pixel.", (2,)),
    Image("seeds", "uint8", "255: strong; 128: weak; 0: no edge.", limits=grey_limits),
    Image(
        "edges",
        "uint8",
        "255 on an edge, 0 elsewhere.",
        limits=grey_limits,
        binary=("no edge", "edge"),
    ),
    Image(
        "strength",
        "uint8",
        "Class of each pixel after hysteresis.",
        colormap="hysteresis",
        labels=("no edge", "weak, rejected", "weak, kept", "strong"),
    ),
)

VARIANT_IMAGES = (
    Image("labels", "int32", "Label of each pixel's connected component."),
    _bits("weak_bits", "Weak or strong pixels, one bit each, tile by tile."),
    _bits("strong_bits", "Strong pixels, one bit each, tile by tile."),
    Image(
        "side_sets",
        "uint16",
        "Components of the pixels along tile borders, numbered within the block of tiles.",
        (tiles, SIDES, TILE),
    ),
    Image("set_parents", "uint32", "Parent of each component, for union-find.", (sets,)),
)
