"""Smooth an image by a Gaussian, row by row, as gpu.reference.gaussian_filter.

In `opencv` all sums are exact, so rows and columns are summed separately. In the Aveiro conventions
every pixel keeps the order of its sum, and the pixels of a row are computed together.
"""

from functools import partial

import numpy as np

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_all_cores
from wheatstone.gpu.cpu.rows import copy, fill
from wheatstone.gpu.image import Float32, Uint8, Uint16, Uint32
from wheatstone.gpu.reference.gaussian_weights import gaussian_weights, whole_row
from wheatstone.gpu.reference.mean_filter import reflected

ROWS = 64  # a call's share: large against the rows above and below that it sums, too


def gaussian_filter(
    left: Uint8, smoothed: Uint16, weights: Float32, sigma: float, convention: str
) -> None:
    """Write the weights and the smoothed image, with the rows divided among the cores."""
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
            _add_across(padded[radius + dx :], np.uint16(weights[abs(dx)]), across[i])
    sums = np.empty(width, np.uint32)
    for y in range(top, bottom):
        fill(sums, 32768)
        for dy in range(-radius, radius + 1):
            _add_down(across[y - top + radius + dy], weights[abs(dy)], sums)
        _divide(sums, smoothed[y])


@helper
def _pad(row: Uint8, padded: Uint8, radius: int) -> None:
    width = row.size
    copy(row, padded[radius:])
    for i in range(radius):
        padded[i] = row[reflected(i - radius, width)]
        padded[radius + width + i] = row[reflected(width + i, width)]


@helper
def _add_across(row: Uint8, weight: np.uint16, sums: Uint16) -> None:
    for x in range(sums.size):
        sums[x] += weight * row[x]


@helper
def _add_down(row: Uint16, weight: np.uint32, sums: Uint32) -> None:
    for x in range(sums.size):
        sums[x] += weight * row[x]


@helper
def _divide(sums: Uint32, row: Uint16) -> None:
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
