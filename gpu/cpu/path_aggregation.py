"""All paths at once.  Computes gpu.reference.path_aggregation and gpu.reference.path_sum.

Two sweeps: one from the top left corner downwards along half of the directions, one from the
bottom right corner back along their opposites. The second is the first on images turned by 180
degrees, so one program in the turned coordinates `row`, `column` does both. A path's costs are
kept for its newest pixel only, in a slot of its own, and overwritten in place.

A sweep goes by bands of rows that stay in the cache. Along the rows, cores take different rows.
Downwards they take strips of columns; a diagonal path reaches a strip from its neighbours, so
strips first shrink by a column a row on either side, and what is left between them, a growing
triangle at each boundary, follows when all strips are done.
"""

import numpy as np
from numba import get_num_threads, njit, prange
from numpy.typing import NDArray

from gpu.cpu.lanes import LANES, load, minimum, smallest, splat, store
from gpu.reference.path_aggregation import ADAPTATIONS, large_penalty

BAND = 64  # rows; their cost and sums fit the second-level cache
SENTINEL = 0x7FFF  # beyond the ends of a range: above every cost, and P1 may be added to it


def path_aggregation(
    left: NDArray[np.uint8],
    cost: NDArray[np.uint8],
    sums: NDArray[np.uint16],
    p1: int,
    p2: int,
    p2_adaptation: str,
    paths: int,
) -> None:
    """Write S(y, x, d), the sum over the first ``paths`` directions of L(y, x, d)."""
    adaptation = ADAPTATIONS.index(p2_adaptation)
    penalties = np.array([large_penalty(p1, p2, adaptation, g) for g in range(256)], np.int64)
    volumes = left.reshape(-1), cost.reshape(-1), sums.reshape(-1)
    for turned in (False, True):
        _sweep(*volumes, *cost.shape, p1, penalties, paths == 8, turned, get_num_threads())


@njit(cache=True, parallel=True, nogil=True)
def _sweep(left, cost, sums, height, width, disparities, p1, penalties, diagonals, turned, threads):
    stride = disparities + LANES
    rows_at_once = max(1, min(4, BAND // threads))
    strips = max(1, min(threads, width // (2 * BAND)))
    slots = width + BAND
    prior = np.full(3 * slots * stride + LANES, SENTINEL, np.uint16)
    lowest = np.zeros(3 * slots, np.uint16)
    for i in range(3 * slots):
        _begin(prior, lowest, i, disparities)
    for top in range(0, height, BAND):
        bottom = min(top + BAND, height)
        groups = (bottom - top + rows_at_once - 1) // rows_at_once
        for group in prange(groups):
            first = top + group * rows_at_once
            _along(left, cost, sums, first, min(first + rows_at_once, bottom), height, width, disparities, p1, penalties, turned)
        for strip in prange(strips):
            _strip(left, cost, sums, prior, lowest, top, bottom, width * strip // strips, width * (strip + 1) // strips, height, width, disparities, p1, penalties, diagonals, turned)
        if diagonals:
            for boundary in prange(1, strips):
                _triangle(left, cost, sums, prior, lowest, top, bottom, width * boundary // strips, height, width, disparities, p1, penalties, diagonals, turned)


@njit(cache=True)
def _begin(prior, lowest, slot, disparities):
    """Let a path begin in this slot: with nothing before it, L becomes C."""
    start = slot * (disparities + LANES) + LANES
    for d in range(0, disparities, LANES):
        store(prior, start + d, splat(0))
    lowest[slot] = 0


@njit(cache=True)
def _along(left, cost, sums, first, last, height, width, disparities, p1, penalties, turned):
    count = last - first
    prior = np.full(count * (disparities + LANES) + LANES, SENTINEL, np.uint16)
    lowest = np.zeros(count, np.uint16)
    for i in range(count):
        _begin(prior, lowest, i, disparities)
    end = height * width - 1
    for column in range(width):
        for i in range(count):
            pixel = (first + i) * width + column
            before = pixel - 1 if column > 0 else pixel
            if turned:
                pixel, before = end - pixel, end - before
            g = abs(np.int64(left[pixel]) - np.int64(left[before]))
            _carry(prior, lowest, i, cost, sums, pixel, disparities, p1, penalties[g], turned)


@njit(cache=True)
def _strip(left, cost, sums, prior, lowest, top, bottom, start, stop, height, width, disparities, p1, penalties, diagonals, turned):
    for row in range(top, bottom):
        k = row - top if diagonals else 0
        a = start + k if start > 0 else 0
        b = stop - k if stop < width else width
        _down(left, cost, sums, prior, lowest, row, a, b, height, width, disparities, p1, penalties, diagonals, turned)


@njit(cache=True)
def _triangle(left, cost, sums, prior, lowest, top, bottom, boundary, height, width, disparities, p1, penalties, diagonals, turned):
    for row in range(top, bottom):
        k = row - top
        _down(left, cost, sums, prior, lowest, row, boundary - k, boundary + k, height, width, disparities, p1, penalties, diagonals, turned)


@njit(cache=True)
def _down(left, cost, sums, prior, lowest, row, start, stop, height, width, disparities, p1, penalties, diagonals, turned):
    end = height * width - 1
    slots = width + BAND
    shift = row % slots
    for column in range(start, stop):
        here = row * width + column
        above = here - width if row > 0 else here
        pixel = end - here if turned else here
        grey = np.int64(left[pixel])
        g = abs(grey - np.int64(left[end - above if turned else above]))
        _carry(prior, lowest, column, cost, sums, pixel, disparities, p1, penalties[g], True)
        if diagonals:
            slot = column - shift
            slot = slots + (slot + slots if slot < 0 else slot)
            q = above - 1
            if column == 0:
                _begin(prior, lowest, slot, disparities)
                q = here
            if row == 0:
                q = here
            g = abs(grey - np.int64(left[end - q if turned else q]))
            _carry(prior, lowest, slot, cost, sums, pixel, disparities, p1, penalties[g], True)
            slot = column + shift
            slot = 2 * slots + (slot - slots if slot >= slots else slot)
            q = above + 1
            if column == width - 1:
                _begin(prior, lowest, slot, disparities)
                q = here
            if row == 0:
                q = here
            g = abs(grey - np.int64(left[end - q if turned else q]))
            _carry(prior, lowest, slot, cost, sums, pixel, disparities, p1, penalties[g], True)


@njit(cache=True)
def _carry(prior, lowest, slot, cost, sums, pixel, disparities, p1, penalty, add):
    start = slot * (disparities + LANES) + LANES
    small = splat(p1)
    m = splat(np.int64(lowest[slot]))
    limit = m + splat(penalty)
    low = splat(0xFFFF)
    below = load(prior, start - 1)
    for d in range(0, disparities, LANES):
        i = start + d
        best = minimum(minimum(load(prior, i), minimum(below, load(prior, i + 1)) + small), limit)
        new = load(cost, pixel * disparities + d) + best - m
        below = load(prior, i + LANES - 1)  # before it is overwritten
        store(prior, i, new)
        low = minimum(low, new)
        if add:
            store(sums, pixel * disparities + d, load(sums, pixel * disparities + d) + new)
        else:
            store(sums, pixel * disparities + d, new)
    lowest[slot] = smallest(low)
