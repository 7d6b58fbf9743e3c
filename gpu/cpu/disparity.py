"""Choose disparities and convert them to depths, on all CPU cores.

The results equal those of ``gpu.reference.disparity``.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint32

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import fill, on_rows
from wheatstone.gpu.cpu.lanes import (
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
from wheatstone.gpu.image import Float32, Int16, Uint16
from wheatstone.gpu.pipelines.sgm.params import ABSENT, SUBPIXEL_STEPS, fit_place
from wheatstone.gpu.reference.disparity import depth_rows

HIGHEST = ABSENT  # above every sum


class Settings(NamedTuple):
    """The parameters of the disparity stages; ``fit`` is an index in ``SUBPIXEL_FITS``."""

    min_disparity: int
    fit: int
    uniqueness: int
    lr_check: int


def winner_takes_all(
    sums: Uint16,
    refined: Int16,
    consistent: Int16,
    min_disparity: int,
    subpixel: str,
    uniqueness: int,
    lr_check: int,
) -> None:
    """Write the refined disparity, and a copy in which rejected pixels are invalid.

    Computes winner_takes_all, subpixel_refinement, uniqueness_check, right_winner_takes_all and
    consistency_check of gpu.reference. The checks use the integer winners, so they may come before
    the median, which does not change rejected pixels.
    """
    room = partial(rows_of, sums)
    settings = Settings(min_disparity, fit_place(subpixel), uniqueness, lr_check)
    on_rows(sums.shape[0], _choose, sums, refined, consistent, settings, room=room)


def rows_of(sums: Uint16) -> tuple[Uint16]:
    """Allocate scratch rows for winners, and for the right view's lowest sums and winners.

    For the right view, entry i belongs to pixel width - 1 - min_disparity - i: in the order of d.
    """
    return (np.empty((3, sums.shape[1] + sums.shape[2]), np.uint16),)


@compiled
def _choose(
    sums: Uint16,
    refined: Int16,
    consistent: Int16,
    settings: Settings,
    top: int,
    bottom: int,
    rows: Uint16,
) -> None:
    width = sums.shape[1]
    winner, right_lowest, right_winner = rows[0], rows[1], rows[2]
    for y in range(top, bottom):
        fill(right_lowest, HIGHEST)
        for x in range(width):
            candidates = sums[y, x]
            d = find_winner(candidates)
            winner[x] = d
            refined[y, x] = _refine(candidates, d, settings)
            consistent[y, x] = refined[y, x]
            if settings.uniqueness > 0 and has_rival(candidates, d, settings.uniqueness):
                consistent[y, x] = (settings.min_disparity - 1) * SUBPIXEL_STEPS
            if settings.lr_check >= 0:
                offer(candidates, right_lowest, right_winner, width - 1 - x)
        if settings.lr_check >= 0:
            _check(winner, right_winner, consistent[y], settings)


@helper
def find_winner(sums: Uint16) -> Any:
    """Return the lowest disparity index d with the smallest sum."""
    lowest, first = load(sums, 0), splat(0)
    for d in range(LANES, sums.size, LANES):
        here = load(sums, d)
        first = where(less(here, lowest), splat(d), first)
        lowest = minimum(here, lowest)
    tied = equal(lowest, splat(smallest(lowest)))
    return smallest(where(tied, first + count_up(), splat(HIGHEST)))


@partial(helper, error_model="numpy")
def _refine(sums: Uint16, d: int, settings: Settings) -> int:
    offset = 0
    if settings.fit and 0 < d < sums.size - 1:
        below, here, above = int64(sums[d - 1]), int64(sums[d]), int64(sums[d + 1])
        if max(below, above) == ABSENT:
            below = above = here
        c = max(below + above - 2 * here if settings.fit == 1 else max(below, above) - here, 1)
        numerator = (below - above) * SUBPIXEL_STEPS + c
        quotient = int64(uint32(abs(numerator)) // uint32(2 * c))  # 32 bits divide faster
        offset = quotient if numerator >= 0 else -quotient
    return (settings.min_disparity + d) * SUBPIXEL_STEPS + offset


@partial(helper, error_model="numpy")
def has_rival(sums: Uint16, d: int, uniqueness: int) -> Any:
    """Return whether the winner d has a rival: a similar sum more than one disparity away."""
    # S' (100 - u) < 100 S is S' < ceil(100 S / (100 - u)): one division for all.
    bound, divisor = int64(sums[d]) * 100, 100 - uniqueness
    if bound > 0:
        bound = min((bound + divisor - 1) // divisor, HIGHEST) if divisor > 0 else HIGHEST
    below = splat(0)
    for start in range(0, sums.size, LANES):
        below = below - less(load(sums, start), splat(bound))
    near = 0
    for neighbour in range(max(d - 1, 0), min(d + 2, sums.size)):
        near += int64(sums[neighbour]) < bound
    return total(below) > near


@helper
def offer(sums: Uint16, right_lowest: Uint16, right_winner: Uint16, first: int) -> None:
    """Update the lowest sums and winners of right pixels by the sums of one left pixel.

    These right pixels are the entries from ``first`` on.
    Left pixels are in the order of x, so d increases for each right pixel and the lowest wins.
    """
    for d in range(0, sums.size, LANES):
        here, lowest = load(sums, d), load(right_lowest, first + d)
        holder = load(right_winner, first + d)
        challenger = splat(d) + count_up()
        store(right_winner, first + d, where(less(here, lowest), challenger, holder))
        store(right_lowest, first + d, minimum(here, lowest))


@helper
def _check(winner: Uint16, right_winner: Uint16, consistent: Int16, settings: Settings) -> None:
    """Mark the pixels of a row as invalid whose match has a winner that differs too much."""
    width = consistent.size
    for x in range(width):
        d = int64(winner[x])
        partner = x - settings.min_disparity - d
        difference = abs(int64(right_winner[width - 1 - x + d]) - d)
        if partner < 0 or partner >= width or difference > settings.lr_check:
            consistent[x] = (settings.min_disparity - 1) * SUBPIXEL_STEPS


def depth(disparity: Int16, camera: Float32, depth: Float32, min_disparity: int) -> None:
    """Write the depth of each pixel in the baseline's unit, or NaN."""
    images = disparity, camera, depth
    on_rows(depth.shape[0], depth_rows, *images, min_disparity)
