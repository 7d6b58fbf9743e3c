"""Compute the census transform, a row at a time, as gpu.reference.census_transform."""

from functools import partial

import numpy as np
from numba import njit, uint32
from numpy.typing import NDArray

from gpu.cpu.cores import on_all_cores, shares
from gpu.reference.census_transform import PAIRS

RADIUS_Y, RADIUS_X = 3, 4  # of the largest window


def census_transform(
    left: NDArray[np.uint8],
    right: NDArray[np.uint8],
    left_descriptor: NDArray[np.uint32],
    right_descriptor: NDArray[np.uint32],
    cost: str,
) -> None:
    """Write the census word of every pixel of both views."""
    pairs = np.array(PAIRS[cost], dtype=np.int64)
    of_mean = cost == "census-mean"
    views = (left, left_descriptor), (right, right_descriptor)
    on_all_cores(
        [
            partial(_census, image, words, pairs, of_mean, top, bottom)
            for image, words in views
            for top, bottom in shares(left.shape[0])
        ]
    )


@njit(cache=True, nogil=True)
def _census(
    image: NDArray[np.uint8],
    words: NDArray[np.uint32],
    pairs: NDArray[np.int64],
    of_mean: bool,
    top: int,
    bottom: int,
) -> None:
    height, width = image.shape
    rows = np.empty((bottom - top + 2 * RADIUS_Y, width + 2 * RADIUS_X), np.uint16)
    for i in range(rows.shape[0]):
        _pad(image[min(max(top - RADIUS_Y + i, 0), height - 1)], rows[i])
    firsts, seconds = (_sums(rows), np.uint16(9) * rows) if of_mean else (rows, rows)
    for y in range(top, bottom):
        _census_row(firsts[y - top :], seconds[y - top :], words[y], pairs)


@njit(cache=True)
def _pad(row: NDArray[np.uint8], padded: NDArray[np.uint16]) -> None:
    """Copy a row, repeating its ends."""
    padded[:RADIUS_X] = row[0]
    padded[RADIUS_X : RADIUS_X + row.size] = row
    padded[RADIUS_X + row.size :] = row[-1]


@njit(cache=True)
def _sums(rows: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Sum of the 3x3 pixels around each but the outermost."""
    columns = rows[:-2] + rows[1:-1] + rows[2:]
    sums = np.zeros_like(rows)
    sums[1:-1, 1:-1] = columns[:, :-2] + columns[:, 1:-1] + columns[:, 2:]
    return sums


@njit(cache=True)
def _census_row(
    firsts: NDArray[np.uint16],
    seconds: NDArray[np.uint16],
    words: NDArray[np.uint32],
    pairs: NDArray[np.int64],
) -> None:
    """Write a row of words; what is compared begins ``RADIUS_Y`` above it."""
    words[:] = 0
    for (first_dy, first_dx), (second_dy, second_dx) in pairs:
        # Whole rows rather than whole words: the loop over x is the one that vectorises.
        first = firsts[RADIUS_Y + first_dy, RADIUS_X + first_dx :]
        second = seconds[RADIUS_Y + second_dy, RADIUS_X + second_dx :]
        for x in range(words.size):
            words[x] = words[x] << uint32(1) | uint32(first[x] > second[x])
