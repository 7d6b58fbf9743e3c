"""Aggregate matching costs along paths, the central stage of semi-global matching."""

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.handed_rows import HandedDirections
from wheatstone.gpu.image import Uint8, Uint16
from wheatstone.gpu.pipelines.sgm.params import ABSENT, ADAPTATIONS, BLOCK_DISPARITIES, SEARCH_TILE

ALL_SEARCHED: Uint8 = np.empty((0, 0, 0), np.uint8)
"""In place of the blocks that tiles search, if all are searched."""
NOTHING_BEFORE: Uint16 = np.empty((0, 0), np.uint16)
"""In place of the path costs of the row before the first one, if the image begins there."""


def path_aggregation(
    left: Uint8,
    cost: Uint8,
    path_costs: Uint16,
    p1: int,
    p2: int,
    p2_adaptation: str,
    dx: int,
    dy: int,
    sweep: bool,
) -> None:
    """Write L(p, d): the matching costs aggregated along the paths in direction (dx, dy).

    With q the pixel before p, and m = min_k L(q, k), the message from q is

        M(q, d) = min(L(q, d), L(q, d-1) + P1, L(q, d+1) + P1, m + P2') - m

    where terms with d-1 or d+1 outside the range are omitted. On a path one pixel lies before p,
    q = p - (dx, dy), and

        L(p, d) = C(p, d) + M(q, d)

    A sweep goes down or up, a row at a time, and two pixels lie before p: q1 and q2 in the row
    before, q1 one column to the left of p and q2 one to the right. Costs spread over an area then,
    not along a line alone:

        L(p, d) = C(p, d) + (M(q1, d) + M(q2, d) + 1) / 2

    Where one of the two lies outside the image, only the other's message counts, undivided. Where
    all that lies before p is outside, as in the first row, L(p, d) = C(p, d).

    The large penalty P2' depends on g, the absolute difference of the left grey levels at p and
    that q (all divisions of integers, rounding down):

    - ``none``: P2;
    - ``divide``: max(P1, P2 / g), with g = 0 read as 1;
    - ``soft``: max(3 P1 / 2, 16 P2 / (16 + g)).

    No value exceeds C + max(P2, 3 P1 / 2), so uint16 holds it.

    Args:
        left: (H, W) grey levels of the left view.
        cost: (H, W, D) matching costs C.
        path_costs: (H, W, D) aggregated costs L, written.
        dx, dy: walking direction, each -1, 0 or 1.
        sweep: whether two pixels lie before each; then dx is 0 and dy is not.

    Source: Hirschmüller 2008, equation 13; ``divide``: section 2.3 there. More than one pixel
    before each: Facciolo, de Franchis and Meinhardt, "MGM: A Significantly More Global Matching
    for Stereovision", BMVC 2015.
    """
    images = left, cost, ALL_SEARCHED, path_costs
    _aggregate(*images, p1, p2, ADAPTATIONS.index(p2_adaptation), dx, dy, sweep)


def sparse_aggregation(
    left: Uint8,
    cost: Uint8,
    searched: Uint8,
    path_costs: Uint16,
    p1: int,
    p2: int,
    p2_adaptation: str,
    dx: int,
    dy: int,
    sweep: bool,
) -> None:
    """Write L(p, d) as ``path_aggregation`` does, but only of the disparities that p searches.

    L(p, d) of any other d is infinite, written 65535: it is never the smallest, so that the minimum
    over k, and those over d - 1, d and d + 1, are over what q searches. A d that p searches, with
    none of these at q, gets the message P2'.

    Sums of infinite costs are also 65535. They are no winners, no rivals and no candidates of the
    right view, and a winner beside one has no offset.

    Args:
        searched: (H / 16, W / 16, D / 8), the sides rounded up: 1 where a tile searches a block.
            Others as for ``path_aggregation``.
    """
    images = left, cost, searched, path_costs
    _aggregate(*images, p1, p2, ADAPTATIONS.index(p2_adaptation), dx, dy, sweep)


def _aggregate(
    left: Uint8,
    cost: Uint8,
    searched: Uint8,
    path_costs: Uint16,
    p1: int,
    p2: int,
    adaptation: int,
    dx: int,
    dy: int,
    sweep: bool,
    before: Uint16 = NOTHING_BEFORE,
    first: int = 0,
) -> None:
    images = left, cost, searched, path_costs
    if sweep:
        _sweep(*images, p1, p2, adaptation, dy, before, first)
    else:
        _walk(*images, p1, p2, adaptation, dx, dy, before, first)


def aggregate_band(
    left: Uint8,
    cost: Uint8,
    path_costs: Uint16,
    before: Uint16 | None,
    first: int,
    p1: int,
    p2: int,
    p2_adaptation: str,
    dx: int,
    dy: int,
    sweep: bool,
) -> None:
    """Write the path costs L(p, d) of a band of rows, continuing those of the row before it."""
    rules = p1, p2, ADAPTATIONS.index(p2_adaptation), dx, dy, sweep
    row = NOTHING_BEFORE if before is None else before
    _aggregate(left, cost, ALL_SEARCHED, path_costs, *rules, row, first)


class HandedPathCosts(HandedDirections):
    """Aggregation of costs in bands by plain loops, with path costs as for the whole image."""

    go = staticmethod(aggregate_band)


HANDED = {"path_aggregation": HandedPathCosts}
"""The classes that hand path costs over from band to band, by stage."""


@helper
def large_penalty(p1: int, p2: int, adaptation: int, g: int) -> int:
    """Compute P2' at a grey level change ``g``; ``adaptation`` is an index in ``ADAPTATIONS``."""
    if adaptation == 1:
        return max(p1, p2 // max(g, 1))
    if adaptation == 2:
        return max(3 * p1 // 2, 16 * p2 // (16 + g))
    return p2


@compiled
def _walk(
    left: Uint8,
    cost: Uint8,
    searched: Uint8,
    path_costs: Uint16,
    p1: int,
    p2: int,
    adaptation: int,
    dx: int,
    dy: int,
    before: Uint16,
    first: int,
) -> None:
    height, width, _ = cost.shape
    for row in range(height):
        y = row if dy >= 0 else height - 1 - row
        for column in range(width):
            x = column if dx >= 0 else width - 1 - column
            before_y, before_x = y - dy, x - dx
            inside = 0 <= before_y < height
            if before_x < 0 or before_x >= width or not (inside or before.size > 0):
                path_costs[y, x] = cost[y, x]
            else:
                penalty = _penalty(
                    left, first + y, x, first + before_y, before_x, p1, p2, adaptation
                )
                prior = path_costs[before_y, before_x] if inside else before[before_x]
                carry(prior, cost[y, x], path_costs[y, x], p1, penalty)
            forget(path_costs[y, x], searched, y, x)


@compiled
def _sweep(
    left: Uint8,
    cost: Uint8,
    searched: Uint8,
    path_costs: Uint16,
    p1: int,
    p2: int,
    adaptation: int,
    dy: int,
    before: Uint16,
    begin: int,
) -> None:
    height, width, disparities = cost.shape
    other = np.empty(disparities, np.uint16)
    for row in range(height):
        y = row if dy > 0 else height - 1 - row
        for x in range(width):
            if (row == 0 and before.size == 0) or width == 1:
                path_costs[y, x] = cost[y, x]
                forget(path_costs[y, x], searched, y, x)
                continue
            first, second = columns_before(x, width)
            penalties = (
                _penalty(left, begin + y, x, begin + y - dy, first, p1, p2, adaptation),
                _penalty(left, begin + y, x, begin + y - dy, second, p1, p2, adaptation),
            )
            prior = path_costs[y - dy] if row > 0 else before
            after = path_costs[y, x]
            carry_both(prior[first], prior[second], cost[y, x], after, other, p1, penalties)
            forget(after, searched, y, x)


@helper
def forget(path_costs: Uint16, searched: Uint8, y: int, x: int) -> None:
    """Set path costs L(p, d) of a pixel to infinity for each d that its tile does not search."""
    if searched.size > 0:
        blocks = searched[y // SEARCH_TILE, x // SEARCH_TILE]
        for d in range(path_costs.size):
            if not blocks[d // BLOCK_DISPARITIES]:
                path_costs[d] = ABSENT


@helper
def columns_before(x: int, width: int) -> tuple[int, int]:
    """Return the columns of the two pixels in the previous row from which a sweep continues.

    The image is at least two pixels wide.

    Where one lies outside the image the other replaces it, so that its message counts alone:
    (2 M + 1) / 2 is M.
    """
    return x - 1 if x > 0 else x + 1, x + 1 if x < width - 1 else x - 1


@helper
def _penalty(
    left: Uint8, y: int, x: int, before_y: int, before_x: int, p1: int, p2: int, adaptation: int
) -> int:
    """Compute the penalty P2' between a pixel and the previous pixel of its path."""
    g = abs(int64(left[y, x]) - int64(left[before_y, before_x]))
    return int(large_penalty(p1, p2, adaptation, g))


@helper
def carry(before: Uint16, cost: Uint8, after: Uint16, p1: int, penalty: int) -> None:
    """Write L(p, d) of one pixel p from the path costs of the previous pixel: (D,) each."""
    _send(before, after, p1, penalty)
    for d in range(cost.size):
        after[d] = int64(cost[d]) + int64(after[d])


@helper
def carry_both(
    first: Uint16,
    second: Uint16,
    cost: Uint8,
    after: Uint16,
    other: Uint16,
    p1: int,
    penalties: tuple[int, int],
) -> None:
    """Write L(p, d) of one pixel p of a sweep from those of two previous pixels: (D,) each.

    Args:
        other: buffer for a message, (D,).
    """
    _send(first, after, p1, penalties[0])
    _send(second, other, p1, penalties[1])
    for d in range(cost.size):
        after[d] = int64(cost[d]) + (int64(after[d]) + int64(other[d]) + 1) // 2


@helper
def _send(before: Uint16, message: Uint16, p1: int, penalty: int) -> None:
    """Write the message M(q, d) of a pixel q to the next pixel, from its path costs: (D,) each."""
    disparities = before.size
    lowest = int64(before[0])
    for d in range(disparities):
        lowest = min(lowest, int64(before[d]))
    for d in range(disparities):
        best = min(int64(before[d]), lowest + penalty)
        if d > 0:
            best = min(best, int64(before[d - 1]) + p1)
        if d < disparities - 1:
            best = min(best, int64(before[d + 1]) + p1)
        message[d] = best - lowest
