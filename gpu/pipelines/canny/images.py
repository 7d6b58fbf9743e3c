"""Declare the images of the Canny edge detector."""

from wheatstone.gpu.pipeline import Image
from wheatstone.gpu.pipelines.canny.packing import SIDES, TILE, sets, tile_columns, tile_rows, tiles
from wheatstone.gpu.pipelines.canny.params import GAIN, HISTOGRAM_BINS, CannyParams


def grey_limits(params: CannyParams) -> tuple[float, float]:
    """Return the grey levels of black and white."""
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
        "Quadrant of the Gaussian's kernel: weight at |dy|, |dx|; in opencv in 1/65536.",
        ("kernel_side", "kernel_side"),
    ),
    Image("smoothed", "uint16", "The image after the Gaussian.", limits=grey_limits),
    Image("peak", "int32", "Largest smoothed value.", (1,)),
    Image("blurred", "uint8", "What the gradient is taken of.", unit="grey level"),
    Image("gradient_x", "int16", "Sobel gradient along the row.", limits=gradient_limits),
    Image("gradient_y", "int16", "Sobel gradient along the column.", limits=gradient_limits),
    Image("magnitude", "int32", "Magnitude of the gradient.", limits=magnitude_limits),
    Image(
        "direction",
        "uint8",
        "Where the gradient points, by sectors of 45 degrees; down and up are the same.",
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
    Image("histogram", "int32", "Pixels by grey level or magnitude.", (HISTOGRAM_BINS,)),
    Image("levels", "int32", "Least magnitude of a weak pixel, and of a strong one.", (2,)),
    Image("seeds", "uint8", "255: strong; 128: weak; 0: no edge.", limits=grey_limits),
    Image("edges", "uint8", "255 on an edge, 0 elsewhere.", limits=grey_limits),
    Image(
        "strength",
        "uint8",
        "What became of each pixel.",
        colormap="hysteresis",
        labels=("no edge", "weak, rejected", "weak, kept", "strong"),
    ),
)

VARIANT_IMAGES = (
    Image("labels", "int32", "Which set of connected pixels each belongs to."),
    _bits("weak_bits", "Which pixels are weak or strong, a bit each, tile by tile."),
    _bits("strong_bits", "Which pixels are strong, a bit each, tile by tile."),
    Image(
        "side_sets",
        "uint16",
        "Sets of the pixels along the sides of tiles, by their number in the block of tiles.",
        (tiles, SIDES, TILE),
    ),
    Image("set_parents", "uint32", "For each set one that it is connected with.", (sets,)),
)
