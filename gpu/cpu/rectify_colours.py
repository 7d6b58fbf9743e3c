"""Rectify both views in colours on all cores.  Computes gpu.reference.rectify_colours."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gpu.cpu.rectify import by_rows, rectified

Pixels = NDArray[np.uint8]
Map = NDArray[np.int16]


def rectify_colours(
    raw_left: Pixels,
    raw_right: Pixels,
    left_map: Map,
    right_map: Map,
    rectified_left: Pixels,
    rectified_right: Pixels,
) -> None:
    """Write for each pixel and channel the bilinear mean of four raw pixels."""
    views = (raw_left, left_map, rectified_left), (raw_right, right_map, rectified_right)
    by_rows(_colour_rows, *views)


@njit(cache=True, nogil=True)
def _colour_rows(raw: Pixels, view_map: Map, out: Pixels, top: int, bottom: int) -> None:
    """Write rows ``top`` to ``bottom`` - 1 of one view."""
    for y in range(top, bottom):
        for x in range(raw.shape[1]):
            found = rectified(raw, view_map, y, x)
            out[y, x, 0], out[y, x, 1], out[y, x, 2], out[y, x, 3] = found
