"""Compute matching costs, sixteen at a time, with the results of gpu.reference.matching_cost."""

from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.cpu.lanes import LANES, distance, load, minimum, splat, store, where
from wheatstone.gpu.image import Uint8
from wheatstone.gpu.pipelines.sgm.params import LARGEST_GRADIENT_COST, outside_cost

T = TypeVar("T", bound=np.generic)


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
    """Write the matching costs C(y, x, d) of all pixels and disparities."""
    images = left_descriptor, right_descriptor, left_gradient, right_gradient, cost_volume
    rules = min_disparity, outside_cost(cost, gradient, outside), gradient and cost != "absolute"
    room = partial(_candidates, right_descriptor.dtype, sum(cost_volume.shape[1:]))
    on_rows(cost_volume.shape[0], _compare, *images, *rules, room=room)


def _candidates(dtype: np.dtype[T], entries: int) -> tuple[NDArray[T], Uint8, Uint8]:
    """Allocate a row's right descriptors and gradients, and flags of pixels inside the image."""
    slopes, inside = np.zeros((2, entries), np.uint8)
    return np.zeros(entries, dtype), slopes, inside


@compiled
def _compare(
    left: NDArray[np.uint8 | np.uint32],
    right: NDArray[np.uint8 | np.uint32],
    left_gradient: Uint8,
    right_gradient: Uint8,
    cost: Uint8,
    min_disparity: int,
    outside: int,
    gradient: bool,
    top: int,
    bottom: int,
    candidates: NDArray[np.uint8 | np.uint32],
    slopes: Uint8,
    inside: Uint8,
) -> None:
    _, width, disparities = cost.shape
    # Reversed, so that a pixel's candidates lie in the order of d: entry i is the right pixel
    # width - 1 - min_disparity - i.
    known = range(max(-min_disparity, 0), min(width - min_disparity, width + disparities))
    for i in known:
        inside[i] = 1
    for y in range(top, bottom):
        for i in known:
            candidates[i] = right[y, width - 1 - min_disparity - i]
            if gradient:
                slopes[i] = right_gradient[y, width - 1 - min_disparity - i]
        for x in range(width):
            for d in range(0, disparities, LANES):
                i = width - 1 - x + d
                compared = distance(candidates, i, left[y, x])
                if gradient:
                    compared = compared + _added(slopes, i, left_gradient[y, x])
                costs = where(load(inside, i), compared, splat(outside))
                store(cost, (y * width + x) * disparities + d, costs)


@helper
def _added(slopes: Uint8, i: int, slope: int):  # type: ignore[no-untyped-def] # lanes
    """Compute the gradient costs that are added to sixteen candidates' descriptor costs."""
    return minimum(distance(slopes, i, slope) >> splat(1), splat(LARGEST_GRADIENT_COST))
