"""Matching cost, sixteen disparities at a time.  Computes gpu.reference.matching_cost."""

import numpy as np
from numba import njit, prange
from numba.extending import overload
from numpy.typing import NDArray

from gpu.cpu.lanes import LANES, hamming, load, maximum, minimum, splat, store
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


def _difference(descriptors, index, descriptor):  # type: ignore[no-untyped-def]
    """Cost of ``descriptor`` against sixteen others."""


@overload(_difference)  # type: ignore[untyped-decorator]
def _difference_by_type(descriptors, index, descriptor):  # type: ignore[no-untyped-def]
    if descriptors.dtype.bitwidth == 32:
        return lambda descriptors, index, descriptor: hamming(descriptors, index, descriptor)

    def absolute(descriptors, index, descriptor):  # type: ignore[no-untyped-def]
        first, second = splat(descriptor), load(descriptors, index)
        return maximum(first, second) - minimum(first, second)

    return absolute


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
    # pixel width - 1 - min_disparity - i. `floor` is the cost outside the image, 0 inside.
    width, disparities = cost.shape
    candidates = np.zeros(width + disparities, right.dtype)
    floor = np.full(width + disparities, outside, np.uint8)
    for i in range(candidates.size):
        partner = width - 1 - min_disparity - i
        if 0 <= partner < width:
            candidates[i] = right[partner]
            floor[i] = 0
    for x in range(width):
        for d in range(0, disparities, LANES):
            i = width - 1 - x + d
            costs = maximum(_difference(candidates, i, left[x]), load(floor, i))
            store(cost, x * disparities + d, costs)
