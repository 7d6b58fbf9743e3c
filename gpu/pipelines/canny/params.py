"""The parameters of Canny, their constants and weights, and the conditions of stages."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from wheatstone.gpu.image import Float32
from wheatstone.gpu.parameters import Params, choice, slider

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
USUAL_THRESHOLD = 1000  # that a slider reaches
SMALLEST_SIGMA, LARGEST_SIGMA = 0.1, 6.0


def kernel_radius(sigma: float, convention: str) -> int:
    """Compute the radius of the Gaussian's kernel in pixels."""
    if convention == "opencv":
        return (round(6 * sigma + 1) | 1) // 2
    return int(2 * np.float32(sigma)) + 1


def least_magnitude(threshold: int, convention: str) -> int:
    """Return the least integer magnitude that passes a threshold: one above it in `opencv`."""
    return threshold + 1 if convention == "opencv" else threshold


@dataclass(frozen=True)
class CannyParams(Params):
    """The parameters of the Canny edge detector."""

    convention: str = choice(
        "opencv",
        CONVENTIONS,
        "Program whose edges are matched to the bit: cv2.Canny after cv2.GaussianBlur (opencv), "
        "or the University of Aveiro's course program of 2015 or 2025.",
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
        "Source of the thresholds: manual: low and high; median: 0.67 and 1.33 of the median "
        "grey level; otsu: half of Otsu's threshold of the local maxima, and that threshold; "
        "quantile: the upper one is exceeded by 30 % of all pixels, the lower one is 0.4 of it.",
    )
    low: int = slider(
        50,
        0,
        LARGEST_THRESHOLD,
        "Lower threshold: gradient magnitude of a weak edge.",
        step=5,
        usual=USUAL_THRESHOLD,
        keys=("Shift+[", "Shift+]"),
    )
    high: int = slider(
        100,
        0,
        LARGEST_THRESHOLD,
        "Upper threshold: gradient magnitude of a strong edge.",
        step=5,
        usual=USUAL_THRESHOLD,
        symbol="high",
    )
    norm: str = choice(
        "l2",
        ("l1", "l2"),
        "Gradient magnitude: sum of absolute values (l1), or root of the sum of squares (l2).",
    )
    aperture: int = choice(3, tuple(GAIN), "Size of the Sobel kernels; 5 and 7: opencv only.")

    ordered: ClassVar[tuple[tuple[str, str], ...]] = (("low", "high"),)

    @property
    def kernel_side(self) -> int:
        """Compute the number of weights along each side of a quadrant of the Gaussian's kernel."""
        return kernel_radius(self.sigma, self.convention) + 1


def blurs(params: CannyParams) -> bool:
    """Return whether the image is smoothed by a Gaussian."""
    return params.sigma > 0 or params.convention != "opencv"


def normalizes(params: CannyParams) -> bool:
    """Return whether the smoothed image is stretched to the entire range of grey levels."""
    return params.convention != "opencv"


def given_thresholds(params: CannyParams) -> bool:
    """Return whether the thresholds are given as parameters."""
    return params.thresholds == "manual"


def computes_thresholds(params: CannyParams) -> bool:
    """Return whether the thresholds are computed from the image."""
    return params.thresholds != "manual"


def fits(params: CannyParams, height: int, width: int) -> str:
    """Return why a convention's original program rejects the settings; empty if it accepts them."""
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


HALF = 8  # bits of a weight along one axis in `opencv`; a product of two has twice as many


@lru_cache(maxsize=64)
def gaussian_weights(sigma: float, convention: str) -> Float32:
    """Compute a quadrant of the kernel: the weight at distances |dy|, |dx| from its centre.

    - ``opencv``: 2 r + 1 is 6 sigma + 1 rounded to an integer (ties to even), plus 1 if that is
      even. Weights are integers: products of two from the same row of integers, which sum to 256.
      That row is exp(-d^2 / (2 sigma^2)), scaled to the sum 256 and rounded (ties to even)
      from its ends inwards, with each rounding error carried to the next; the centre is the
      remainder to 256.
    - ``aveiro-2015``, ``aveiro-2025``: r = 1 + 2 sigma, truncated. The weight is
      exp(-((dx/sigma)^2 + (dy/sigma)^2) / 2) / (2 pi sigma sigma). The two quotients are rounded to
      float32, all else is double, the result is rounded to float32. Weights do not sum to 1.

    Returns:
        (r + 1, r + 1) weights, read only.

    Source: cv2.getGaussianKernel and cv2.GaussianBlur for uint8; the course program.
    """
    radius = kernel_radius(sigma, convention)
    if convention == "opencv":
        row = np.array(whole_row(sigma, radius), np.float32)
        weights = np.outer(row, row)
    else:
        weights = np.array(
            [
                [_aveiro_weight(dy, dx, sigma) for dx in range(radius + 1)]
                for dy in range(radius + 1)
            ],
            np.float32,
        )
    weights.flags.writeable = False
    return weights


def _aveiro_weight(dy: int, dx: int, sigma: float) -> float:
    single = np.float32(sigma)
    down, across = float(np.float32(dy) / single), float(np.float32(dx) / single)
    divisor = 2 * math.pi * float(single) * float(single)
    return math.exp(-0.5 * (across * across + down * down)) / divisor


def whole_row(sigma: float, radius: int) -> list[int]:
    """Compute `opencv`'s integer weights along one axis, from the centre outwards.

    The weights of both halves and the centre sum to 256.
    """
    bell = [math.exp(-0.5 * (d / sigma) ** 2) for d in range(radius, 0, -1)]
    scale = (1 << HALF) / (1 + 2 * sum(bell))
    row, carried = [], 0.0
    for value in bell:
        exact = value * scale + carried
        row.append(round(exact))
        carried = exact - row[-1]
    return [(1 << HALF) - 2 * sum(row), *reversed(row)]
