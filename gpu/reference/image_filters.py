"""Invert and smooth images."""

from typing import Any

import numpy as np

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.image import Float32, Int32, Uint8, Uint16
from wheatstone.gpu.pipelines.canny.params import gaussian_weights


@compiled
def invert(left: Uint8, inverted: Uint8) -> None:
    """Write 255 minus the grey level of each pixel.

    Args:
        left: (H, W) grey levels.
        inverted: (H, W) their negative, written.
    """
    height, width = left.shape
    for y in range(height):
        for x in range(width):
            inverted[y, x] = 255 - left[y, x]


def mean_filter(left: Uint8, mean: Uint8, radius: int, convention: str) -> None:
    """Write the mean of each pixel's window of 2 ``radius`` + 1 rows and as many columns.

    - ``opencv``: where the window leaves the image, the image continues by its mirror image about
      its edge pixels, which are not repeated (... 2 1 0 1 2 ...); an image too small for that is
      mirrored back and forth, and a single pixel is repeated. The mean is rounded to the nearest
      grey level; there are no ties, since a window has an odd number of pixels.
    - ``blog``: the mean is truncated, and where the window leaves the image it is 0.

    Args:
        left: (H, W) grey levels.
        mean: (H, W) their means, written.
        radius: at least 1.
        convention: ``opencv`` or ``blog``.

    Source: opencv: cv2.blur and cv2.BORDER_REFLECT_101.
    """
    {"opencv": _rounded, "blog": _truncated}[convention](left, mean, radius)


@compiled
def _rounded(left: Uint8, mean: Uint8, radius: int) -> None:
    height, width = left.shape
    area = (2 * radius + 1) ** 2
    for y in range(height):
        for x in range(width):
            mean[y, x] = (_window_sum(left, y, x, radius) + area // 2) // area


@compiled
def _truncated(left: Uint8, mean: Uint8, radius: int) -> None:
    height, width = left.shape
    area = (2 * radius + 1) ** 2
    mean[:] = 0
    for y in range(radius, height - radius):
        for x in range(radius, width - radius):
            mean[y, x] = _window_sum(left, y, x, radius) // area


@compiled
def _window_sum(image: Uint8, y: int, x: int, radius: int) -> Any:
    height, width = image.shape
    total = 0
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            total += image[reflected(y + dy, height), reflected(x + dx, width)]
    return total


@helper
def reflected(position: int, count: int) -> Any:
    """Return the index of the pixel whose mirror image is at a position outside the image."""
    if count == 1:
        return 0
    while not 0 <= position < count:
        position = -position if position < 0 else 2 * (count - 1) - position
    return position


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


@compiled
def intensity_normalization(smoothed: Uint16, blurred: Uint8, peak: Int32) -> None:
    """Stretch the grey levels so that the largest becomes 255: write 255 v / peak, truncated.

    The published program subtracts the smallest value first; the black frame around its smoothed
    image makes that 0. An image that is entirely black, for which it divides 0 by 0, stays black.

    Args:
        smoothed: (H, W) values v.
        blurred: (H, W) grey levels, written.
        peak: (1,) the largest value, written.

    Source: ``normalize`` of the course program.
    """
    height, width = smoothed.shape
    peak[0] = smoothed.max()
    for y in range(height):
        for x in range(width):
            blurred[y, x] = 255 * np.int64(smoothed[y, x]) // max(peak[0], 1)
