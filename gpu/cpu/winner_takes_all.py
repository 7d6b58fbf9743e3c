"""From sums to a checked disparity, row by row."""

import numpy as np
from functools import partial
from gpu.cpu.cores import on_all_cores, bands
from numba import njit
from numpy.typing import NDArray

from gpu.cpu.lanes import (
    LANES,
    count_up,
    equal,
    less,
    load,
    minimum,
    smallest,
    splat,
    store,
    total,
    where,
)
from gpu.pipelines.sgm import SUBPIXEL_STEPS


def winner_takes_all(
    sums: NDArray[np.uint16],
    refined: NDArray[np.int16],
    disparity: NDArray[np.int16],
    min_disparity: int,
    subpixel: bool,
    uniqueness: int,
    lr_check: int,
) -> None:
    on_all_cores(
        [
            partial(
                _choose,
                sums,
                refined,
                disparity,
                min_disparity,
                subpixel,
                uniqueness,
                lr_check,
                top,
                bottom,
            )
            for top, bottom in bands(sums.shape[0])
        ]
    )


@njit(cache=True, nogil=True)
def _choose(sums, refined, disparity, min_disparity, subpixel, uniqueness, lr_check, top, bottom):
    for y in range(top, bottom):
        _choose_row(
            sums[y], refined[y], disparity[y], min_disparity, subpixel, uniqueness, lr_check
        )


@njit(cache=True, error_model="numpy")
def _choose_row(sums, refined, disparity, min_disparity, subpixel, uniqueness, lr_check):
    width, disparities = sums.shape
    flat = sums.reshape(-1)
    winner = np.empty(width, np.int16)
    right_lowest = np.full(width + disparities, 0xFFFF, np.uint16)
    right_winner = np.zeros(width + disparities, np.uint16)
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    for x in range(width):
        w = _winner(flat, x * disparities, disparities)
        winner[x] = w
        value = np.int64((min_disparity + w) * SUBPIXEL_STEPS)
        if subpixel and 0 < w < disparities - 1:
            i = x * disparities + w
            below, here, above = np.int64(flat[i - 1]), np.int64(flat[i]), np.int64(flat[i + 1])
            value += _offset(below, here, above)
        refined[x] = value
        if uniqueness > 0 and _rival(flat, x * disparities, disparities, w, uniqueness):
            value = invalid
        disparity[x] = value
        if lr_check >= 0:
            _right(flat, x * disparities, disparities, right_lowest, right_winner, width - 1 - x)
    if lr_check >= 0:
        for x in range(width):
            w = np.int64(winner[x])
            partner = x - min_disparity - w
            outside = partner < 0 or partner >= width
            if outside or abs(np.int64(right_winner[width - 1 - x + w]) - w) > lr_check:
                disparity[x] = invalid


@njit(cache=True)
def _winner(sums, start, disparities):
    lowest = load(sums, start)
    block = splat(0)
    for d in range(LANES, disparities, LANES):
        here = load(sums, start + d)
        block = where(less(here, lowest), splat(d), block)
        lowest = minimum(here, lowest)
    least = splat(smallest(lowest))
    return smallest(where(equal(lowest, least), block + count_up(), splat(0xFFFF)))


@njit(cache=True, error_model="numpy")
def _rival(sums, start, disparities, winner, uniqueness):
    bar = np.int64(sums[start + winner]) * 100
    if bar > 0:
        bar = (
            0xFFFF
            if uniqueness == 100
            else min((bar + 99 - uniqueness) // (100 - uniqueness), 0xFFFF)
        )
    below = splat(0)
    for d in range(0, disparities, LANES):
        below = below - less(load(sums, start + d), splat(bar))
    near = 0
    for d in range(max(winner - 1, 0), min(winner + 2, disparities)):
        near += np.int64(sums[start + d]) < bar
    return total(below) > near


@njit(cache=True)
def _right(sums, start, disparities, right_lowest, right_winner, first):
    for d in range(0, disparities, LANES):
        i = first + d
        here, lowest = load(sums, start + d), load(right_lowest, i)
        store(
            right_winner, i, where(less(here, lowest), splat(d) + count_up(), load(right_winner, i))
        )
        store(right_lowest, i, minimum(here, lowest))


@njit(cache=True, error_model="numpy")
def _offset(below, here, above):
    curvature = max(below + above - 2 * here, 1)
    numerator = (below - above) * SUBPIXEL_STEPS + curvature
    quotient = np.uint32(abs(numerator)) // np.uint32(2 * curvature)
    return np.int64(quotient) if numerator >= 0 else -np.int64(quotient)
