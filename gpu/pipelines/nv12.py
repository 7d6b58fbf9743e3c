"""The conversion of decoded video, luma and chroma, to grey levels and RGB.

``IMAGES`` has a decoder's output, ``coefficients`` computes the meaning of its numbers; ``ahead``
puts this pipeline's stages before those of another. Users cannot choose a pipeline of this name:
every pipeline gets these stages if its views come from a video.

Source: ITU-R BT.601-7 and BT.709-6, in fixed point; grey levels are those of OpenCV's ``cvtColor``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wheatstone.gpu.image import Image, Int32
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline, Stage, View
from wheatstone.gpu.stage import REFERENCE, cpu_variant, cuda_variant

COUNT = 6
ONE = 1 << 14  # of the fixed point
MATRICES = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}
"""Shares of red and blue in the brightness, by name."""


def coefficients(matrix: str, *, full_range: bool) -> Int32:
    """Compute the coefficients of the conversion to RGB.

    Args:
        matrix: one of ``MATRICES``.
        full_range: whether brightness lies in 0 to 255, as in MJPEG; if not, in 16 to 235.

    Returns:
        (6,) the brightness of black; then, in 1/16384: the factor of brightness, those of the red
        difference in red, of the blue and the red difference in green, of the blue one in blue.
    """
    red, blue = MATRICES[matrix]
    green = 1 - red - blue
    brightness, difference = (1.0, 1.0) if full_range else (255 / 219, 255 / 224)
    of_red, of_blue = 2 * (1 - red) * difference, 2 * (1 - blue) * difference
    factors = (brightness, of_red, -of_blue * blue / green, -of_red * red / green, of_blue)
    black = 0 if full_range else 16
    return np.array([black, *(round(ONE * factor) for factor in factors)], np.int32)


CHANNELS = 4  # red, green, blue, and 255: a word a pixel
COEFFICIENTS = "coefficients"
INPUTS = ("left_luma", "left_chroma", "right_luma", "right_chroma", COEFFICIENTS)


def half_height(height: int, width: int, params: Any) -> int:
    """Compute the number of rows of the chroma image: half that of luma, rounded up."""
    return -(-height // 2)


def half_width(height: int, width: int, params: Any) -> int:
    """Compute the number of columns of the chroma image: half that of luma, rounded up."""
    return -(-width // 2)


def _luma(side: str) -> Image:
    return Image(f"{side}_luma", "uint8", f"Brightness of the {side} view, as decoded.")


def _chroma(side: str) -> Image:
    help = f"Blue and red difference of the {side} view, one pair per 2x2 pixels, 128 for grey."
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
    Image(
        COEFFICIENTS,
        "int32",
        "Coefficients of the conversion from brightness and colour differences.",
        (COUNT,),
    ),
    *map(_colours, ("left", "right")),
    *map(_grey, ("left", "right")),
)

VIEWS = 2
CONVERSION = (
    1 + 2 + 4 + 3 * (2 + 2) + 1
)  # differences, products, then sums, halves, shifts of three
GREY = 3 + 3 + 1  # channels by weights, summed with a half, then a shift


@dataclass(frozen=True)
class Nv12Params(Params):
    """The parameters of video conversion: none, because the video determines its own format."""


def colour_operations(params: Params, height: int, width: int) -> int:
    """Count the operations of colour conversion: products and sums for three channels."""
    return VIEWS * height * width * CONVERSION


def grey_operations(params: Params, height: int, width: int) -> int:
    """Count the operations of grey conversion: three channels and their weighted sum."""
    return VIEWS * height * width * (CONVERSION + GREY)


STAGES = (
    Stage(
        "grey_conversion",
        INPUTS,
        ("left", "right"),
        help="Convert decoded video to the grey levels of its colours.",
        operations=grey_operations,
    ),
    Stage(
        "colour_conversion",
        INPUTS,
        ("decoded_left", "decoded_right"),
        help="Convert decoded video to red, green and blue, for display.",
        operations=colour_operations,
        on_demand=True,
    ),
)

NV12 = Pipeline(
    name="nv12",
    title="Colour conversion",
    help="Convert decoded video to grey levels and colours.",
    params=Nv12Params,
    inputs=INPUTS,
    output="left",
    images=IMAGES,
    stages=STAGES,
    variants=(
        REFERENCE,
        cpu_variant("All cores, each with a share of the rows."),
        cuda_variant("global", help="Both views in one launch, four pixels per thread."),
    ),
    presets={},
    views=(View("colours", ("decoded_left", "decoded_right"), "Both views."),),
)
