"""Compute the weights of the Gaussian filter, on the host for every variant."""

import math
from functools import lru_cache

import numpy as np

from wheatstone.gpu.image import Float32
from wheatstone.gpu.pipelines.canny.params import kernel_radius

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
    """Compute `opencv`'s weights along one axis, from the centre on; both halves sum to 256."""
    bell = [math.exp(-0.5 * (d / sigma) ** 2) for d in range(radius, 0, -1)]
    scale = (1 << HALF) / (1 + 2 * sum(bell))
    row, carried = [], 0.0
    for value in bell:
        exact = value * scale + carried
        row.append(round(exact))
        carried = exact - row[-1]
    return [(1 << HALF) - 2 * sum(row), *reversed(row)]
