"""Convert video and rectify views on all cores, with the results of gpu.reference.input_views."""

from collections.abc import Callable
from functools import partial
from typing import Any

import cv2
import numpy as np
from numba import int32, uint32
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.cpu.cores import on_all_cores, shares, with_room
from wheatstone.gpu.image import Int16, Int32, Uint8
from wheatstone.gpu.pipelines.nv12 import CHANNELS
from wheatstone.gpu.pipelines.rectify import OUTSIDE
from wheatstone.gpu.reference.input_views import (
    GREY,
    colour_rows,
    rectified,
    rectified_grey,
)


def rectify(
    raw_left: Uint8, raw_right: Uint8, left_map: Int16, right_map: Int16, left: Uint8, right: Uint8
) -> None:
    """Write the grey level of each rectified pixel, from the bilinear mean of four raw pixels.

    Where all four taps are inside, which is nearly everywhere, they are read without checks.
    """
    by_rows(_grey_rows, (raw_left, left_map, left), (raw_right, right_map, right))


def by_rows(write: Callable[..., None], *views: tuple[Any, ...]) -> None:
    """Call ``write`` for groups of rows of each view, on all cores."""
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
    """Write each rectified pixel's channels: the bilinear means of four raw pixels."""
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
    _grey_of_views(first, (right_luma, right_chroma, coefficients, right))


def grey_of(luma: Uint8, chroma: Uint8, coefficients: Int32, grey: Uint8) -> Uint8:
    """Write and return the grey levels of one view, computed as in ``grey_conversion``."""
    _grey_of_views((luma, chroma, coefficients, grey))
    return grey


def _grey_of_views(*views: tuple[Uint8, Uint8, Int32, Uint8]) -> None:
    height, width = views[0][0].shape
    calls = [
        with_room(partial(_differences, width), _grey_of_rows, *view, *rows)
        for rows in shares(height)
        for view in views
    ]
    on_all_cores(calls)


def _differences(width: int) -> tuple[NDArray[np.int32], ...]:
    """Allocate a row of the terms that chroma adds to red, green and blue."""
    return (np.empty((3, width + 1), np.int32),)


@compiled
def _grey_of_rows(
    luma: Uint8, chroma: Uint8, known: Int32, grey: Uint8, top: int, bottom: int, added: Int32
) -> None:
    """Write grey levels of rows as ``grey_rows`` does, with shared chroma terms of two pixels.

    In 32 bits and without branches: then the compiler computes 8 or 16 pixels at a time.
    """
    black, factor, width = int32(known[0]), int32(known[1]), luma.shape[1]
    least, most = int32(0), int32(255)
    reds, greens, blues = added[0], added[1], added[2]
    for y in range(top, bottom):
        if y == top or y % 2 == 0:
            differences = chroma[y >> 1]
            for place in range(len(differences)):
                u, v = int32(differences[place, 0]) - 128, int32(differences[place, 1]) - 128
                red, green = int32(known[2] * v), int32(known[3] * u + known[4] * v)
                blue = int32(known[5] * u)
                for x in (2 * place, 2 * place + 1):
                    reds[x], greens[x], blues[x] = red, green, blue
        levels, out = luma[y], grey[y]
        for x in range(width):
            level = int32(int32(factor * int32(levels[x] - black)) + 8192)
            red = min(max(int32(int32(level + reds[x]) >> 14), least), most)
            green = min(max(int32(int32(level + greens[x]) >> 14), least), most)
            blue = min(max(int32(int32(level + blues[x]) >> 14), least), most)
            weighted = int32(int32(GREY[0] * red) + int32(GREY[1] * green))
            out[x] = int32(int32(weighted + int32(GREY[2] * blue)) + 16384) >> 15


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
