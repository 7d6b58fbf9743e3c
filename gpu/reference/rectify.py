"""Rectify both views by their maps, and convert them to grey levels."""

from typing import Any

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint8
from wheatstone.gpu.pipelines.rectify.images import OUTSIDE

Pixels = Uint8
Map = Int16
GREY = (9798, 19235, 3735)  # weights of red, green and blue


@compiled
def rectify(
    raw_left: Pixels, raw_right: Pixels, left_map: Map, right_map: Map, left: Pixels, right: Pixels
) -> None:
    """Write for each pixel the grey level of the bilinear mean of four raw pixels.

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
def _rectify_view(raw: Pixels, view_map: Map, grey: Pixels) -> None:
    for y in range(raw.shape[0]):
        for x in range(raw.shape[1]):
            grey[y, x] = rectified_grey(raw, view_map, y, x)


@compiled
def rectified_grey(raw: Pixels, view_map: Map, y: int, x: int) -> Any:
    """Compute the grey level of a rectified pixel."""
    level = 16384
    for channel in range(3):
        level += GREY[channel] * rectified(raw, view_map, y, x, channel)
    return level >> 15


@compiled
def rectified(raw: Pixels, view_map: Map, y: int, x: int, channel: int) -> Any:
    """Compute a channel of a rectified pixel; fractions are the lowest 5 bits of displacements."""
    across, down = int(view_map[y, x, 0]), int(view_map[y, x, 1])
    if across == OUTSIDE:
        return 0
    row, column, fx, fy = y + (down >> 5), x + (across >> 5), across & 31, down & 31
    above = (32 - fx) * _tap(raw, row, column, channel) + fx * _tap(raw, row, column + 1, channel)
    row += 1
    below = (32 - fx) * _tap(raw, row, column, channel) + fx * _tap(raw, row, column + 1, channel)
    return ((32 - fy) * above + fy * below + 512) >> 10


@compiled
def _tap(raw: Pixels, y: int, x: int, channel: int) -> Any:
    """Return a channel of a raw pixel; 0 outside the image."""
    inside = 0 <= y < raw.shape[0] and 0 <= x < raw.shape[1]
    return int(raw[y, x, channel]) if inside else 0
