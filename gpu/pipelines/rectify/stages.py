"""Declare the stages of rectification, in the order in which they run."""

from gpu.parameters import Params
from gpu.pipeline import Stage
from gpu.pipelines.rectify.images import CHANNELS

VIEWS = 2
BILINEAR = 4 * 2 + 3 + 2  # of a channel: taps by their weights, summed, then rounded by a shift
WEIGHTS = 2 + 4  # of a pixel: two complements, four products
GREY = 3 * 2 + 2  # of a pixel: channels by their weights, summed with a half, then a shift


def rectify_operations(params: Params, height: int, width: int) -> int:
    """Count the weights of a pixel's four taps, and each channel's mean of them."""
    return VIEWS * height * width * (WEIGHTS + CHANNELS * BILINEAR)


def grey_operations(params: Params, height: int, width: int) -> int:
    """Count the weighted sum of three channels."""
    return VIEWS * height * width * GREY


STAGES = (
    Stage(
        "rectify",
        ("raw_left", "raw_right", "left_map", "right_map"),
        ("rectified_left", "rectified_right"),
        help="Fetch every pixel from where the calibration says it lies.",
        operations=rectify_operations,
    ),
    Stage(
        "grey_levels",
        ("rectified_left", "rectified_right"),
        ("left", "right"),
        help="Convert colours to grey levels.",
        operations=grey_operations,
    ),
)
