"""Smooth an image by a Gaussian."""

from typing import Any

import numpy as np

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Float32, Int32, Uint8, Uint16
from wheatstone.gpu.reference.gaussian_weights import gaussian_weights
from wheatstone.gpu.reference.mean_filter import reflected


def gaussian_filter(
    left: Uint8, smoothed: Uint16, weights: Float32, sigma: float, convention: str
) -> None:
    """Write the Gaussian-weighted sum of each pixel's window.

    - ``opencv``: weights are integers that sum to 65536; the sum over the window is exact,
      then divided by 65536 and rounded, halves up. Where the window leaves the image, the image is
      continued by its mirror image, edge pixels not repeated (reflect 101).
    - ``aveiro-2015``, ``aveiro-2025``: products and sums are float32, each rounded to nearest
      before the next (no fused multiply-add), from 0 on; the result is truncated. In 2015 the
      window is read row by row from its top left pixel, in 2025 from its bottom right one: sums
      rounded in another order. Where the window leaves the image the result is 0, so a frame as
      wide as the kernel's radius is black. Weights need not sum to 1: values can exceed 255.

    Args:
        left: (H, W) grey levels.
        smoothed: (H, W) their weighted sums, written.
        weights: quadrant of the kernel, written; see ``gaussian_weights``.
        sigma: standard deviation in pixels.

    Source: cv2.GaussianBlur for uint8; ``gaussian_filter`` and ``convolution`` of the course
    program.
    """
    weights[:] = gaussian_weights(sigma, convention)
    if convention == "opencv":
        _reflecting(left, weights.astype(np.int32), smoothed)
    else:
        _framed(left, weights, smoothed, 1 if convention == "aveiro-2015" else -1)


@compiled
def _reflecting(left: Uint8, weights: Int32, smoothed: Uint16) -> None:
    height, width = left.shape
    for y in range(height):
        for x in range(width):
            smoothed[y, x] = (_whole_sum(left, weights, y, x) + 32768) >> 16


@compiled
def _whole_sum(left: Uint8, weights: Int32, y: int, x: int) -> Any:
    height, width = left.shape
    radius = weights.shape[0] - 1
    total = 0
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            pixel = left[reflected(y + dy, height), reflected(x + dx, width)]
            total += pixel * weights[abs(dy), abs(dx)]
    return total


@compiled
def _framed(left: Uint8, weights: Float32, smoothed: Uint16, step: int) -> None:
    height, width = left.shape
    radius = weights.shape[0] - 1
    smoothed[:] = 0
    for y in range(radius, height - radius):
        for x in range(radius, width - radius):
            smoothed[y, x] = int(_rounded_sum(left, weights, y, x, step))


@compiled
def _rounded_sum(left: Uint8, weights: Float32, y: int, x: int, step: int) -> Any:
    radius = weights.shape[0] - 1
    total = np.float32(0)
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            pixel = np.float32(left[y + step * dy, x + step * dx])
            total += pixel * weights[abs(dy), abs(dx)]
    return total
