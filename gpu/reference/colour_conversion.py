"""Convert decoded video to red, green and blue."""

from typing import Any

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int32, Uint8

Pixels = Uint8
Integers = Int32


@compiled
def colour_conversion(
    left_luma: Pixels,
    left_chroma: Pixels,
    right_luma: Pixels,
    right_chroma: Pixels,
    coefficients: Integers,
    decoded_left: Pixels,
    decoded_right: Pixels,
) -> None:
    """Write the colours of each pixel from its brightness and the chroma of its 2x2 block.

    With the brightness y, the differences u and v, and the coefficients black, a, b, c, d and e,

        red = (a (y - black) + b (v - 128) + 8192) >> 14
        green = (a (y - black) + c (u - 128) + d (v - 128) + 8192) >> 14
        blue = (a (y - black) + e (u - 128) + 8192) >> 14,

    each between 0 and 255.

    Args:
        left_luma, right_luma: (H, W) y.
        left_chroma, right_chroma: (ceil(H / 2), ceil(W / 2), 2) u and v.
        coefficients: (6,) as ``gpu.pipelines.nv12.coefficients`` computes them.
        decoded_left, decoded_right: (H, W, 4) red, green, blue, 255, written.

    Source: ITU-R BT.601-7 and BT.709-6.
    """
    rows = left_luma.shape[0]
    colour_rows(left_luma, left_chroma, coefficients, decoded_left, 0, rows)
    colour_rows(right_luma, right_chroma, coefficients, decoded_right, 0, rows)


@compiled
def colour_rows(
    luma: Pixels, chroma: Pixels, known: Integers, colours: Pixels, top: int, bottom: int
) -> None:
    """Write rows ``top`` to ``bottom`` - 1 of one view."""
    for y in range(top, bottom):
        for x in range(luma.shape[1]):
            red, green, blue = converted(luma, chroma, known, y, x)
            colours[y, x, 0], colours[y, x, 1], colours[y, x, 2] = red, green, blue
            colours[y, x, 3] = 255


@compiled
def converted(luma: Pixels, chroma: Pixels, known: Integers, y: int, x: int) -> Any:
    """Compute the colours of a pixel: red, green, blue."""
    u, v = int(chroma[y >> 1, x >> 1, 0]) - 128, int(chroma[y >> 1, x >> 1, 1]) - 128
    level = int(known[1]) * (int(luma[y, x]) - int(known[0])) + 8192
    red = (level + int(known[2]) * v) >> 14
    green = (level + int(known[3]) * u + int(known[4]) * v) >> 14
    blue = (level + int(known[5]) * u) >> 14
    return min(max(red, 0), 255), min(max(green, 0), 255), min(max(blue, 0), 255)
