"""Declare the stages of rectification: grey views to compute on, and colour views to show."""

from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Stage
from wheatstone.gpu.pipelines.rectify.images import CHANNELS, INPUTS

VIEWS = 2
COLOURS = 3
BILINEAR = 4 + 3 + 2  # of a channel: taps by their weights, summed, then rounded by a shift
WEIGHTS = 2 + 4  # of a pixel: two complements, four products
GREY = COLOURS + COLOURS + 1  # of a pixel: channels by weights, summed with a half, then a shift


def rectify(params: Params, height: int, width: int) -> int:
    """Count the weights of a pixel's four taps, each colour's mean of them, and the grey level."""
    return VIEWS * height * width * (WEIGHTS + COLOURS * BILINEAR + GREY)


def rectify_colours(params: Params, height: int, width: int) -> int:
    """Count the weights of a pixel's four taps, and each channel's mean of them."""
    return VIEWS * height * width * (WEIGHTS + CHANNELS * BILINEAR)


STAGES = (
    Stage(
        "rectify",
        INPUTS,
        ("left", "right"),
        help="Fetch every pixel from where the calibration says it lies, as a grey level.",
        operations=rectify,
    ),
    Stage(
        "rectify_colours",
        INPUTS,
        ("rectified_left", "rectified_right"),
        help="The same in colours, to be looked at.",
        operations=rectify_colours,
        on_demand=True,
    ),
)
