"""Rectify both views, a share of the rows at a time.  Computes gpu.reference.rectify.

Where all four taps are inside, which is nearly everywhere, they are read without a question.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import int32, njit
from numpy.typing import NDArray

from gpu.cpu.cores import on_all_cores, shares
from gpu.reference.rectify import OUTSIDE
from gpu.reference.rectify import rectified as rectified_anywhere

Pixels = NDArray[np.uint8]
Map = NDArray[np.int16]


def rectify(
    raw_left: Pixels, raw_right: Pixels, left_map: Map, right_map: Map, left: Pixels, right: Pixels
) -> None:
    """Write for each pixel the grey level of the bilinear mean of four raw pixels."""
    by_rows(_grey_rows, (raw_left, left_map, left), (raw_right, right_map, right))


def by_rows(write: Callable[..., None], *views: tuple[Any, Any, Any]) -> None:
    """Let ``write`` make the rows of each view from its raw pixels and its map."""
    height = views[0][0].shape[0]
    on_all_cores([partial(write, *view, *rows) for rows in shares(height) for view in views])


@njit(cache=True, nogil=True)
def _grey_rows(raw: Pixels, view_map: Map, grey: Pixels, top: int, bottom: int) -> None:
    """Write rows ``top`` to ``bottom`` - 1 of one view."""
    for y in range(top, bottom):
        for x in range(raw.shape[1]):
            red, green, blue, _ = rectified(raw, view_map, y, x)
            grey[y, x] = (9798 * red + 19235 * green + 3735 * blue + 16384) >> 15


@njit(cache=True, nogil=True, inline="always")
def rectified(raw: Pixels, view_map: Map, y: int, x: int) -> Any:
    """Compute all channels of a pixel."""
    across, down = int32(view_map[y, x, 0]), int32(view_map[y, x, 1])
    row, column = y + (down >> 5), x + (across >> 5)
    height, width = raw.shape[:2]
    if across == OUTSIDE or not (0 <= row < height - 1 and 0 <= column < width - 1):
        return (
            rectified_anywhere(raw, view_map, y, x, 0),
            rectified_anywhere(raw, view_map, y, x, 1),
            rectified_anywhere(raw, view_map, y, x, 2),
            rectified_anywhere(raw, view_map, y, x, 3),
        )
    fx, fy = across & 31, down & 31
    return (
        _mean(raw, row, column, fx, fy, 0),
        _mean(raw, row, column, fx, fy, 1),
        _mean(raw, row, column, fx, fy, 2),
        _mean(raw, row, column, fx, fy, 3),
    )


@njit(cache=True, nogil=True, inline="always")
def _mean(raw: Pixels, row: int, column: int, fx: int, fy: int, channel: int) -> Any:
    """Compute a channel's mean of four pixels that are all inside."""
    above = (32 - fx) * raw[row, column, channel] + fx * raw[row, column + 1, channel]
    below = (32 - fx) * raw[row + 1, column, channel] + fx * raw[row + 1, column + 1, channel]
    return ((32 - fy) * above + fy * below + 512) >> 10
