r"""All paths at once.  Computes gpu.reference.path_aggregation and gpu.reference.path_sum.

Two sweeps: one from the top left along half of the directions, one from the bottom right along
their opposites. The second is the first on images turned by 180 degrees, so one program, whose x
and y count from the first pixel of the sweep, does both. Of a path's costs only those of its
newest pixel are kept, in a slot that belongs to the path.

A sweep goes by bands of rows that stay in the cache. Across, cores take different rows. Downwards
they take strips of columns; diagonal paths come in from the strips beside, so strips lose a column
a row on either side, and the triangles left between them follow when their strips are done:

    strip  /\  strip  /\  strip
          /  \       /  \
         /    \     /    \
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import int64, njit
from numpy.typing import NDArray

from gpu.cpu.cores import core_count, on_all_cores
from gpu.cpu.lanes import LANES, load, minimum, smallest, splat, store
from gpu.reference.path_aggregation import ADAPTATIONS, large_penalty

BAND = 32  # rows; more leave the cache, fewer make cores wait for each other more often
ACROSS = 2  # rows a core walks in turns: the next pixel of one waits for its last, so fill in
SENTINEL = 0x7FFF  # beyond both ends of a range: above all costs, and P1 can be added to it

Calls = list[Callable[[], None]]


class Sweep(NamedTuple):
    """What every step of a sweep needs.

    Attributes:
        left, cost, sums: the images, flattened.
        prior: for each downward path LANES of padding, then L(q, d) of its newest pixel q; the
            padding holds sentinels, and more follows the last.
        lowest: for each downward path the smallest L(q, d).
        slots: how many there are for each downward direction.
        penalties: P2' by grey level change.
        diagonals: whether diagonal paths are among the downward ones.
        turned: whether the first pixel is the bottom right one.
    """

    left: NDArray[np.uint8]
    cost: NDArray[np.uint8]
    sums: NDArray[np.uint16]
    height: int
    width: int
    disparities: int
    prior: NDArray[np.uint16]
    lowest: NDArray[np.uint16]
    slots: int
    p1: int
    penalties: NDArray[np.uint16]
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
    """Write S(y, x, d), the sum over the first ``paths`` directions."""
    height, width, disparities = cost.shape
    adaptation = ADAPTATIONS.index(p2_adaptation)
    penalties = np.array([large_penalty(p1, p2, adaptation, g) for g in range(256)], np.uint16)
    directions = 3 if paths == 8 else 1  # downwards
    # BAND slots to spare: they go round, and a path may begin in a slot only when the one that
    # left it is done in every strip.
    slots = width + BAND
    sweep = Sweep(
        left.reshape(-1),
        cost.reshape(-1),
        sums.reshape(-1),
        height,
        width,
        disparities,
        prior=np.empty(directions * slots * (disparities + LANES) + LANES, np.uint16),
        lowest=np.empty(directions * slots, np.uint16),
        slots=slots,
        p1=p1,
        penalties=penalties,
        diagonals=directions == 3,
        turned=False,
    )
    _sweep(sweep)
    _sweep(sweep._replace(turned=True))


def _sweep(sweep: Sweep) -> None:
    _begin_all(sweep.prior, sweep.lowest, sweep.disparities)
    strips = max(1, min(core_count(), sweep.width // (2 * BAND)))  # triangles must not overlap
    edges = [sweep.width * i // strips for i in range(strips + 1)]
    between = edges[1:-1] if sweep.diagonals else []
    on_all_cores(_rows_of_band(sweep, 0))
    for top in range(0, sweep.height, BAND):
        bottom = min(top + BAND, sweep.height)
        on_all_cores([partial(_strip, sweep, top, bottom, *edge) for edge in pairwise(edges)])
        triangles: Calls = [partial(_triangle, sweep, top, bottom, edge) for edge in between]
        on_all_cores(triangles + _rows_of_band(sweep, bottom))


def _rows_of_band(sweep: Sweep, top: int) -> Calls:
    """The calls that go across the rows from ``top`` on."""
    bottom = min(top + BAND, sweep.height)
    pairs = [(y, min(y + ACROSS, bottom)) for y in range(top, bottom, ACROSS)]
    return [partial(_across, sweep, first, last) for first, last in pairs]


@njit(cache=True, nogil=True)
def _across(sweep: Sweep, top: int, bottom: int) -> None:
    """Carry costs along rows, and begin the sums or, turned, add to them."""
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
