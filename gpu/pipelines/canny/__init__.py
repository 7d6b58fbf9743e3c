"""Declare the Canny edge detector: grey image in, one-pixel-wide edges out.

Read ``params``, ``images``, ``stages`` and ``variants``; this file combines them. ``packing`` lays
out the images of variant ``fast``.

Source: J. Canny, "A Computational Approach to Edge Detection", PAMI 1986.
"""

from collections.abc import Mapping
from typing import Any

from wheatstone.gpu.pipeline import Pipeline, Sweep, View
from wheatstone.gpu.pipelines.canny.images import IMAGES, VARIANT_IMAGES
from wheatstone.gpu.pipelines.canny.params import CONVENTIONS, CannyParams, fits
from wheatstone.gpu.pipelines.canny.stages import STAGES
from wheatstone.gpu.pipelines.canny.variants import VARIANTS

__all__ = ["CANNY", "CannyParams"]

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "smooth": {"convention": "opencv", "sigma": 1.0, "low": 50, "high": 100, "aperture": 3},
    "opencv": {"convention": "opencv", "sigma": 0.0, "low": 50, "high": 150, "aperture": 3},
    "automatic": {"convention": "opencv", "sigma": 1.4, "thresholds": "otsu", "aperture": 3},
} | {
    convention: {
        "convention": convention,
        "sigma": 1.0,
        "thresholds": "manual",
        "low": 45,
        "high": 50,
        "norm": "l2",
        "aperture": 3,
    }
    for convention in CONVENTIONS[1:]
}

CANNY = Pipeline(
    name="canny",
    title="Canny edges",
    help="Edges of the left view by Canny's detector.",
    params=CannyParams,
    inputs=("left",),
    output="edges",
    images=IMAGES + VARIANT_IMAGES,
    stages=STAGES,
    variants=VARIANTS,
    presets=PRESETS,
    fits=fits,
    sweep=Sweep("sigma", "sigma", "px", (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)),
    views=(
        View("edges", ("edges",), "The edges."),
        View("left", ("left",), "The image."),
        View("overlay", ("left",), "The edges drawn over the image.", overlay="edges"),
        View("blurred", ("blurred",), "What the gradient is taken of."),
        View("magnitude", ("magnitude",), "Magnitude of the gradient."),
        View("direction", ("direction",), "Direction of the gradient, a colour a sector."),
        View("suppressed", ("suppressed",), "Local maxima of the magnitude."),
        View("seeds", ("seeds",), "Strong pixels white, weak ones grey."),
        View("hysteresis", ("strength",), "Strong white, weak kept green, weak rejected red."),
        View("pair", ("left", "edges"), "Image and edges side by side."),
    ),
)
