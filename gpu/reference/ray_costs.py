"""Compute the path costs of a single pixel, from the pixels before it on a path."""

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Uint16
from wheatstone.gpu.pipelines.sgm.ray import RayViews, Rules
from wheatstone.gpu.reference.path_aggregation import carry, large_penalty
from wheatstone.gpu.reference.pixel_costs import pixel_costs


@compiled
def ray_costs(
    views: RayViews, rules: Rules, y: int, x: int, dx: int, dy: int, path_costs: Uint16
) -> None:
    """Write L(p, d) of one pixel p on the path in direction (dx, dy): (D,).

    A pixel's path costs depend only on the pixels before it on its path, so these are the values
    that ``path_aggregation`` writes for p.
    """
    height, width = views.left.shape
    before = 0  # pixels of the path
    while _inside(y - (before + 1) * dy, height) and _inside(x - (before + 1) * dx, width):
        before += 1
    cost, prior = np.empty(path_costs.size, np.uint8), np.empty_like(path_costs)
    for step in range(before, -1, -1):
        here_y, here_x = y - step * dy, x - step * dx
        pixel_costs(views, rules, here_y, here_x, cost)
        if step == before:
            path_costs[:] = cost
            continue
        g = abs(int64(views.left[here_y, here_x]) - int64(views.left[here_y - dy, here_x - dx]))
        prior[:] = path_costs
        penalty = large_penalty(rules.p1, rules.p2, rules.adaptation, g)
        carry(prior, cost, path_costs, rules.p1, penalty)


@compiled
def _inside(place: int, length: int) -> bool:
    return 0 <= place < length
