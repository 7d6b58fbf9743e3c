r"""Aggregate costs along half of the directions, in one sweep over the image by all workers.

A sweep goes by bands of rows that stay in the cache. Across, workers take different rows. Downwards
they take strips of columns; diagonal paths come in from neighbouring strips, so strips lose a
column per row on either side, and the triangles between them follow when their strips are done:

    strip  /\  strip  /\  strip
          /  \       /  \
         /    \     /    \

In one turn a band's strips are done, then the next band's rows while the last strips finish, then
the triangles. Every worker draws a ticket for the next of these parts, waits for the parts it
needs, does it and draws again, all in compiled code: Python's threads take milliseconds to meet.
Tickets are in the order of need: a part that one worker waits for is in work at another, so a sweep
ends with any number of workers.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.counters import LINE, increment, wait_until
from wheatstone.gpu.cpu.lanes import LANES, load, minimum, smallest, splat, store, where
from wheatstone.gpu.cpu.search_groups import Groups, tile_of
from wheatstone.gpu.image import Int64, Uint8, Uint16
from wheatstone.gpu.reference.path_aggregation import columns_before

ACROSS = 2  # rows a worker walks in turns: the next pixel of one waits for its last, so fill in
SENTINEL = 0x7FFF  # beyond both ends of a range: above all costs, and P1 can be added to it
TICKETS, STRIPS, DONE = 0, LINE, 2 * LINE  # counters: tickets drawn, strips done, all parts done

Rows = tuple[Uint16, Uint16]  # prior and lowest of a worker's paths across


class Walks(NamedTuple):
    """Flags for the path directions of a sweep: to the right, down, and both diagonals down.

    These are directions before the image is turned. With ``both``, a pixel gets messages from both
    sides above, as ``gpu.reference.path_aggregation`` defines them.
    """

    across: bool
    down: bool
    falling: bool
    rising: bool
    both: bool


class PathSweep(NamedTuple):
    """The images, buffers and settings that all parts of a sweep use.

    Attributes:
        left: the grey levels of the whole image, flattened.
        origin: index in ``left`` of the first pixel of ``cost``, which may be a band of rows.
        rows_before: rows of the image that the sweep aggregated before these.
        cost, sums: (H, W, D).
        prior: for each downward path LANES of padding, then L(q, d) of its newest pixel q; the
            padding ends in a sentinel, and another follows the last.
        lowest: for each downward path the smallest L(q, d).
        slots: number for each downward direction; with ``both``, for each of two rows.
        penalties: P2' by grey level change.
        band: rows of a band.
        strips: number in a band.
        walks: the directions that are summed.
        turned: whether the first pixel is the bottom right one.
        searched: the disparities that are aggregated; None: all. Numba removes every branch on an
            argument ``searched`` that is None, so a full sweep compiles nothing for it.
    """

    left: Uint8
    origin: int
    rows_before: int
    cost: Uint8
    sums: Uint16
    prior: Uint16
    lowest: Uint16
    slots: int
    p1: int
    penalties: Uint16
    band: int
    strips: int
    walks: Walks
    turned: bool
    searched: Groups | None


def rows_across(disparities: int) -> Rows:
    """Allocate a worker's path costs and minima, for the two rows that it aggregates in turn."""
    lines = ACROSS * (disparities + LANES) + LANES
    return np.empty(lines, np.uint16), np.empty(ACROSS, np.uint16)


@compiled
def work_on(sweep: PathSweep, turned: PathSweep, counters: Int64, rows: Rows) -> None:
    """Compute the part of both sweeps that falls to one worker, with arrays of ``rows_across``."""
    for i in range(2):
        _take_parts(sweep if i == 0 else turned, rows, counters[i])


@partial(helper, inline="always")
def _take_parts(sweep: PathSweep, rows: Rows, counters: Int64) -> None:
    """Compute parts (units of work) of a sweep until none remains; wait for all workers."""
    bands = -(-sweep.cost.shape[0] // sweep.band)
    turns = bands + 1  # the first is there for the rows of the first band
    triangles = sweep.strips - 1 if _spreads(sweep.walks) else 0
    parts = sweep.strips + -(-sweep.band // ACROSS) + triangles
    turn = 0
    while turn < turns:
        ticket = increment(counters, TICKETS)
        turn = min(ticket // parts, turns)
        wait_until(counters, int64(DONE), turn * parts)
        if turn < turns:
            _do(sweep, rows, turn, ticket % parts, counters)
            increment(counters, DONE)


@partial(helper, inline="always")
def _do(sweep: PathSweep, rows: Rows, turn: int, part: int, counters: Int64) -> None:
    """Compute one part (unit of work): a strip of a band, two rows of the next, or a triangle."""
    height, width, _ = sweep.cost.shape
    bottom = turn * sweep.band
    top = bottom - sweep.band
    pairs = -(-sweep.band // ACROSS)
    if part < sweep.strips:
        start, stop = width * part // sweep.strips, width * (part + 1) // sweep.strips
        _strip(sweep, top, min(bottom, height), start, stop)
        increment(counters, STRIPS)
    elif part < sweep.strips + pairs:
        first = bottom + (part - sweep.strips) * ACROSS
        _across(sweep, rows, first, min(first + ACROSS, bottom + sweep.band, height))
    else:
        wait_until(counters, int64(STRIPS), (turn + 1) * sweep.strips)
        edge = width * (part - sweep.strips - pairs + 1) // sweep.strips
        _triangle(sweep, top, min(bottom, height), edge)


@helper
def _across(sweep: PathSweep, rows: Rows, top: int, bottom: int) -> None:
    """Aggregate costs along rows; write them as sums or, in the second sweep, add them to sums."""
    width, (prior, lowest) = sweep.cost.shape[1], rows
    if not sweep.walks.across:
        if not sweep.turned:
            _clear(sweep.sums, sweep.searched, top, bottom)
        return
    for x in range(width):
        for y in range(top, bottom):
            pixel = y * width + x
            before = pixel - 1 if x > 0 else pixel
            _carry(sweep, sweep.searched, prior, lowest, y - top, pixel, before, sweep.turned)


@helper
def _clear(sums: Uint16, searched: Groups | None, top: int, bottom: int) -> None:
    _, width, disparities = sums.shape
    for pixel in range(top * width, bottom * width):
        if searched is None:
            for d in range(0, disparities, LANES):
                store(sums, pixel * disparities + d, splat(0))
        else:
            tile = tile_of(searched, pixel, width)
            for i in range(searched.listed[tile, 0]):
                d = LANES * int64(searched.listed[tile, 1 + i])
                absent = load(searched.absent, tile * disparities + d)
                store(sums, pixel * disparities + d, absent)


@helper
def _strip(sweep: PathSweep, top: int, bottom: int, start: int, stop: int) -> None:
    """Aggregate costs downwards in the part of a strip that does not depend on other strips."""
    for y in range(max(top, 0), bottom):
        lost = y - top if _spreads(sweep.walks) else 0
        first = start + lost if start > 0 else 0
        _down(sweep, y, first, stop - lost if stop < sweep.cost.shape[1] else stop)


@helper
def _spreads(walks: Walks) -> bool:
    """Return whether costs spread sideways: a pixel needs other columns of the row above."""
    return walks.falling or walks.rising or walks.both


@helper
def _triangle(sweep: PathSweep, top: int, bottom: int, edge: int) -> None:
    """Aggregate costs downwards in the triangle that the strips on both sides of ``edge`` omit."""
    for y in range(max(top, 0), bottom):
        _down(sweep, y, edge - (y - top), edge + (y - top))


@helper
def _down(sweep: PathSweep, y: int, start: int, stop: int) -> None:
    """Aggregate costs downwards into columns ``start`` to ``stop`` - 1 of a row."""
    width, slots = sweep.cost.shape[1], sweep.slots
    prior, lowest, searched = sweep.prior, sweep.lowest, sweep.searched
    add = width > 0  # a constant is another type
    row = y + sweep.rows_before
    shift, follows = row % slots, row > 0
    for x in range(start, stop):
        pixel = y * width + x
        if sweep.walks.down:
            before = pixel - width if follows else pixel
            _carry(sweep, searched, prior, lowest, x, pixel, before, add)
        if sweep.walks.falling:
            slot = x - shift if x >= shift else x - shift + slots
            before = pixel - width - 1 if x > 0 and follows else pixel
            _carry(sweep, searched, prior, lowest, slots + slot, pixel, before, add)
        if sweep.walks.rising:
            slot = x + shift if x + shift < slots else x + shift - slots
            before = pixel - width + 1 if x < width - 1 and follows else pixel
            _carry(sweep, searched, prior, lowest, 2 * slots + slot, pixel, before, add)
        if sweep.walks.both:
            _carry_both(sweep, searched, prior, lowest, y, x)


@helper
def _begin(prior: Uint16, lowest: Uint16, slot: int, disparities: int) -> None:
    """Start a path with previous costs of 0, so that its first path cost is the matching cost."""
    start = slot * (disparities + LANES) + LANES
    prior[start - 1] = SENTINEL
    for d in range(0, disparities, LANES):
        store(prior, start + d, splat(0))
    prior[start + disparities] = SENTINEL
    lowest[slot] = 0


@helper
def _carry(
    sweep: PathSweep,
    searched: Groups | None,
    prior: Uint16,
    lowest: Uint16,
    slot: int,
    pixel: int,
    before: int,
    add: bool,
) -> None:
    """Aggregate a path's costs from a pixel to the next; write them to the sums or add them.

    Path costs of disparities that are not searched become the sentinel, never the smallest.

    Args:
        slot: index of the path's costs.
        before: the previous pixel; the same one if the path begins.
    """
    height, width, disparities = sweep.cost.shape
    begins = before == pixel
    if begins:
        _begin(prior, lowest, slot, disparities)
    if sweep.turned:
        end = height * width - 1
        pixel, before = end - pixel, end - before
    tile, tile_before, groups = 0, 0, disparities // LANES
    if searched is not None:
        tile = tile_of(searched, sweep.origin + pixel, width)
        tile_before = tile_of(searched, sweep.origin + before, width)
        groups = int64(searched.listed[tile, 0])
    g = _change(sweep, pixel, before)
    least, p1 = splat(lowest[slot]), splat(sweep.p1)
    limit = least + splat(sweep.penalties[g])
    start, volume = slot * (disparities + LANES) + LANES, pixel * disparities
    new_least = splat(0xFFFF)
    below, follows = load(prior, start - 1), 0  # the group that ``below`` belongs to
    for i in range(groups):
        d = LANES * i
        if searched is not None:
            d = LANES * int64(searched.listed[tile, 1 + i])
            if d != follows:
                below = load(prior, start + d - 1)
        here, above = load(prior, start + d), load(prior, start + d + 1)
        best = minimum(minimum(here, minimum(below, above) + p1), limit)
        new = load(sweep.cost, volume + d) + best - least
        below, follows = load(prior, start + d + LANES - 1), d + LANES  # before it is overwritten
        total = load(sweep.sums, volume + d) + new if add else new
        if searched is not None:
            absent = load(searched.absent, tile * disparities + d)
            new, total = where(absent, splat(SENTINEL), new), where(absent, absent, total)
        store(prior, start + d, new)
        new_least = minimum(new_least, new)
        store(sweep.sums, volume + d, total)
    lowest[slot] = smallest(new_least)
    if searched is not None:
        if begins:
            _lose(prior, start, searched.listed[tile], disparities)
        elif tile != tile_before:
            _lose_those(prior, start, searched.listed[tile], searched.listed[tile_before])


@helper
def _lose(prior: Uint16, start: int, listed: Uint16, disparities: int) -> None:
    """Set path costs to infinity for all groups of 16 disparities that are not in ``listed``."""
    i, count = 1, int64(listed[0])
    for group in range(disparities // LANES):
        if i <= count and listed[i] == group:
            i += 1
        else:
            store(prior, start + group * LANES, splat(SENTINEL))


@helper
def _lose_those(prior: Uint16, start: int, listed: Uint16, before: Uint16) -> None:
    """Set path costs to infinity for groups of disparities in ``before`` but not in ``listed``."""
    i, count = 1, int64(listed[0])
    for j in range(1, 1 + int64(before[0])):
        group = int64(before[j])
        while i <= count and listed[i] < group:
            i += 1
        if i > count or listed[i] != group:
            store(prior, start + group * LANES, splat(SENTINEL))


@helper
def _carry_both(
    sweep: PathSweep, searched: Groups | None, prior: Uint16, lowest: Uint16, y: int, x: int
) -> None:
    """Aggregate costs to a pixel from two pixels of the row above, and add them to the sums.

    Rows take turns in two rows of slots. Until a triangle is done, the strips on both sides do not
    touch the slots from which it begins: they lose a column per row.
    """
    height, width, disparities = sweep.cost.shape
    row_of_sweep = y + sweep.rows_before
    here, above = row_of_sweep % 2 * sweep.slots, (1 - row_of_sweep % 2) * sweep.slots
    if row_of_sweep == 0 or width == 1:
        _begin(prior, lowest, above + x, disparities)
        left = right = x
    else:
        left, right = columns_before(x, width)
    pixel, row = y * width + x, (y - 1 if row_of_sweep > 0 else 0) * width
    least_left, least_right = splat(lowest[above + left]), splat(lowest[above + right])
    limit_left = least_left + splat(_penalty(sweep, pixel, row + left))
    limit_right = least_right + splat(_penalty(sweep, pixel, row + right))
    from_left = (above + left) * (disparities + LANES) + LANES
    from_right = (above + right) * (disparities + LANES) + LANES
    start = (here + x) * (disparities + LANES) + LANES
    volume = (height * width - 1 - pixel if sweep.turned else pixel) * disparities
    p1, one, least = splat(sweep.p1), splat(1), splat(0xFFFF)
    prior[start - 1] = prior[start + disparities] = SENTINEL
    tile, groups = 0, disparities // LANES
    if searched is not None:
        tile = tile_of(searched, sweep.origin + volume // disparities, width)
        groups = int64(searched.listed[tile, 0])
        _lose(prior, start, searched.listed[tile], disparities)
    for i in range(groups):
        d = LANES * i
        if searched is not None:
            d = LANES * int64(searched.listed[tile, 1 + i])
        first = _best(prior, from_left + d, p1, limit_left) - least_left
        second = _best(prior, from_right + d, p1, limit_right) - least_right
        new = load(sweep.cost, volume + d) + ((first + second + one) >> one)
        total = load(sweep.sums, volume + d) + new
        if searched is not None:
            absent = load(searched.absent, tile * disparities + d)
            new, total = where(absent, splat(SENTINEL), new), where(absent, absent, total)
        store(prior, start + d, new)
        least = minimum(least, new)
        store(sweep.sums, volume + d, total)
    lowest[here + x] = smallest(least)


@helper
def _penalty(sweep: PathSweep, pixel: int, before: int) -> int:
    """Return the penalty P2' between two pixels, adapted to the change of their grey levels."""
    if sweep.turned:
        end = sweep.cost.shape[0] * sweep.cost.shape[1] - 1
        pixel, before = end - pixel, end - before
    penalty: int = sweep.penalties[_change(sweep, pixel, before)]
    return penalty


@partial(helper, inline="always")
def _change(sweep: PathSweep, pixel: int, before: int) -> int:
    """Return the absolute difference of two pixels' grey levels, given by their flat indices."""
    here, there = sweep.left[sweep.origin + pixel], sweep.left[sweep.origin + before]
    change: int = abs(int64(here) - int64(there))
    return change


@helper
def _best(prior: Uint16, at: int, p1: Any, limit: Any) -> Any:
    """Compute the lowest of four continuation costs from the previous pixel, for 16 disparities."""
    neighbours = minimum(load(prior, at - 1), load(prior, at + 1)) + p1
    return minimum(minimum(load(prior, at), neighbours), limit)
