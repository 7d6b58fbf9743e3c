"""Compute the path costs of some neighbouring pixels, from the rows before in a sweep."""

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Uint16
from wheatstone.gpu.pipelines.sgm.ray import RayViews, Rules
from wheatstone.gpu.reference.path_aggregation import carry_both, columns_before, large_penalty
from wheatstone.gpu.reference.pixel_costs import pixel_costs


@compiled
def sweep_costs(
    views: RayViews, rules: Rules, y: int, first: int, dy: int, path_costs: Uint16
) -> None:
    """Write L(p, d) of a sweep for pixels p of row ``y`` from column ``first`` on: (pixels, D).

    They depend on one more pixel on both sides in each row before, so these are the values that
    ``path_aggregation`` writes for them. A single pixel depends on every other pixel of these rows.

    Args:
        dy: walking direction, 1 or -1.
    """
    height, width = views.left.shape
    count, disparities = path_costs.shape
    apart = 2 if count == 1 else 1  # pixels of a row
    rows = y if dy > 0 else height - 1 - y  # before this one
    held, prior = np.empty((2, width, disparities), np.uint16)
    cost, other = np.empty(disparities, np.uint8), np.empty(disparities, np.uint16)
    penalties = np.empty(2, np.int64)
    for before in range(rows, -1, -1):
        here = y - before * dy
        held, prior = prior, held
        begin = first - before if before <= first else (first - before) % apart
        for x in range(begin, min(first + count + before, width), apart):
            pixel_costs(views, rules, here, x, cost)
            if before == rows or width == 1:
                held[x] = cost
                continue
            columns = columns_before(x, width)
            for i in range(2):
                g = abs(int64(views.left[here, x]) - int64(views.left[here - dy, columns[i]]))
                penalties[i] = large_penalty(rules.p1, rules.p2, rules.adaptation, g)
            both = penalties[0], penalties[1]
            left, right = prior[columns[0]], prior[columns[1]]
            carry_both(left, right, cost, held[x], other, rules.p1, both)
    path_costs[:] = held[first : first + count]
