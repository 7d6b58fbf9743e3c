"""The stages of the Canny edge detector, in the order in which they run.

A stage's function counts its operations; see ``Stage.operations``.
"""

from wheatstone.gpu.pipeline import Stage
from wheatstone.gpu.pipelines.canny.params import (
    CannyParams,
    blurs,
    computes_thresholds,
    given_thresholds,
    normalizes,
)


def gaussian_filter(params: CannyParams, height: int, width: int) -> int:
    """Count the operations of smoothing: a product and a sum per weight; rounding in `opencv`."""
    window = (2 * params.kernel_side - 1) ** 2
    return height * width * (2 * window - 1 + 2 * (params.convention == "opencv"))


def intensity_normalization(params: CannyParams, height: int, width: int) -> int:
    """Count the operations of stretching: a search for the largest value, a product, a quotient."""
    return height * width - 1 + 2 * height * width


def gradient(params: CannyParams, height: int, width: int) -> int:
    """Count the operations of the gradient: two Sobel sums, the magnitude and the direction.

    With aperture 7 gradients are divided by rounding shifts, and multiplied for the magnitude.
    """
    sobel = 2 * (2 * params.aperture**2 - 1)
    magnitude = 4 if params.norm == "l2" else 3
    rounding = 2 * (2 + 1) if params.aperture == 7 else 0
    sign = params.convention != "opencv"
    return height * width * (sobel + magnitude + rounding + sign + 12)


def non_maximum_suppression(params: CannyParams, height: int, width: int) -> int:
    """Count the operations of thinning: three comparisons per pixel, and more in `opencv`."""
    opencv = params.convention == "opencv"
    squares = 3 * 3 if opencv and params.norm == "l2" else 0
    return height * width * (1 + 2 + opencv + squares)


def no_operations(params: CannyParams, height: int, width: int) -> int:
    """Return 0, because computations done once per frame do not count."""
    return 0


def automatic_thresholds(params: CannyParams, height: int, width: int) -> int:
    """Count the operations of automatic thresholds: per pixel, without the work on bins."""
    bins = {"median": 1, "quantile": 2, "otsu": 3}
    return height * width * bins[params.thresholds]


def edge_seeds(params: CannyParams, height: int, width: int) -> int:
    """Count the operations of edge seeding: two comparisons per pixel."""
    return height * width * 2


STAGES = (
    Stage(
        "gaussian_filter",
        ("left",),
        ("smoothed", "weights"),
        ("sigma", "convention"),
        when=blurs,
        help="Smooth the image, so that noise has no gradient.",
        operations=gaussian_filter,
    ),
    Stage(
        "intensity_normalization",
        ("smoothed",),
        ("blurred", "peak"),
        when=normalizes,
        help="Stretch the smoothed image to the full range of grey levels.",
        operations=intensity_normalization,
    ),
    Stage(
        "gradient",
        ("blurred",),
        ("gradient_x", "gradient_y", "magnitude", "direction"),
        ("convention", "norm", "aperture"),
        help="Compute the magnitude and direction of the grey-level gradient.",
        operations=gradient,
    ),
    Stage(
        "non_maximum_suppression",
        ("gradient_x", "gradient_y", "magnitude", "direction"),
        ("suppressed",),
        ("convention", "norm"),
        help="Keep pixels whose magnitude is a maximum along the gradient.",
        operations=non_maximum_suppression,
    ),
    Stage(
        "manual_thresholds",
        (),
        ("levels",),
        ("low", "high", "convention"),
        when=given_thresholds,
        help="Use the thresholds given as parameters.",
        operations=no_operations,
    ),
    Stage(
        "automatic_thresholds",
        ("blurred", "magnitude", "suppressed"),
        ("levels", "histogram"),
        ("thresholds", "aperture", "convention"),
        when=computes_thresholds,
        help="Compute the thresholds from a histogram.",
        operations=automatic_thresholds,
    ),
    Stage(
        "edge_seeds",
        ("suppressed", "levels"),
        ("seeds",),
        ("convention",),
        help="Classify maxima as strong, weak or none.",
        operations=edge_seeds,
    ),
    Stage(
        "hysteresis",
        ("seeds",),
        ("edges", "strength"),
        help="Keep weak pixels that are connected to a strong one.",
    ),
)
