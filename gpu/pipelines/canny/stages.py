"""Declare the stages of the Canny edge detector, in the order in which they run."""

from wheatstone.gpu.pipeline import Stage
from wheatstone.gpu.pipelines.canny import operations
from wheatstone.gpu.pipelines.canny.params import (
    blurs,
    found_thresholds,
    given_thresholds,
    normalizes,
)

STAGES = (
    Stage(
        "gaussian_filter",
        ("left",),
        ("smoothed", "weights"),
        ("sigma", "convention"),
        when=blurs,
        help="Smooth the image, so that noise has no gradient.",
        operations=operations.gaussian_filter,
    ),
    Stage(
        "intensity_normalization",
        ("smoothed",),
        ("blurred", "peak"),
        when=normalizes,
        help="Stretch the smoothed image to the whole range of grey levels.",
        operations=operations.intensity_normalization,
    ),
    Stage(
        "gradient",
        ("blurred",),
        ("gradient_x", "gradient_y", "magnitude", "direction"),
        ("convention", "norm", "aperture"),
        help="Tell how fast, and which way, grey levels change.",
        operations=operations.gradient,
    ),
    Stage(
        "non_maximum_suppression",
        ("gradient_x", "gradient_y", "magnitude", "direction"),
        ("suppressed",),
        ("convention", "norm"),
        help="Keep pixels whose magnitude is a maximum along the gradient.",
        operations=operations.non_maximum_suppression,
    ),
    Stage(
        "manual_thresholds",
        (),
        ("levels",),
        ("low", "high", "convention"),
        when=given_thresholds,
        help="Take the thresholds as given.",
        operations=operations.no_operations,
    ),
    Stage(
        "automatic_thresholds",
        ("blurred", "magnitude", "suppressed"),
        ("levels", "histogram"),
        ("thresholds", "aperture", "convention"),
        when=found_thresholds,
        help="Find the thresholds from a histogram.",
        operations=operations.automatic_thresholds,
    ),
    Stage(
        "edge_seeds",
        ("suppressed", "levels"),
        ("seeds",),
        ("convention",),
        help="Sort maxima into strong, weak and none.",
        operations=operations.edge_seeds,
    ),
    Stage(
        "hysteresis",
        ("seeds",),
        ("edges", "strength"),
        help="Keep weak pixels that are connected to a strong one.",
    ),
)
