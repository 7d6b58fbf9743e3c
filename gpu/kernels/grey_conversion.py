"""Convert decoded video to grey levels on the GPU."""

from wheatstone.gpu.kernels.nv12 import Conversion
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.texture import written

_conversion = Conversion("grey_conversion")
KERNELS = _conversion.kernels


def grey_conversion(
    left_luma: Array,
    left_chroma: Array,
    right_luma: Array,
    right_chroma: Array,
    coefficients: Array,
    left: Array,
    right: Array,
) -> None:
    """Launch the conversion kernel; its outputs may be textures that later stages read."""
    with written(left) as first, written(right) as second:
        _conversion(left_luma, left_chroma, right_luma, right_chroma, coefficients, first, second)
