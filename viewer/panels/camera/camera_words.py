"""Describe the cameras of a source as names and values."""

import math

from wheatstone.viewer.cameras.calibration import Calibration
from wheatstone.viewer.cameras.facts import Fact, pair_facts
from wheatstone.viewer.cameras.rectification import Rectification
from wheatstone.viewer.cameras.rows import RowError
from wheatstone.viewer.panels.lengths import length
from wheatstone.viewer.panels.measure.distance import depth_step

NO_CALIBRATION = (
    "Nothing is known of the cameras: depth is relative. Give their calibration by --calibration "
    "FILE, or put it beside the images as Middlebury, ETH3D and KITTI do."
)
NO_BASELINE = "The distance of the cameras is not known: depth is relative, not in metres."


def view_facts(known: Calibration, width: int, height: int) -> list[Fact]:
    """List the calibration of a rectified pair of images of a given size."""
    across, down = field_of_view(known, width, height)
    degree = "\N{DEGREE SIGN}"
    seen = ("field of view", f"{across:.1f}{degree} x {down:.1f}{degree}")
    focal, *others = pair_facts(known)
    return [focal, seen, *others]


def field_of_view(known: Calibration, width: int, height: int) -> tuple[float, float]:
    """Compute the field of view of the left view in degrees: across and down."""
    angles = [
        math.degrees(math.atan((middle + 0.5) / known.focal))
        + math.degrees(math.atan((pixels - 0.5 - middle) / known.focal))
        for middle, pixels in zip(known.principal, (width, height), strict=True)
    ]
    return angles[0], angles[1]


def depth_facts(known: Calibration, searched: tuple[float, float], step: float) -> list[Fact]:
    """List the depths that a disparity search can measure, and its depth steps.

    Args:
        searched: smallest and largest disparity, in pixels.
        step: how far apart neighbouring disparities are, in pixels.
    """
    low, high = searched
    listed = [
        ("disparities", f"{low:g} to {high:g} px, steps of {step:g} px"),
        ("depths", f"{_depth(known, high)} to {_depth(known, low)}"),
    ]
    depths = [1.0] if known.unit == "m" else []
    middle = known.depth((low + high) / 2)
    for z in depths + ([middle] if middle else []):
        where = f"one step at {length(z, known.unit)}"
        listed.append((where, length(depth_step(known, z, step), known.unit)))
    return listed


def _depth(known: Calibration, disparity: float) -> str:
    depth = known.depth(disparity)
    return "infinity" if depth is None else length(depth, known.unit)


def rectification_facts(rectification: Rectification) -> list[Fact]:
    """List how the views are rectified, and the calibration of the unrectified cameras."""
    left, right = (view.outside for view in (rectification.left, rectification.right))
    return [
        ("rectified by", rectification.origin or "its source"),
        ("pixels from outside", f"left {left:.1%}, right {right:.1%}"),
        *rectification.facts,
    ]


def row_facts(apart: RowError) -> list[Fact]:
    """List the vertical offset of the views' rows."""
    if not apart.known:
        return [("rows apart", f"unknown: {apart.count} points match")]
    return [
        ("rows apart, median", f"{apart.median:.2f} px"),
        ("rows apart, p95", f"{apart.p95:.2f} px"),
        ("points that match", f"{apart.count}"),
    ]
