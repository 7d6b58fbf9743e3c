"""Rectify both views by their maps."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.compiled import compiled

Pixels = NDArray[np.uint8]
Map = NDArray[np.int16]
OUTSIDE = -(2**15)


@compiled
def rectify(
    raw_left: Pixels,
    raw_right: Pixels,
    left_map: Map,
    right_map: Map,
    rectified_left: Pixels,
    rectified_right: Pixels,
) -> None:
    """Write for each pixel the bilinear mean of the four raw pixels around its place.

    With the place at (y + fy / 32, x + fx / 32) and a, b, c, d the pixels (y, x), (y, x + 1),
    (y + 1, x) and (y + 1, x + 1), each channel is

        ((32 - fx)(32 - fy) a + fx (32 - fy) b + (32 - fx) fy c + fx fy d + 512) >> 10.

    A pixel outside the raw view counts 0 in every channel, so the fourth, which is 255 wherever
    the raw view is, stays 255 only where nothing of the outside is mixed in.

    Args:
        raw_left, raw_right: (H, W, 4) the views as taken.
        left_map, right_map: (H, W, 2) displacement of the place from the pixel in columns and rows,
            in 1/32 pixel; -32768: outside.
        rectified_left, rectified_right: (H, W, 4), written.

    Source: OpenCV, ``cv2.remap`` with maps of type ``CV_16SC2``, ``INTER_LINEAR``,
    ``BORDER_CONSTANT``; equal to the bit.
    """
    _rectify_view(raw_left, left_map, rectified_left)
    _rectify_view(raw_right, right_map, rectified_right)


@compiled
def _rectify_view(raw: Pixels, view_map: Map, rectified: Pixels) -> None:
    for y in range(raw.shape[0]):
        for x in range(raw.shape[1]):
            rectify_pixel(raw, view_map, rectified, y, x)


@compiled
def rectify_pixel(raw: Pixels, view_map: Map, rectified: Pixels, y: int, x: int) -> None:
    """Write all channels of one pixel of a view."""
    across, down = int(view_map[y, x, 0]), int(view_map[y, x, 1])
    row, column = y + (down >> 5), x + (across >> 5)
    for channel in range(4):
        found = 0 if across == OUTSIDE else _mean(raw, row, column, down, across, channel)
        rectified[y, x, channel] = found


@compiled
def _mean(raw: Pixels, y: int, x: int, down: int, across: int, channel: int) -> Any:
    """Compute the mean of four pixels; the fractions are the lowest 5 bits of the displacements."""
    fx, fy = across & 31, down & 31
    above = (32 - fx) * _tap(raw, y, x, channel) + fx * _tap(raw, y, x + 1, channel)
    below = (32 - fx) * _tap(raw, y + 1, x, channel) + fx * _tap(raw, y + 1, x + 1, channel)
    return ((32 - fy) * above + fy * below + 512) >> 10


@compiled
def _tap(raw: Pixels, y: int, x: int, channel: int) -> Any:
    """Read a channel of a pixel; 0 outside the image."""
    inside = 0 <= y < raw.shape[0] and 0 <= x < raw.shape[1]
    return int(raw[y, x, channel]) if inside else 0
