"""Compute the views that a pipeline reads: convert decoded video, and rectify raw views."""

from typing import Any

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Int32, Uint8
from wheatstone.gpu.pipelines.rectify import OUTSIDE

GREY = (9798, 19235, 3735)  # weights of red, green and blue


@compiled
def rectify(
    raw_left: Uint8, raw_right: Uint8, left_map: Int16, right_map: Int16, left: Uint8, right: Uint8
) -> None:
    """Write the grey level of each rectified pixel, from the bilinear mean of four raw pixels.

    With the pixel's place in the raw view at (y + fy / 32, x + fx / 32) and a, b, c, d the raw
    pixels (y, x), (y, x + 1), (y + 1, x) and (y + 1, x + 1), each colour is

        ((32 - fx)(32 - fy) a + fx (32 - fy) b + (32 - fx) fy c + fx fy d + 512) >> 10,

    where a raw pixel outside the view counts 0; and the grey level is

        (9798 red + 19235 green + 3735 blue + 16384) >> 15.

    The weights of colours sum to 32768, so that a grey view keeps its levels.

    Args:
        raw_left, raw_right: (H, W, 4) the views as taken: red, green, blue, 255.
        left_map, right_map: (H, W, 2) displacement of the place from the pixel in columns and rows,
            in 1/32 pixel; -32768: outside.
        left, right: (H, W), written.

    Source: OpenCV, ``cv2.remap`` with maps of type ``CV_16SC2``, ``INTER_LINEAR``,
    ``BORDER_CONSTANT``, then ``cv2.cvtColor`` with ``COLOR_RGB2GRAY``; equal to the bit.
    """
    _rectify_view(raw_left, left_map, left)
    _rectify_view(raw_right, right_map, right)


@compiled
def _rectify_view(raw: Uint8, view_map: Int16, grey: Uint8) -> None:
    for y in range(raw.shape[0]):
        for x in range(raw.shape[1]):
            grey[y, x] = rectified_grey(raw, view_map, y, x)


@compiled
def rectified_grey(raw: Uint8, view_map: Int16, y: int, x: int) -> Any:
    """Compute the grey level of a rectified pixel."""
    level = 16384
    for channel in range(3):
        level += GREY[channel] * rectified(raw, view_map, y, x, channel)
    return level >> 15


@compiled
def rectified(raw: Uint8, view_map: Int16, y: int, x: int, channel: int) -> Any:
    """Compute one channel of a rectified pixel, from the view's displacements.

    The lowest 5 bits of a displacement are its fraction.
    """
    across, down = int(view_map[y, x, 0]), int(view_map[y, x, 1])
    if across == OUTSIDE:
        return 0
    row, column, fx, fy = y + (down >> 5), x + (across >> 5), across & 31, down & 31
    above = (32 - fx) * _tap(raw, row, column, channel) + fx * _tap(raw, row, column + 1, channel)
    row += 1
    below = (32 - fx) * _tap(raw, row, column, channel) + fx * _tap(raw, row, column + 1, channel)
    return ((32 - fy) * above + fy * below + 512) >> 10


@compiled
def _tap(raw: Uint8, y: int, x: int, channel: int) -> Any:
    """Return a channel of a raw pixel; 0 outside the image."""
    inside = 0 <= y < raw.shape[0] and 0 <= x < raw.shape[1]
    return int(raw[y, x, channel]) if inside else 0


@compiled
def rectify_colours(
    raw_left: Uint8,
    raw_right: Uint8,
    left_map: Int16,
    right_map: Int16,
    rectified_left: Uint8,
    rectified_right: Uint8,
) -> None:
    """Write each rectified pixel's channels: the bilinear means of four raw pixels.

    Args:
        raw_left, raw_right, left_map, right_map: as for ``rectify``.
        rectified_left, rectified_right: (H, W, 4), written; the fourth channel shows how much of
            the pixel was inside.
    """
    _colour_view(raw_left, left_map, rectified_left)
    _colour_view(raw_right, right_map, rectified_right)


@compiled
def _colour_view(raw: Uint8, view_map: Int16, out: Uint8) -> None:
    for y in range(raw.shape[0]):
        for x in range(raw.shape[1]):
            for channel in range(4):
                out[y, x, channel] = rectified(raw, view_map, y, x, channel)


@compiled
def colour_conversion(
    left_luma: Uint8,
    left_chroma: Uint8,
    right_luma: Uint8,
    right_chroma: Uint8,
    coefficients: Int32,
    decoded_left: Uint8,
    decoded_right: Uint8,
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
    luma: Uint8, chroma: Uint8, known: Int32, colours: Uint8, top: int, bottom: int
) -> None:
    """Write the colours of rows ``top`` to ``bottom`` - 1 of one view."""
    for y in range(top, bottom):
        for x in range(luma.shape[1]):
            red, green, blue = converted(luma, chroma, known, y, x)
            colours[y, x, 0], colours[y, x, 1], colours[y, x, 2] = red, green, blue
            colours[y, x, 3] = 255


@compiled
def converted(luma: Uint8, chroma: Uint8, known: Int32, y: int, x: int) -> Any:
    """Compute the colours of a pixel, (red, green, blue), from brightness and chroma."""
    u, v = int(chroma[y >> 1, x >> 1, 0]) - 128, int(chroma[y >> 1, x >> 1, 1]) - 128
    level = int(known[1]) * (int(luma[y, x]) - int(known[0])) + 8192
    red = (level + int(known[2]) * v) >> 14
    green = (level + int(known[3]) * u + int(known[4]) * v) >> 14
    blue = (level + int(known[5]) * u) >> 14
    return min(max(red, 0), 255), min(max(green, 0), 255), min(max(blue, 0), 255)


@compiled
def grey_conversion(
    left_luma: Uint8,
    left_chroma: Uint8,
    right_luma: Uint8,
    right_chroma: Uint8,
    coefficients: Int32,
    left: Uint8,
    right: Uint8,
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
def grey_rows(luma: Uint8, chroma: Uint8, known: Int32, grey: Uint8, top: int, bottom: int) -> None:
    """Write the grey levels of rows ``top`` to ``bottom`` - 1 of one view."""
    for y in range(top, bottom):
        for x in range(luma.shape[1]):
            red, green, blue = converted(luma, chroma, known, y, x)
            grey[y, x] = (GREY[0] * red + GREY[1] * green + GREY[2] * blue + 16384) >> 15
