"""Compute the parts of one pixel's matching costs: compared descriptors, and gradients."""

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Uint8
from wheatstone.gpu.pipelines.sgm.ray import RayViews, Rules
from wheatstone.gpu.reference.matching_cost import add_gradient, compare_pixel


@compiled
def cost_parts(
    views: RayViews, rules: Rules, y: int, x: int, compared: Uint8, gradient: Uint8
) -> None:
    """Write the two parts whose sum is C(p, d) of the pixel p in row ``y`` and column ``x``.

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
