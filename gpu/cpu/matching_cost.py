"""Matching cost, sixteen disparities at a time.  Computes gpu.reference.matching_cost."""

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from gpu.cpu.lanes import LANES, distance, load, splat, store, where
from gpu.reference.matching_cost import OUTSIDE


def matching_cost(
    left_descriptor: NDArray[np.uint8 | np.uint32],
    right_descriptor: NDArray[np.uint8 | np.uint32],
    cost_volume: NDArray[np.uint8],
    cost: str,
    min_disparity: int,
) -> None:
    """Write C(y, x, d)."""
    _compare(left_descriptor, right_descriptor, cost_volume, min_disparity, OUTSIDE[cost])


@njit(cache=True, parallel=True, nogil=True)
def _compare(
    left: NDArray[np.uint8 | np.uint32],
    right: NDArray[np.uint8 | np.uint32],
    cost: NDArray[np.uint8],
    min_disparity: int,
    outside: int,
) -> None:
    for y in prange(cost.shape[0]):
        _compare_row(left[y], right[y], cost[y], min_disparity, outside)


@njit(cache=True)
def _compare_row(
    left: NDArray[np.uint8 | np.uint32],
    right: NDArray[np.uint8 | np.uint32],
    cost: NDArray[np.uint8],
    min_disparity: int,
    outside: int,
) -> None:
    # Reversed, so that the candidates of a pixel lie in the order of d: entry i is the right
    # pixel width - 1 - min_disparity - i.
    width, disparities = cost.shape
    candidates = np.zeros(width + disparities, right.dtype)
    inside = np.zeros(width + disparities, np.uint8)
    for i in range(candidates.size):
        partner = width - 1 - min_disparity - i
        if 0 <= partner < width:
            candidates[i] = right[partner]
            inside[i] = 1
    for x in range(width):
        for d in range(0, disparities, LANES):
            i = width - 1 - x + d
            costs = where(load(inside, i), distance(candidates, i, left[x]), splat(outside))
            store(cost, x * disparities + d, costs)
