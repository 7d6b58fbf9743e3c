"""Convert decoded video to grey levels."""

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int32, Uint8
from wheatstone.gpu.reference.colour_conversion import converted
from wheatstone.gpu.reference.rectify import GREY

Pixels = Uint8
Integers = Int32


@compiled
def grey_conversion(
    left_luma: Pixels,
    left_chroma: Pixels,
    right_luma: Pixels,
    right_chroma: Pixels,
    coefficients: Integers,
    left: Pixels,
    right: Pixels,
) -> None:
    """Write each pixel's grey level, (9798 red + 19235 green + 3735 blue + 16384) >> 15.

    Args:
        left_luma, left_chroma, right_luma, right_chroma, coefficients: as of
            ``colour_conversion``.
        left, right: (H, W), written.

    Source: of the weights, OpenCV's ``cv2.cvtColor`` with ``COLOR_RGB2GRAY``; equal to the bit.
    """
    rows = left_luma.shape[0]
    grey_rows(left_luma, left_chroma, coefficients, left, 0, rows)
    grey_rows(right_luma, right_chroma, coefficients, right, 0, rows)


@compiled
def grey_rows(
    luma: Pixels, chroma: Pixels, known: Integers, grey: Pixels, top: int, bottom: int
) -> None:
    """Write rows ``top`` to ``bottom`` - 1 of one view."""
    for y in range(top, bottom):
        for x in range(luma.shape[1]):
            red, green, blue = converted(luma, chroma, known, y, x)
            grey[y, x] = (GREY[0] * red + GREY[1] * green + GREY[2] * blue + 16384) >> 15
