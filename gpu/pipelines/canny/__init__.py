"""Canny edges: a grey image in, one-pixel-wide edges out.

Source: J. Canny, "A Computational Approach to Edge Detection", PAMI 1986.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gpu.parameters import Params, choice, slider
from gpu.pipeline import Image, Pipeline, Stage, Sweep, Variant, View
from gpu.pipelines import operations

CONVENTIONS = ("opencv", "aveiro-2015", "aveiro-2025")
THRESHOLDS = ("manual", "median", "otsu", "quantile")
STRONG, WEAK = 255, 128  # what `seeds` holds: an edge, and an edge if connected to one
# Sobel's kernel along an axis: a smoothing across it times a derivative along it.
SMOOTHING = {3: (1, 2, 1), 5: (1, 4, 6, 4, 1), 7: (1, 6, 15, 20, 15, 6, 1)}
DERIVATIVE = {3: (-1, 0, 1), 5: (-1, -2, 0, 2, 1), 7: (-1, -4, -5, 0, 5, 4, 1)}
SIGNS = {
    "opencv": (1, 1),
    "aveiro-2015": (1, -1),
    "aveiro-2025": (-1, 1),
}  # of gx and gy, against Sobel's
HISTOGRAM_BINS = 2048
# Gradients of a wider aperture are larger: by its sum of weights over that of aperture 3. That is
# also the width of a bin of the histogram of magnitudes, which then fill 2041 bins at most.
GAIN = {3: 1, 5: 12, 7: 160}
LARGEST_THRESHOLD = 32767  # beyond it OpenCV does not tell L2 thresholds apart
SMALLEST_SIGMA, LARGEST_SIGMA = 0.1, 6.0


def kernel_radius(sigma: float, convention: str) -> int:
    """Pixels from the centre of the Gaussian's kernel to its edge."""
    if convention == "opencv":
        return (round(6 * sigma + 1) | 1) // 2
    return int(2 * np.float32(sigma)) + 1


def least_magnitude(threshold: int, convention: str) -> int:
    """The least whole magnitude that passes: beyond the threshold in opencv, else from it on."""
    return threshold + 1 if convention == "opencv" else threshold


@dataclass(frozen=True)
class CannyParams(Params):
    """Parameters of the Canny edge detector."""

    convention: str = choice(
        "opencv",
        CONVENTIONS,
        "Whose edges, to the bit: cv2.Canny's (after cv2.GaussianBlur), or those of the University "
        "of Aveiro's course program of either year.",
    )
    sigma: float = slider(
        1.0,
        0.0,
        LARGEST_SIGMA,
        "Standard deviation of the Gaussian; 0: no blur (opencv only).",
        unit="px",
        keys=("[", "]"),
        symbol="sigma",
    )
    thresholds: str = choice(
        "manual",
        THRESHOLDS,
        "Where the thresholds come from: low and high; 0.67 and 1.33 of the median grey level; "
        "Otsu's threshold of the local maxima and its half; or so that 30 % of all pixels exceed "
        "the upper one, the lower 0.4 of it.",
    )
    low: int = slider(
        50, 0, LARGEST_THRESHOLD, "Magnitude of a weak edge.", step=5, keys=("Shift+[", "Shift+]")
    )
    high: int = slider(
        100, 0, LARGEST_THRESHOLD, "Magnitude of a strong edge.", step=5, symbol="high"
    )
    norm: str = choice(
        "l2", ("l1", "l2"), "Magnitude: sum of absolute gradients, or root of their squares."
    )
    aperture: int = choice(3, tuple(GAIN), "Size of the Sobel kernels; 5 and 7: opencv only.")

    ordered: ClassVar[tuple[tuple[str, str], ...]] = (("low", "high"),)

    @property
    def kernel_side(self) -> int:
        """Weights along each side of a quadrant of the Gaussian's kernel."""
        return kernel_radius(self.sigma, self.convention) + 1


def blurs(params: CannyParams) -> bool:
    """Whether there is a Gaussian."""
    return params.sigma > 0 or params.convention != "opencv"


def normalizes(params: CannyParams) -> bool:
    """Whether the smoothed image is stretched to the whole range of grey levels."""
    return params.convention != "opencv"


def given_thresholds(params: CannyParams) -> bool:
    """Whether the thresholds are parameters."""
    return params.thresholds == "manual"


def found_thresholds(params: CannyParams) -> bool:
    """Whether the thresholds come from the image."""
    return params.thresholds != "manual"


def fits(params: CannyParams, height: int, width: int) -> str:
    """What the published programs assert, and apertures that they do not have."""
    convention, sigma = params.convention, params.sigma
    if convention == "opencv":
        return ""
    if params.aperture != 3:
        return f"aperture must be 3 in convention {convention} (got {params.aperture})"
    if sigma < SMALLEST_SIGMA:
        return f"sigma must be at least {SMALLEST_SIGMA} in convention {convention} (got {sigma})"
    side = 2 * kernel_radius(sigma, convention) + 1
    if min(height, width) <= side:
        return (
            f"both sides of the image must be longer than the Gaussian's kernel of convention "
            f"{convention}, {side} px at sigma {sigma} (got {width}x{height})"
        )
    return ""


def grey_limits(params: CannyParams) -> tuple[float, float]:
    """Black and white."""
    return 0, 255


def gradient_limits(params: CannyParams) -> tuple[float, float]:
    """Largest gradient either way, as stored."""
    largest = 1020 * GAIN[params.aperture] // (16 if params.aperture == 7 else 1)
    return -largest, largest


def magnitude_limits(params: CannyParams) -> tuple[float, float]:
    """From no gradient to half of what a step from black to white has: few are stronger."""
    return 0, 510 * GAIN[params.aperture]


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
    Image("labels", "int32", "Which set of connected pixels each belongs to."),
    Image("edges", "uint8", "255 on an edge, 0 elsewhere.", limits=grey_limits),
    Image(
        "strength",
        "uint8",
        "What became of each pixel.",
        colormap="hysteresis",
        labels=("no edge", "weak, rejected", "weak, kept", "strong"),
    ),
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


def _cuda(name: str, help: str, textures: tuple[str, ...] = (), **memory: str) -> Variant:
    stages = ("gaussian_filter", "gradient", "non_maximum_suppression", "hysteresis")
    labelled = Stage(
        "hysteresis",
        ("seeds",),
        ("edges", "strength", "labels"),
        covers=("hysteresis",),
        help="Label connected pixels by union-find; keep sets with a strong one.",
    )
    return Variant(
        name,
        "cuda",
        "gpu.kernels",
        help,
        memory={stage: memory.get(stage, name) for stage in stages},
        fused=(labelled,),
        textures=textures,
    )


VARIANTS = (
    Variant("reference", "cpu", "gpu.reference", "The specification, one thread."),
    Variant("cpu", "cpu", "gpu.cpu", "All cores, vectorised."),
    _cuda("global", "Every neighbour re-read from global memory."),
    _cuda(
        "texture",
        "The image read through a texture by the first stage that reads it.",
        textures=("left",),
        non_maximum_suppression="global",
        hysteresis="global",
    ),
    _cuda(
        "shared",
        "Tiles in shared memory, with a halo as wide as the kernel; edges joined in tiles first.",
    ),
)

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
    images=IMAGES,
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
