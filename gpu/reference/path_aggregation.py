"""Carry matching costs along paths: the heart of semi-global matching."""

import numpy as np
from numba import int64
from numpy.typing import NDArray

from gpu.compiled import compiled, helper
from gpu.pipelines.sgm.params import ADAPTATIONS


def path_aggregation(
    left: NDArray[np.uint8],
    cost: NDArray[np.uint8],
    path_costs: NDArray[np.uint16],
    p1: int,
    p2: int,
    p2_adaptation: str,
    dx: int,
    dy: int,
) -> None:
    """Write L(p, d): the matching costs carried along the paths that walk in direction (dx, dy).

    With q = p - (dx, dy) the pixel before p on its path, and m = min_k L(q, k),

        L(p, d) = C(p, d) + min(L(q, d), L(q, d-1) + P1, L(q, d+1) + P1, m + P2') - m

    where terms with d-1 or d+1 outside the range are left out. Where q lies outside the image a
    path begins: L(p, d) = C(p, d). The large penalty P2' depends on g, the absolute difference of
    the left grey levels at p and q (all divisions of integers, rounding down):

    - ``none``: P2;
    - ``divide``: max(P1, P2 / g), with g = 0 read as 1;
    - ``soft``: max(3 P1 / 2, 16 P2 / (16 + g)).

    No value exceeds C + max(P2, 3 P1 / 2), so uint16 holds it.

    Args:
        left: (H, W) grey levels of the left view.
        cost: (H, W, D) matching costs C.
        path_costs: (H, W, D) aggregated costs L, written.
        dx, dy: walking direction, each -1, 0 or 1.

    Source: Hirschmüller 2008, equation 13; ``divide``: section 2.3 there.
    """
    adaptation = ADAPTATIONS.index(p2_adaptation)
    _walk(left, cost, path_costs, p1, p2, adaptation, dx, dy)


@helper
def large_penalty(p1: int, p2: int, adaptation: int, g: int) -> int:
    """Compute P2' at a grey level change ``g``; ``adaptation`` counts in ``ADAPTATIONS``."""
    if adaptation == 1:
        return max(p1, p2 // max(g, 1))
    if adaptation == 2:
        return max(3 * p1 // 2, 16 * p2 // (16 + g))
    return p2


@compiled
def _walk(
    left: NDArray[np.uint8],
    cost: NDArray[np.uint8],
    path_costs: NDArray[np.uint16],
    p1: int,
    p2: int,
    adaptation: int,
    dx: int,
    dy: int,
) -> None:
    height, width, _ = cost.shape
    for row in range(height):
        y = row if dy >= 0 else height - 1 - row
        for column in range(width):
            x = column if dx >= 0 else width - 1 - column
            before_y, before_x = y - dy, x - dx
            if before_y < 0 or before_y >= height or before_x < 0 or before_x >= width:
                path_costs[y, x] = cost[y, x]
                continue
            g = abs(int64(left[y, x]) - int64(left[before_y, before_x]))
            penalty = large_penalty(p1, p2, adaptation, g)
            carry(path_costs[before_y, before_x], cost[y, x], path_costs[y, x], p1, penalty)


@helper
def carry(
    before: NDArray[np.uint16],
    cost: NDArray[np.uint8],
    after: NDArray[np.uint16],
    p1: int,
    penalty: int,
) -> None:
    """Write L(p, d) of one pixel p from those of the pixel before it on the path: (D,) each."""
    disparities = cost.size
    smallest = int64(before[0])
    for d in range(disparities):
        smallest = min(smallest, int64(before[d]))
    for d in range(disparities):
        best = min(int64(before[d]), smallest + penalty)
        if d > 0:
            best = min(best, int64(before[d - 1]) + p1)
        if d < disparities - 1:
            best = min(best, int64(before[d + 1]) + p1)
        after[d] = int64(cost[d]) + best - smallest
