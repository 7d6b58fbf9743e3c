"""Rectify both views on the GPU, as grey levels."""

from wheatstone.gpu.kernels.rectifying import Rectifying
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.texture import written

_rectify = Rectifying("rectify")
KERNELS = _rectify.kernels


def rectify(
    raw_left: Array,
    raw_right: Array,
    left_map: Array,
    right_map: Array,
    left: Array,
    right: Array,
    memory: str,
) -> None:
    """Launch the kernel of a memory; its outputs may be textures that later stages read."""
    with written(left) as first, written(right) as second:
        _rectify(raw_left, raw_right, left_map, right_map, first, second, memory)
