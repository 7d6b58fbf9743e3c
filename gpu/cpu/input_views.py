"""Convert decoded video and rectify views on all cores, as gpu.reference.input_views."""

from collections.abc import Callable
from functools import partial
from typing import Any

import cv2
import numpy as np
from numba import int32, uint32

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.cpu.cores import on_all_cores, shares
from wheatstone.gpu.image import Int16, Int32, Uint8
from wheatstone.gpu.pipelines.nv12 import CHANNELS
from wheatstone.gpu.pipelines.rectify import OUTSIDE
from wheatstone.gpu.reference.input_views import (
    GREY,
    colour_rows,
    grey_rows,
    rectified,
    rectified_grey,
)


def rectify(
    raw_left: Uint8, raw_right: Uint8, left_map: Int16, right_map: Int16, left: Uint8, right: Uint8
) -> None:
    """Write for each pixel the grey level of the bilinear mean of four raw pixels.

    Where all four taps are inside, which is nearly everywhere, they are read without checks.
    """
    by_rows(_grey_rows, (raw_left, left_map, left), (raw_right, right_map, right))


def by_rows(write: Callable[..., None], *views: tuple[Any, ...]) -> None:
    """Call ``write`` for shares of the rows of each view, on all cores."""
    height = views[0][0].shape[0]
    on_all_cores([partial(write, *view, *rows) for rows in shares(height) for view in views])


@compiled
def _grey_rows(raw: Uint8, view_map: Int16, grey: Uint8, top: int, bottom: int) -> None:
    height, width = grey.shape
    for y in range(top, bottom):
        for x in range(width):
            across, down = int32(view_map[y, x, 0]), int32(view_map[y, x, 1])
            row, column = uint32(y + (down >> 5)), uint32(x + (across >> 5))
            if across == OUTSIDE or row >= height - 1 or column >= width - 1:
                grey[y, x] = rectified_grey(raw, view_map, y, x)
                continue
            fx, fy, level = across & 31, down & 31, 16384
            for channel in range(3):
                above = (32 - fx) * raw[row, column, channel] + fx * raw[row, column + 1, channel]
                below = (32 - fx) * raw[row + 1, column, channel]
                below += fx * raw[row + 1, column + 1, channel]
                level += GREY[channel] * (((32 - fy) * above + fy * below + 512) >> 10)
            grey[y, x] = level >> 15


def rectify_colours(
    raw_left: Uint8,
    raw_right: Uint8,
    left_map: Int16,
    right_map: Int16,
    rectified_left: Uint8,
    rectified_right: Uint8,
) -> None:
    """Write for each pixel and channel the bilinear mean of four raw pixels."""
    views = (raw_left, left_map, rectified_left), (raw_right, right_map, rectified_right)
    by_rows(_colour_rows, *views)


@compiled
def _colour_rows(raw: Uint8, view_map: Int16, out: Uint8, top: int, bottom: int) -> None:
    height, width = out.shape[:2]
    for y in range(top, bottom):
        for x in range(width):
            across, down = int32(view_map[y, x, 0]), int32(view_map[y, x, 1])
            row, column = uint32(y + (down >> 5)), uint32(x + (across >> 5))
            if across == OUTSIDE or row >= height - 1 or column >= width - 1:
                for channel in range(4):
                    out[y, x, channel] = rectified(raw, view_map, y, x, channel)
                continue
            fx, fy = across & 31, down & 31
            for channel in range(4):
                above = (32 - fx) * raw[row, column, channel] + fx * raw[row, column + 1, channel]
                below = (32 - fx) * raw[row + 1, column, channel]
                below += fx * raw[row + 1, column + 1, channel]
                out[y, x, channel] = ((32 - fy) * above + fy * below + 512) >> 10


def grey_conversion(
    left_luma: Uint8,
    left_chroma: Uint8,
    right_luma: Uint8,
    right_chroma: Uint8,
    coefficients: Int32,
    left: Uint8,
    right: Uint8,
) -> None:
    """Write the grey level of each pixel of both views."""
    first = left_luma, left_chroma, coefficients, left
    by_rows(grey_rows, first, (right_luma, right_chroma, coefficients, right))


def colour_conversion(
    left_luma: Uint8,
    left_chroma: Uint8,
    right_luma: Uint8,
    right_chroma: Uint8,
    coefficients: Int32,
    decoded_left: Uint8,
    decoded_right: Uint8,
) -> None:
    """Write red, green, blue and 255 for each pixel of both views."""
    left = left_luma, left_chroma, coefficients, decoded_left
    by_rows(colour_rows, left, (right_luma, right_chroma, coefficients, decoded_right))


def colours_of(luma: Uint8, chroma: Uint8, coefficients: Int32) -> Uint8:
    """Convert one view to (H, W, 3) RGB; the arguments are those of ``colour_conversion``."""
    colours = np.empty((*luma.shape, CHANNELS), np.uint8)
    by_rows(colour_rows, (luma, chroma, coefficients, colours))
    return np.asarray(cv2.cvtColor(colours, cv2.COLOR_RGBA2RGB), np.uint8)
