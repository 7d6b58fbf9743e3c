"""Compute how badly a left pixel and a right pixel agree: the matching cost."""

import numpy as np
from numba import int64
from numpy.typing import NDArray

from gpu.compiled import compiled
from gpu.pipelines.sgm.params import OUTSIDE


def matching_cost(
    left_descriptor: NDArray[np.uint8 | np.uint32],
    right_descriptor: NDArray[np.uint8 | np.uint32],
    cost_volume: NDArray[np.uint8],
    cost: str,
    min_disparity: int,
) -> None:
    """Write C(y, x, d), comparing left (y, x) with right (y, x - min_disparity - d).

    Grey levels are compared by their absolute difference, census words by their Hamming distance.
    Where the right pixel lies outside the image, C is the largest value of the cost: 255 for grey
    levels, the number of bits (32, 31 or 32) for census words.

    Args:
        left_descriptor, right_descriptor: (H, W) grey levels (uint8) or census words (uint32).
        cost_volume: (H, W, D) costs, written.
        cost: which cost; tells the value outside.
        min_disparity: disparity of d = 0, in pixels; may be negative.
    """
    words = cost != "absolute"
    _compare(left_descriptor, right_descriptor, cost_volume, min_disparity, OUTSIDE[cost], words)


@compiled
def _compare(
    left: NDArray[np.uint8 | np.uint32],
    right: NDArray[np.uint8 | np.uint32],
    cost: NDArray[np.uint8],
    min_disparity: int,
    outside: int,
    words: bool,
) -> None:
    height, width, _ = cost.shape
    for y in range(height):
        for x in range(width):
            compare_pixel(left, right, cost[y, x], y, x, min_disparity, outside, words)


@compiled
def compare_pixel(
    left: NDArray[np.uint8 | np.uint32],
    right: NDArray[np.uint8 | np.uint32],
    cost: NDArray[np.uint8],
    y: int,
    x: int,
    min_disparity: int,
    outside: int,
    words: bool,
) -> None:
    """Write C(y, x, d) of one pixel: (D,)."""
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
def _bits(word: int) -> int:
    """Count the bits that are set."""
    count = 0
    while word:
        word &= word - 1
        count += 1
    return count
