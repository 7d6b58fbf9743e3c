"""Replace each pixel by the mean of its window, row by row, as gpu.reference.mean_filter.

Sums of columns slide down the image, adding one row and removing another; a window consists of sums
of 1, 2, 4 and 8 neighbouring columns. All of them fit 16 bits: 15 * 15 * 255 < 2 ** 16.
"""

from functools import partial

import numpy as np
from numba import float32, uint8

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import core_count, on_all_cores
from wheatstone.gpu.cpu.rows import fill
from wheatstone.gpu.image import Uint8, Uint16
from wheatstone.gpu.reference.mean_filter import reflected

SHARES = 4  # of each core: enough to even out, few enough that starting one costs little


def mean_filter(left: Uint8, mean: Uint8, radius: int, convention: str) -> None:
    """Write the mean of each pixel's window."""
    height = left.shape[0]
    rows = -(-height // (SHARES * core_count()))
    truncate = convention == "blog"
    on_all_cores(
        [
            partial(_filter, left, mean, radius, truncate, top, min(top + rows, height))
            for top in range(0, height, rows)
        ]
    )


@compiled
def _filter(left: Uint8, mean: Uint8, radius: int, truncate: bool, top: int, bottom: int) -> None:
    height, width = left.shape
    window = 2 * radius + 1
    columns = np.zeros(width + 2 * radius, np.uint16)
    middle = columns[radius : radius + width]
    sums = np.empty(width, np.uint16)
    parts = np.empty((2, columns.size), np.uint16)
    for y in range(top - radius, top + radius + 1):
        _enter(middle, left[reflected(y, height)])
    for y in range(top, bottom):
        _mirror(columns, radius)
        _sum_windows(columns, parts, sums, window)
        _divide(sums, mean[y], window * window, truncate)
        if truncate:
            _blank(mean[y], radius, min(y, height - 1 - y) >= radius)
        entering, leaving = reflected(y + radius + 1, height), reflected(y - radius, height)
        _slide(middle, left[entering], left[leaving])


@helper
def _enter(columns: Uint16, row: Uint8) -> None:
    for x in range(row.size):
        columns[x] += row[x]


@helper
def _slide(columns: Uint16, entering: Uint8, leaving: Uint8) -> None:
    for x in range(columns.size):
        columns[x] += entering[x] - leaving[x]


@helper
def _mirror(columns: Uint16, radius: int) -> None:
    """Extend a row on both sides by its mirror image."""
    width = columns.size - 2 * radius
    for x in range(radius):
        columns[x] = columns[radius + reflected(x - radius, width)]
        columns[radius + width + x] = columns[radius + reflected(width + x, width)]


@helper
def _sum_windows(columns: Uint16, parts: Uint16, sums: Uint16, window: int) -> None:
    """Write for each entry the sum of the ``window`` entries, an odd number, from it on.

    The binary digits of ``window`` select the sums of 1, 2, 4, ... neighbours to be added.
    """
    for x in range(sums.size):
        sums[x] = columns[x]
    part, done, size = columns, 1, 2
    while size <= window:
        wider = parts[0] if size in (2, 8) else parts[1]
        _add(part[: part.size - size // 2], part[size // 2 :], wider)
        if window & size:
            _accumulate(sums, wider[done:])
            done += size
        part, size = wider, size * 2


@helper
def _add(first: Uint16, second: Uint16, sums: Uint16) -> None:
    for x in range(first.size):
        sums[x] = first[x] + second[x]


@helper
def _accumulate(sums: Uint16, values: Uint16) -> None:
    # Apart from _add: arrays that overlap, as these would there, keep a loop from being vectorised.
    for x in range(sums.size):
        sums[x] += values[x]


@helper
def _divide(sums: Uint16, mean: Uint8, area: int, truncate: bool) -> None:
    """Divide sums by ``area``, an odd number, with rounding or truncation.

    Single precision gives vectors of twice the length that integers give here, and is exact: a sum
    and a half, over ``area``, lies 0.5 / 225 or more from an integer, its error is below
    256 * 2 ** -22.
    """
    reciprocal, half = float32(1 / area), float32(0.5 if truncate else area / 2)
    for x in range(mean.size):
        mean[x] = uint8((float32(sums[x]) + half) * reciprocal)


@helper
def _blank(mean: Uint8, radius: int, inside: bool) -> None:
    """Set a row to 0 where windows leave the image."""
    if not inside or mean.size <= 2 * radius:
        fill(mean, 0)
    else:
        fill(mean[:radius], 0)
        fill(mean[mean.size - radius :], 0)
