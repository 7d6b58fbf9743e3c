"""All paths at once.  Computes gpu.reference.path_aggregation and gpu.reference.path_sum.

Two sweeps: one from the top left along half of the directions, one from the bottom right along
their opposites. The second is the first on images turned by 180 degrees, so one program, in turned
coordinates, does both. A sweep keeps a path's costs for its newest pixel only, in the path's slot.

A sweep goes by bands of rows that stay in the cache. Across, cores take different rows. Downwards
they take strips of columns; diagonal paths come in from the strips beside, so strips lose a column
a row at both ends, and the triangles left between them follow when their strips are done:

    \\ strip /\\ strip /
     \\     /  \\     /
      \\   /    \\   /
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from numba import int64, njit
from numpy.typing import NDArray

from gpu.cpu.cores import core_count, on_all_cores
from gpu.cpu.lanes import LANES, load, minimum, smallest, splat, store
from gpu.reference.path_aggregation import ADAPTATIONS, large_penalty

BAND = 32  # rows; more leave the cache, fewer make cores wait for each other more often
ACROSS = 4  # rows walked in turns: each pixel waits for the one before it, so let others fill in
SENTINEL = 0x7FFF  # beyond both ends of a range: above all costs, and P1 can be added to it


class Sweep(NamedTuple):
    """What every step of a sweep needs.

    Attributes:
        left, cost, sums: the images, flattened.
        prior: L of the newest pixel of each downward path: a sentinel, D values, a sentinel.
        lowest: the smallest of them.
        penalties: P2' by grey level change.
        slots: how many there are for each downward direction.
        diagonals: whether diagonal paths are among the downward ones.
        turned: whether the first pixel is the bottom right one.
    """

    left: NDArray[np.uint8]
    cost: NDArray[np.uint8]
    sums: NDArray[np.uint16]
    prior: NDArray[np.uint16]
    lowest: NDArray[np.uint16]
    penalties: NDArray[np.uint16]
    p1: int
    height: int
    width: int
    disparities: int
    slots: int
    diagonals: bool
    turned: bool


def path_aggregation(
    left: NDArray[np.uint8],
    cost: NDArray[np.uint8],
    sums: NDArray[np.uint16],
    p1: int,
    p2: int,
    p2_adaptation: str,
    paths: int,
) -> None:
    """Write S(y, x, d), summed over the first ``paths`` directions."""
    height, width, disparities = cost.shape
    adaptation = ADAPTATIONS.index(p2_adaptation)
    penalties = [large_penalty(p1, p2, adaptation, g) for g in range(256)]
    # Slots go round; BAND to spare, so that no path takes over one that is in use in this band.
    slots = width + BAND
    downward = 3 if paths == 8 else 1
    prior = np.empty(downward * slots * (disparities + LANES) + LANES, np.uint16)
    lowest = np.empty(downward * slots, np.uint16)
    for turned in (False, True):
        sweep = Sweep(
            left.reshape(-1),
            cost.reshape(-1),
            sums.reshape(-1),
            prior,
            lowest,
            np.array(penalties, np.uint16),
            p1,
            height,
            width,
            disparities,
            slots,
            downward == 3,
            turned,
        )
        _sweep(sweep)


def _sweep(sweep: Sweep) -> None:
    _begin_all(sweep.prior, sweep.lowest, sweep.disparities)
    strips = max(1, min(core_count(), sweep.width // (2 * BAND)))
    edges = [sweep.width * i // strips for i in range(strips + 1)]
    on_all_cores(_across_calls(sweep, 0))
    for top in range(0, sweep.height, BAND):
        bottom = min(top + BAND, sweep.height)
        on_all_cores(
            [partial(_strip, sweep, top, bottom, *edges[i : i + 2]) for i in range(strips)]
        )
        between = edges[1:-1] if sweep.diagonals else []
        triangles = [partial(_triangle, sweep, top, bottom, edge) for edge in between]
        on_all_cores(triangles + _across_calls(sweep, bottom))


def _across_calls(sweep: Sweep, top: int):
    bottom = min(top + BAND, sweep.height)
    return [partial(_across, sweep, y, min(y + ACROSS, bottom)) for y in range(top, bottom, ACROSS)]


@njit(cache=True, nogil=True)
def _across(sweep: Sweep, top: int, bottom: int) -> None:
    """Carry costs along rows, from their first pixel to their last."""
    count = bottom - top
    prior = np.empty(count * (sweep.disparities + LANES) + LANES, np.uint16)
    lowest = np.empty(count, np.uint16)
    _begin_all(prior, lowest, sweep.disparities)
    for x in range(sweep.width):
        for i in range(count):
            pixel = (top + i) * sweep.width + x
            _carry(sweep, prior, lowest, i, pixel, pixel - 1 if x > 0 else -1, sweep.turned)


@njit(cache=True, nogil=True)
def _strip(sweep: Sweep, top: int, bottom: int, start: int, stop: int) -> None:
    """Carry costs downwards, where they depend on no other strip of this band."""
    for y in range(top, bottom):
        lost = y - top if sweep.diagonals else 0
        first = start + lost if start > 0 else 0
        _down(sweep, y, first, stop - lost if stop < sweep.width else stop)


@njit(cache=True, nogil=True)
def _triangle(sweep: Sweep, top: int, bottom: int, edge: int) -> None:
    """Carry costs downwards between the strips on both sides of an edge."""
    for y in range(top, bottom):
        _down(sweep, y, edge - (y - top), edge + (y - top))


@njit(cache=True)
def _down(sweep: Sweep, y: int, start: int, stop: int) -> None:
    """Carry costs into the columns from ``start`` to before ``stop`` of a row."""
    width, slots, prior, lowest = sweep.width, sweep.slots, sweep.prior, sweep.lowest
    shift = y % slots
    for x in range(start, stop):
        pixel = y * width + x
        _carry(sweep, prior, lowest, x, pixel, pixel - width, True)
        if sweep.diagonals:
            slot = x - shift if x >= shift else x - shift + slots
            before = pixel - width - 1 if x > 0 else -1
            _carry(sweep, prior, lowest, slots + slot, pixel, before, True)
            slot = x + shift if x + shift < slots else x + shift - slots
            before = pixel - width + 1 if x < width - 1 else -1
            _carry(sweep, prior, lowest, 2 * slots + slot, pixel, before, True)


@njit(cache=True)
def _begin_all(prior: NDArray[np.uint16], lowest: NDArray[np.uint16], disparities: int) -> None:
    prior[:] = SENTINEL
    for slot in range(lowest.size):
        _begin(prior, lowest, slot, disparities)


@njit(cache=True)
def _begin(
    prior: NDArray[np.uint16], lowest: NDArray[np.uint16], slot: int, disparities: int
) -> None:
    """Let a path begin: with nothing but zeros before it, L becomes C."""
    start = slot * (disparities + LANES) + LANES
    for d in range(0, disparities, LANES):
        store(prior, start + d, splat(0))
    lowest[slot] = 0


@njit(cache=True)
def _carry(
    sweep: Sweep,
    prior: NDArray[np.uint16],
    lowest: NDArray[np.uint16],
    slot: int,
    pixel: int,
    before: int,
    add: bool,
) -> None:
    """Carry a path's costs from one pixel to the next, and add them to the sums or begin these.

    Args:
        slot: where the path's costs are.
        before: the pixel before, negative where the path begins.
    """
    if before < 0:
        _begin(prior, lowest, slot, sweep.disparities)
        before = pixel
    if sweep.turned:
        end = sweep.height * sweep.width - 1
        pixel, before = end - pixel, end - before
    g = abs(int64(sweep.left[pixel]) - int64(sweep.left[before]))
    least, p1 = splat(lowest[slot]), splat(sweep.p1)
    limit = least + splat(sweep.penalties[g])
    start, volume = slot * (sweep.disparities + LANES) + LANES, pixel * sweep.disparities
    new_least = splat(0xFFFF)
    below = load(prior, start - 1)
    for d in range(0, sweep.disparities, LANES):
        here, above = load(prior, start + d), load(prior, start + d + 1)
        best = minimum(minimum(here, minimum(below, above) + p1), limit)
        new = load(sweep.cost, volume + d) + best - least
        below = load(prior, start + d + LANES - 1)  # before the next line overwrites it
        store(prior, start + d, new)
        new_least = minimum(new_least, new)
        store(sweep.sums, volume + d, load(sweep.sums, volume + d) + new if add else new)
    lowest[slot] = smallest(new_least)
