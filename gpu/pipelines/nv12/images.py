"""Declare the images of colour conversion."""

from typing import Any

from wheatstone.gpu.image import Image
from wheatstone.gpu.pipelines.nv12.coefficients import COUNT

CHANNELS = 4  # red, green, blue, and 255: a word a pixel
COEFFICIENTS = "coefficients"
INPUTS = ("left_luma", "left_chroma", "right_luma", "right_chroma", COEFFICIENTS)


def half_height(height: int, width: int, params: Any) -> int:
    """Compute the rows of the chroma image: one for two rows of pixels."""
    return -(-height // 2)


def half_width(height: int, width: int, params: Any) -> int:
    """Compute the columns of the chroma image: one for two columns of pixels."""
    return -(-width // 2)


def _luma(side: str) -> Image:
    return Image(f"{side}_luma", "uint8", f"Brightness of the {side} view, as decoded.")


def _chroma(side: str) -> Image:
    help = f"Blue and red difference of the {side} view, each for 2x2 pixels, 128 for grey."
    return Image(f"{side}_chroma", "uint8", help, (half_height, half_width, 2))


def _colours(side: str) -> Image:
    help = f"The {side} view: red, green, blue, 255."
    dims = ("height", "width", CHANNELS)
    return Image(f"decoded_{side}", "uint8", help, dims, colormap="grey")


def _grey(side: str) -> Image:
    help = f"The {side} view."
    return Image(side, "uint8", help, unit="grey level", colormap="grey")


IMAGES = (
    *(each(side) for side in ("left", "right") for each in (_luma, _chroma)),
    Image(COEFFICIENTS, "int32", "What brightness and differences mean.", (COUNT,)),
    *map(_colours, ("left", "right")),
    *map(_grey, ("left", "right")),
)
