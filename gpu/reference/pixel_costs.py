"""Compute the matching costs of a single pixel, without a cost volume."""

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Uint8
from wheatstone.gpu.pipelines.sgm.ray import RayViews, Rules
from wheatstone.gpu.reference.matching_cost import add_gradient, compare_pixel


@compiled
def pixel_costs(views: RayViews, rules: Rules, y: int, x: int, cost: Uint8) -> None:
    """Write the costs C(p, d) of the pixel p in row ``y`` and column ``x``: (D,)."""
    left, right = views.left_descriptor, views.right_descriptor
    compare_pixel(left, right, cost, y, x, rules.min_disparity, rules.outside, rules.words)
    if rules.gradient:
        add_gradient(views.left_gradient, views.right_gradient, cost, y, x, rules.min_disparity)
