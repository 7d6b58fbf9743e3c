"""Declare the conversion of decoded video, luma and chroma, to grey levels and RGB.

``images`` declares a decoder's output, ``coefficients`` the meaning of its numbers; ``ahead`` puts
this pipeline's stages before those of another. Users cannot choose a pipeline of this name: every
pipeline gets these stages if its views come from a video.

Source: ITU-R BT.601-7 and BT.709-6, in fixed point; grey levels are those of OpenCV's ``cvtColor``.
"""

from dataclasses import dataclass

from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline, Stage, View
from wheatstone.gpu.pipelines.nv12.images import IMAGES, INPUTS
from wheatstone.gpu.stage import REFERENCE, cpu_variant, cuda_variant

VIEWS = 2
CONVERSION = (
    1 + 2 + 4 + 3 * (2 + 2) + 1
)  # differences, products, then sums, halves, shifts of three
GREY = 3 + 3 + 1  # channels by weights, summed with a half, then a shift


@dataclass(frozen=True)
class Nv12Params(Params):
    """Declare the parameters of video conversion: none, since the video gives its own format."""


def colour_operations(params: Params, height: int, width: int) -> int:
    """Count the products and sums that compute three channels of a pixel."""
    return VIEWS * height * width * CONVERSION


def grey_operations(params: Params, height: int, width: int) -> int:
    """Count the operations of the three channels, and their weighted sum."""
    return VIEWS * height * width * (CONVERSION + GREY)


STAGES = (
    Stage(
        "grey_conversion",
        INPUTS,
        ("left", "right"),
        help="Convert decoded video to grey levels, as those of its colours are.",
        operations=grey_operations,
    ),
    Stage(
        "colour_conversion",
        INPUTS,
        ("decoded_left", "decoded_right"),
        help="Convert decoded video to red, green and blue, to be looked at.",
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
        cpu_variant("All cores, a share of the rows each."),
        cuda_variant(
            "global",
            help="Both views in one launch, four pixels a thread.",
        ),
    ),
    presets={},
    views=(View("colours", ("decoded_left", "decoded_right"), "Both views."),),
)
