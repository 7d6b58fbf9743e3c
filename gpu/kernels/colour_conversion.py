"""Convert decoded video to red, green and blue on the GPU."""

from wheatstone.gpu.kernels.nv12 import Conversion
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.texture import written

_conversion = Conversion("colour_conversion")
KERNELS = _conversion.kernels


def colour_conversion(
    left_luma: Array,
    left_chroma: Array,
    right_luma: Array,
    right_chroma: Array,
    coefficients: Array,
    decoded_left: Array,
    decoded_right: Array,
) -> None:
    """Launch the conversion kernel; its outputs may be textures that later stages read."""
    views = left_luma, left_chroma, right_luma, right_chroma
    with written(decoded_left) as first, written(decoded_right) as second:
        _conversion(*views, coefficients, first, second)
