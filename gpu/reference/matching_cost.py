"""Compute the matching cost, which measures how different a left and a right pixel are."""

import numpy as np
from numba import int64
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Uint8
from wheatstone.gpu.pipelines.sgm.params import LARGEST_GRADIENT_COST, outside_cost


def matching_cost(
    left_descriptor: NDArray[np.uint8 | np.uint32],
    right_descriptor: NDArray[np.uint8 | np.uint32],
    left_gradient: Uint8,
    right_gradient: Uint8,
    cost_volume: Uint8,
    cost: str,
    min_disparity: int,
    gradient: bool,
    outside: int,
) -> None:
    """Write the costs C(y, x, d): left (y, x) compared with right (y, x - min_disparity - d).

    Grey levels are compared by their absolute difference, census words by their Hamming distance;
    to this, half the absolute difference of the gradients is added, rounded down and at most 16,
    if ``gradient`` is set. Where the right pixel lies outside the image, C is ``outside``,
    or if that is negative the largest possible cost: 255 for grey levels, the number of bits (32,
    31 or 32) for census words, 16 more with gradients.

    Args:
        left_descriptor, right_descriptor: (H, W) grey levels (uint8) or census words (uint32).
        left_gradient, right_gradient: (H, W) horizontal gradients; read for ``gradient`` only.
        cost_volume: (H, W, D) costs, written.
        cost: name of the cost.
        min_disparity: disparity of d = 0, in pixels; may be negative.
        gradient: whether gradients count in addition to census words; with grey levels they do not.
        outside: the cost outside the image.
    """
    images = left_descriptor, right_descriptor, left_gradient, right_gradient, cost_volume
    words = cost != "absolute"
    _compare(
        *images, min_disparity, outside_cost(cost, gradient, outside), words, gradient and words
    )


@compiled
def _compare(
    left: NDArray[np.uint8 | np.uint32],
    right: NDArray[np.uint8 | np.uint32],
    left_gradient: Uint8,
    right_gradient: Uint8,
    cost: Uint8,
    min_disparity: int,
    outside: int,
    words: bool,
    gradient: bool,
) -> None:
    height, width, _ = cost.shape
    for y in range(height):
        for x in range(width):
            compare_pixel(left, right, cost[y, x], y, x, min_disparity, outside, words)
            if gradient:
                add_gradient(left_gradient, right_gradient, cost[y, x], y, x, min_disparity)


@compiled
def compare_pixel(
    left: NDArray[np.uint8 | np.uint32],
    right: NDArray[np.uint8 | np.uint32],
    cost: Uint8,
    y: int,
    x: int,
    min_disparity: int,
    outside: int,
    words: bool,
) -> None:
    """Write the matching costs of one pixel without gradients: C(y, x, d) for all d, (D,)."""
    width = left.shape[1]
    for d in range(cost.size):
        partner = x - min_disparity - d
        if partner < 0 or partner >= width:
            cost[d] = outside
        elif words:
            cost[d] = _bits(int64(left[y, x] ^ right[y, partner]))
        else:
            cost[d] = abs(int64(left[y, x]) - int(right[y, partner]))


@compiled
def add_gradient(
    left: Uint8, right: Uint8, cost: Uint8, y: int, x: int, min_disparity: int
) -> None:
    """Add the gradient costs of one pixel to C(y, x, d), (D,), inside the right view."""
    width = left.shape[1]
    for d in range(cost.size):
        partner = x - min_disparity - d
        if 0 <= partner < width:
            difference = abs(int64(left[y, x]) - int64(right[y, partner]))
            cost[d] += min(difference // 2, LARGEST_GRADIENT_COST)


@compiled
def _bits(word: int) -> int:
    count = 0
    while word:
        word &= word - 1
        count += 1
    return count
