"""Invert and smooth images on all cores, with the same results as gpu.reference.image_filters."""

from functools import partial

import numpy as np
from numba import float32, uint8

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import copy, core_count, fill, on_all_cores, shares
from wheatstone.gpu.image import Float32, Int32, Uint8, Uint16, Uint32
from wheatstone.gpu.pipelines.canny.params import gaussian_weights, whole_row
from wheatstone.gpu.reference.image_filters import reflected


def invert(left: Uint8, inverted: Uint8) -> None:
    """Write the negative of each pixel, which is the complement of its bits."""
    rows = -(-left.shape[0] // core_count())
    on_all_cores(
        [
            partial(np.invert, left[top : top + rows], inverted[top : top + rows])
            for top in range(0, left.shape[0], rows)
        ]
    )


SHARES = 4  # of each core: enough to even out, few enough that starting one costs little


def mean_filter(left: Uint8, mean: Uint8, radius: int, convention: str) -> None:
    """Write the mean of each pixel's window.

    Sums of columns slide down the image, adding one row and removing another; a window consists of
    sums of 1, 2, 4 and 8 neighbouring columns. All of them fit 16 bits: 15 * 15 * 255 < 2 ** 16.
    """
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
    """Write the sum of ``window`` consecutive row elements, for every start position.

    ``window`` is odd. Its binary digits select the sums of 1, 2, 4, ... neighbours to be added.
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
    """Set the pixels of a row to 0 whose windows extend beyond the image."""
    if not inside or mean.size <= 2 * radius:
        fill(mean, 0)
    else:
        fill(mean[:radius], 0)
        fill(mean[mean.size - radius :], 0)


ROWS = 64  # a call's share: large against the rows above and below that it also sums


def gaussian_filter(
    left: Uint8, smoothed: Uint16, weights: Float32, sigma: float, convention: str
) -> None:
    """Write the weights and the smoothed image, with the rows divided among the cores.

    In `opencv` all sums are exact, so rows and columns are summed separately. In the Aveiro
    conventions every pixel keeps the order of its sum, and the pixels of a row are computed
    together.
    """
    weights[:] = gaussian_weights(sigma, convention)
    height, radius = left.shape[0], weights.shape[0] - 1
    shares = [(top, min(top + ROWS, height)) for top in range(0, height, ROWS)]
    if convention == "opencv":
        row = np.array(whole_row(sigma, radius), np.uint32)
        on_all_cores([partial(_reflecting, left, smoothed, row, *rows) for rows in shares])
    else:
        step = 1 if convention == "aveiro-2015" else -1
        on_all_cores([partial(_framed, left, smoothed, weights, step, *rows) for rows in shares])


@compiled
def _reflecting(left: Uint8, smoothed: Uint16, weights: Uint32, top: int, bottom: int) -> None:
    height, width = left.shape
    radius = weights.size - 1
    across = np.empty((bottom - top + 2 * radius, width), np.uint16)  # at most 255 * 256
    padded = np.empty(width + 2 * radius, np.uint8)
    for i in range(across.shape[0]):
        _pad(left[reflected(top - radius + i, height)], padded, radius)
        fill(across[i], 0)
        for dx in range(-radius, radius + 1):
            _add_weighted(padded[radius + dx :], np.uint16(weights[abs(dx)]), across[i])
    sums = np.empty(width, np.uint32)
    for y in range(top, bottom):
        fill(sums, 32768)
        for dy in range(-radius, radius + 1):
            _add_weighted(across[y - top + radius + dy], weights[abs(dy)], sums)
        _divide_by_weights(sums, smoothed[y])


@helper
def _pad(row: Uint8, padded: Uint8, radius: int) -> None:
    width = row.size
    copy(row, padded[radius:])
    for i in range(radius):
        padded[i] = row[reflected(i - radius, width)]
        padded[radius + width + i] = row[reflected(width + i, width)]


@helper
def _add_weighted(
    row: Uint8 | Uint16, weight: np.uint16 | np.uint32, sums: Uint16 | Uint32
) -> None:
    for x in range(sums.size):
        sums[x] += weight * row[x]


@helper
def _divide_by_weights(sums: Uint32, row: Uint16) -> None:
    for x in range(row.size):
        row[x] = sums[x] >> 16


@compiled
def _framed(
    left: Uint8, smoothed: Uint16, weights: Float32, step: int, top: int, bottom: int
) -> None:
    height, width = left.shape
    radius = weights.shape[0] - 1
    sums = np.empty(width - 2 * radius, np.float32)
    for y in range(top, bottom):
        fill(smoothed[y], 0)
        if not radius <= y < height - radius:
            continue
        fill(sums, 0)
        for dy in range(-radius, radius + 1):
            row = left[y + step * dy]
            for dx in range(-radius, radius + 1):
                _add_rounded(row[radius + step * dx :], weights[abs(dy), abs(dx)], sums)
        _truncate(sums, smoothed[y, radius : width - radius])


@helper
def _add_rounded(row: Uint8, weight: np.float32, sums: Float32) -> None:
    for x in range(sums.size):
        sums[x] += np.float32(row[x]) * weight


@helper
def _truncate(sums: Float32, row: Uint16) -> None:
    for x in range(row.size):
        row[x] = int(sums[x])


def intensity_normalization(smoothed: Uint16, blurred: Uint8, peak: Int32) -> None:
    """Stretch the grey levels so that the largest becomes 255, with the rows divided among cores.

    Each core searches its rows for the largest value; then a table gives the new levels.
    """
    rows = list(shares(smoothed.shape[0]))
    peaks = np.empty(len(rows), np.int32)
    on_all_cores([partial(_peak, smoothed, peaks, i, *share) for i, share in enumerate(rows)])
    peak[0] = peaks.max()
    table = (255 * np.arange(peak[0] + 1) // max(peak[0], 1)).astype(np.uint8)
    on_all_cores([partial(_look_up, smoothed, table, blurred, *share) for share in rows])


@compiled
def _peak(smoothed: Uint16, peaks: Int32, index: int, top: int, bottom: int) -> None:
    largest = np.uint16(0)
    for y in range(top, bottom):
        for x in range(smoothed.shape[1]):
            largest = max(largest, smoothed[y, x])
    peaks[index] = largest


@compiled
def _look_up(smoothed: Uint16, table: Uint8, blurred: Uint8, top: int, bottom: int) -> None:
    for y in range(top, bottom):
        for x in range(smoothed.shape[1]):
            blurred[y, x] = table[smoothed[y, x]]
