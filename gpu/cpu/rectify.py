"""Rectify both views, a share of the rows at a time, as gpu.reference.rectify.

Where all four taps are inside, which is nearly everywhere, they are read without checks.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from numba import int32, uint32

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.cpu.cores import on_all_cores, shares
from wheatstone.gpu.image import Int16, Uint8
from wheatstone.gpu.pipelines.rectify.images import OUTSIDE
from wheatstone.gpu.reference.rectify import GREY, rectified_grey

Pixels = Uint8
Map = Int16


def rectify(
    raw_left: Pixels, raw_right: Pixels, left_map: Map, right_map: Map, left: Pixels, right: Pixels
) -> None:
    """Write for each pixel the grey level of the bilinear mean of four raw pixels."""
    by_rows(_grey_rows, (raw_left, left_map, left), (raw_right, right_map, right))


def by_rows(write: Callable[..., None], *views: tuple[Any, Any, Any]) -> None:
    """Call ``write`` for shares of the rows of each view, on all cores."""
    height = views[0][0].shape[0]
    on_all_cores([partial(write, *view, *rows) for rows in shares(height) for view in views])


@compiled
def _grey_rows(raw: Pixels, view_map: Map, grey: Pixels, top: int, bottom: int) -> None:
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
