"""Compute the Sobel gradient, and thin it to local maxima."""

import math
from typing import Any

import numpy as np

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.image import Int16, Int32, Int64, Uint8
from wheatstone.gpu.pipelines.canny.params import DERIVATIVE, SIGNS, SMOOTHING

TAN_22_5 = 13573  # tan(22.5 degrees) in 1/32768, rounded
NOWHERE = 4  # the direction of no gradient


def gradient(
    blurred: Uint8,
    gradient_x: Int16,
    gradient_y: Int16,
    magnitude: Int32,
    direction: Uint8,
    convention: str,
    norm: str,
    aperture: int,
) -> None:
    """Write the Sobel gradient of each pixel, its magnitude and its direction.

    The Sobel kernel along an axis is the product of a smoothing across it (1 2 1; 1 4 6 4 1;
    1 6 15 20 15 6 1 for apertures 3, 5, 7) and a derivative along it (-1 0 1; -1 -2 0 2 1;
    -1 -4 -5 0 5 4 1); a gradient is positive where grey levels rise to the right or downwards.
    With aperture 7 it is divided by 16 and rounded, halves to even.

    - ``opencv``: the nearest edge pixel is used outside the image. The magnitude is
      |gx| + |gy| (``l1``) or the root of gx^2 + gy^2, rounded up (``l2``), of gradients not yet
      divided by 16: so it exceeds an integer when OpenCV's own, unrounded one does.
    - ``aveiro-2015``, ``aveiro-2025``: aperture 3. Pixels on the edge of the image have no
      gradient. 2015 has gy, 2025 has gx with the opposite sign. The root is rounded down; ``l1`` is
      an addition to the published programs.

    The direction is the nearest multiple of 45 degrees, either way along it: 0 along the row, 1
    down to the right, 2 along the column, 3 up to the right; 4 where there is none. It is 0 if
    32768 |gy| < 13573 |gx|, 2 if 32768 |gy| > (13573 + 65536) |gx|, otherwise 1 if the gradients
    have equal signs, else 3.

    Args:
        blurred: (H, W) integers from 0 to 255.
        gradient_x, gradient_y: (H, W) gradients, written.
        magnitude: (H, W) in units of the thresholds, written.
        direction: (H, W) labels, written.

    Source: cv2.Sobel and cv2.Canny; ``cannyHost`` of the course program, whose directions by
    arctangents in double are the same for all gradients there are.
    """
    smoothing, derivative = np.array(SMOOTHING[aperture]), np.array(DERIVATIVE[aperture])
    framed, squared = convention != "opencv", norm == "l2"
    _sobel(blurred, gradient_x, gradient_y, smoothing, derivative, framed)
    _describe(
        gradient_x, gradient_y, magnitude, direction, 16 if aperture == 7 else 1, squared, framed
    )
    gradient_x *= SIGNS[convention][0]
    gradient_y *= SIGNS[convention][1]


@compiled
def _sobel(
    image: Uint8,
    gradient_x: Int16,
    gradient_y: Int16,
    smoothing: Int64,
    derivative: Int64,
    framed: bool,
) -> None:
    height, width = image.shape
    for y in range(height):
        for x in range(width):
            gradient_x[y, x] = gradient_y[y, x] = 0
            if framed and (y in (0, height - 1) or x in (0, width - 1)):
                continue
            gradient_x[y, x] = _weighted(image, y, x, smoothing, derivative)
            gradient_y[y, x] = _weighted(image, y, x, derivative, smoothing)


@compiled
def _weighted(image: Uint8, y: int, x: int, down: Int64, across: Int64) -> Any:
    height, width = image.shape
    aperture = down.size
    total = 0
    for i in range(aperture):
        for j in range(aperture):
            pixel_y = min(max(y + i - aperture // 2, 0), height - 1)
            pixel_x = min(max(x + j - aperture // 2, 0), width - 1)
            total += down[i] * across[j] * image[pixel_y, pixel_x]
    return sixteenth(total) if aperture == 7 else total


@helper
def sixteenth(value: int) -> Any:
    """Divide by 16 and round to the nearest integer, halves to even."""
    rounded = (value + 8) >> 4
    return rounded - 1 if value & 15 == 8 and rounded & 1 else rounded


@compiled
def _describe(
    gradient_x: Int16,
    gradient_y: Int16,
    magnitude: Int32,
    direction: Uint8,
    unit: int,
    squared: bool,
    truncated: bool,
) -> None:
    height, width = gradient_x.shape
    for y in range(height):
        for x in range(width):
            gx, gy = unit * np.int64(gradient_x[y, x]), unit * np.int64(gradient_y[y, x])
            if squared:
                root = math.sqrt(gx * gx + gy * gy)  # exact enough: the sum is below 2^53
                magnitude[y, x] = math.floor(root) if truncated else math.ceil(root)
            else:
                magnitude[y, x] = abs(gx) + abs(gy)
            direction[y, x] = sector(gx, gy)


@compiled
def sector(gx: int, gy: int) -> Any:
    """Return the label of the sector in which a gradient's direction lies."""
    across, down = abs(gx), abs(gy)
    if across + down == 0:
        return NOWHERE
    if down << 15 < across * TAN_22_5:
        return 0
    if down << 15 > across * (TAN_22_5 + (1 << 16)):
        return 2
    return 1 if (gx < 0) == (gy < 0) else 3


# (dy, dx) of the neighbour before a pixel along each direction; the one after it lies opposite.
BEFORE = ((0, -1), (-1, -1), (-1, 0), (-1, 1))


@compiled
def non_maximum_suppression(
    gradient_x: Int16,
    gradient_y: Int16,
    magnitude: Int32,
    direction: Uint8,
    suppressed: Int32,
    convention: str,
    norm: str,
) -> None:
    """Write the magnitude of pixels that exceed their two neighbours along the gradient, else 0.

    Magnitudes are compared; in ``opencv`` with ``l2`` instead gx^2 + gy^2, because rounded roots
    are sometimes equal. Outside the image they are 0. A pixel without gradient gives 0.

    Ties: in ``opencv`` a pixel may be equal to its right neighbour (direction 0) or lower one
    (direction 2), not to its left or upper one, and on the diagonals to neither; in ``aveiro-2015``
    and ``aveiro-2025`` it must exceed both, so that ridges two pixels wide vanish.

    Args:
        gradient_x, gradient_y, magnitude, direction: (H, W), as ``gradient`` writes them.
        suppressed: (H, W) magnitudes of local maxima, written.

    Source: Canny 1986, section VI; cv2.Canny; ``non_maximum_supression`` of the course program.
    """
    squares = convention == "opencv" and norm == "l2"
    height, width = magnitude.shape
    for y in range(height):
        for x in range(width):
            suppressed[y, x] = 0
            if magnitude[y, x] == 0:
                continue
            dy, dx = BEFORE[direction[y, x]]
            here = _compared(gradient_x, gradient_y, magnitude, y, x, squares)
            before = _compared(gradient_x, gradient_y, magnitude, y + dy, x + dx, squares)
            after = _compared(gradient_x, gradient_y, magnitude, y - dy, x - dx, squares)
            tie_counts = convention == "opencv" and direction[y, x] in (0, 2)
            if here > before and (here > after or (tie_counts and here == after)):
                suppressed[y, x] = magnitude[y, x]


@compiled
def _compared(
    gradient_x: Int16, gradient_y: Int16, magnitude: Int32, y: int, x: int, squares: bool
) -> Any:
    height, width = magnitude.shape
    if not (0 <= y < height and 0 <= x < width):
        return 0
    if squares:
        return np.int64(gradient_x[y, x]) ** 2 + np.int64(gradient_y[y, x]) ** 2
    return np.int64(magnitude[y, x])
