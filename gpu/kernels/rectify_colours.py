"""Rectify both views on the GPU, in colours."""

from wheatstone.gpu.kernels.rectifying import Rectifying
from wheatstone.gpu.pipeline import Array

_rectify_colours = Rectifying("rectify_colours")
KERNELS = _rectify_colours.kernels


def rectify_colours(
    raw_left: Array,
    raw_right: Array,
    left_map: Array,
    right_map: Array,
    rectified_left: Array,
    rectified_right: Array,
    memory: str,
) -> None:
    """Launch the rectifying kernel of a memory."""
    images = raw_left, raw_right, left_map, right_map, rectified_left, rectified_right
    _rectify_colours(*images, memory)
