"""Compute the horizontal gradient, which describes a pixel's change of grey along its row."""

from typing import Any

from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Uint8
from wheatstone.gpu.pipelines.sgm.params import GRADIENT_REACH


@compiled
def horizontal_gradient(
    left: Uint8, right: Uint8, left_gradient: Uint8, right_gradient: Uint8
) -> None:
    """Write the horizontal Sobel gradient of every pixel of both views, clipped to [-31, 31].

    With v = I(y-1, x) + 2 I(y, x) + I(y+1, x), it is v(y, x+1) - v(y, x-1), no less than -31 and
    no more than 31, and stored with 31 added: 0..62. Outside the image the nearest edge pixel is
    used.

    Args:
        left, right: (H, W) grey levels.
        left_gradient, right_gradient: (H, W), written.

    Source: H. Hirschmüller and D. Scharstein, "Evaluation of Cost Functions for Stereo Matching",
    CVPR 2007, for costs of filtered views; clipped as in OpenCV's StereoSGBM.
    """
    _differentiate(left, left_gradient)
    _differentiate(right, right_gradient)


@compiled
def _differentiate(image: Uint8, gradient: Uint8) -> None:
    height, width = image.shape
    for y in range(height):
        for x in range(width):
            slope = _weighted(image, y, x + 1) - _weighted(image, y, x - 1)
            slope = min(max(slope, -GRADIENT_REACH), GRADIENT_REACH)
            gradient[y, x] = slope + GRADIENT_REACH


@compiled
def _weighted(image: Uint8, y: int, x: int) -> Any:
    """Sum three grey levels of a column, the middle one twice."""
    height, width = image.shape
    column = min(max(x, 0), width - 1)
    above, below = max(y - 1, 0), min(y + 1, height - 1)
    ends = int64(image[above, column]) + int64(image[below, column])
    return ends + 2 * int64(image[y, column])
