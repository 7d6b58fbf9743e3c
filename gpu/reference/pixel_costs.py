"""Compute the matching costs of one pixel, and its aggregated costs along each path."""

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Uint8, Uint16
from wheatstone.gpu.pipelines.sgm.curves import RayViews, Rules
from wheatstone.gpu.reference.matching_cost import add_gradient, compare_pixel
from wheatstone.gpu.reference.path_aggregation import (
    carry,
    carry_both,
    columns_before,
    forget,
    large_penalty,
)


@compiled
def pixel_costs(views: RayViews, rules: Rules, y: int, x: int, cost: Uint8) -> None:
    """Write the matching costs C(p, d) of the pixel p at row ``y`` and column ``x``: (D,)."""
    left, right = views.left_descriptor, views.right_descriptor
    compare_pixel(left, right, cost, y, x, rules.min_disparity, rules.outside, rules.words)
    if rules.gradient:
        add_gradient(views.left_gradient, views.right_gradient, cost, y, x, rules.min_disparity)


@compiled
def cost_parts(
    views: RayViews, rules: Rules, y: int, x: int, compared: Uint8, gradient: Uint8
) -> None:
    """Write the two parts of the matching cost C(p, d) of the pixel p at ``y``, ``x``: (D,) each.

    Args:
        compared: (D,) number of bits of census words that differ, or difference of grey levels;
            outside the image the cost there; written.
        gradient: (D,) costs added by gradients, 0 outside the image; written.
    """
    left, right = views.left_descriptor, views.right_descriptor
    compare_pixel(left, right, compared, y, x, rules.min_disparity, rules.outside, rules.words)
    gradient[:] = 0
    if rules.gradient:
        slopes = views.left_gradient, views.right_gradient
        add_gradient(slopes[0], slopes[1], gradient, y, x, rules.min_disparity)


@compiled
def ray_costs(
    views: RayViews, rules: Rules, y: int, x: int, dx: int, dy: int, path_costs: Uint16
) -> None:
    """Write the aggregated costs L(p, d) of one pixel p on the path along (dx, dy): (D,).

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
            forget(path_costs, views.searched, here_y, here_x)
            continue
        g = abs(int64(views.left[here_y, here_x]) - int64(views.left[here_y - dy, here_x - dx]))
        prior[:] = path_costs
        penalty = large_penalty(rules.p1, rules.p2, rules.adaptation, g)
        carry(prior, cost, path_costs, rules.p1, penalty)
        forget(path_costs, views.searched, here_y, here_x)


@compiled
def _inside(place: int, length: int) -> bool:
    return 0 <= place < length


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
    spacing = 2 if count == 1 else 1  # pixels of a row
    rows = y if dy > 0 else height - 1 - y  # before this one
    held, prior = np.empty((2, width, disparities), np.uint16)
    cost, other = np.empty(disparities, np.uint8), np.empty(disparities, np.uint16)
    penalties = np.empty(2, np.int64)
    for before in range(rows, -1, -1):
        here = y - before * dy
        held, prior = prior, held
        begin = first - before if before <= first else (first - before) % spacing
        for x in range(begin, min(first + count + before, width), spacing):
            pixel_costs(views, rules, here, x, cost)
            if before == rows or width == 1:
                held[x] = cost
                forget(held[x], views.searched, here, x)
                continue
            columns = columns_before(x, width)
            for i in range(2):
                g = abs(int64(views.left[here, x]) - int64(views.left[here - dy, columns[i]]))
                penalties[i] = large_penalty(rules.p1, rules.p2, rules.adaptation, g)
            both = penalties[0], penalties[1]
            left, right = prior[columns[0]], prior[columns[1]]
            carry_both(left, right, cost, held[x], other, rules.p1, both)
            forget(held[x], views.searched, here, x)
    path_costs[:] = held[first : first + count]
