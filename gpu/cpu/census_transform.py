"""Compute the census transform, row by row, as gpu.reference.census_transform."""

from functools import partial

import numpy as np
from numba import uint16, uint32

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_all_cores, share_rows, shares, with_room
from wheatstone.gpu.cpu.rows import fill, widen
from wheatstone.gpu.image import Int64, Uint8, Uint16, Uint32
from wheatstone.gpu.reference.census_transform import PAIRS

RADIUS_Y, RADIUS_X = 3, 4  # of the largest window


def census_transform(
    left: Uint8, right: Uint8, left_descriptor: Uint32, right_descriptor: Uint32, cost: str
) -> None:
    """Write the census word of every pixel of both views."""
    pairs = np.array(PAIRS[cost], dtype=np.int64)
    of_mean = cost == "census-mean"
    room = partial(_rows, *left.shape)
    views = (left, left_descriptor), (right, right_descriptor)
    on_all_cores(
        [
            with_room(room, _census, image, words, pairs, of_mean, top, bottom)
            for image, words in views
            for top, bottom in shares(left.shape[0])
        ]
    )


def _rows(height: int, width: int) -> tuple[Uint16]:
    """Allocate both values compared for a share of the rows, and the sums of columns."""
    rows = share_rows(height) + 2 * RADIUS_Y
    return (np.empty((3, rows, width + 2 * RADIUS_X), np.uint16),)


@compiled
def _census(
    image: Uint8, words: Uint32, pairs: Int64, of_mean: bool, top: int, bottom: int, scratch: Uint16
) -> None:
    height, rows = image.shape[0], scratch[0]
    count = bottom - top + 2 * RADIUS_Y
    for i in range(count):
        widen(image[min(max(top - RADIUS_Y + i, 0), height - 1)], rows[i], RADIUS_X)
    firsts = scratch[1] if of_mean else rows
    for i in range(1, count - 1 if of_mean else 0):
        _sum(rows[i - 1], rows[i], rows[i + 1], scratch[2, 0], firsts[i])
    for i in range(count if of_mean else 0):
        _multiply(rows[i])
    for y in range(top, bottom):
        _census_row(firsts[y - top :], rows[y - top :], words[y], pairs)


@helper
def _sum(above: Uint16, here: Uint16, below: Uint16, columns: Uint16, sums: Uint16) -> None:
    """Sum the 3x3 pixels around each pixel of a row, except the outermost."""
    left, middle, right = columns, columns[1:], columns[2:]
    for x in range(columns.size):
        columns[x] = above[x] + here[x] + below[x]
    inner = sums[1:]
    for x in range(columns.size - 2):
        inner[x] = left[x] + middle[x] + right[x]


@helper
def _multiply(row: Uint16) -> None:
    for x in range(row.size):
        row[x] *= uint16(9)


@helper
def _census_row(firsts: Uint16, seconds: Uint16, words: Uint32, pairs: Int64) -> None:
    """Write a row of census words; the values compared begin ``RADIUS_Y`` rows above it."""
    fill(words, 0)
    for i in range(pairs.shape[0]):
        # Whole rows rather than whole words: the loop over x is the one that vectorises.
        first = firsts[RADIUS_Y + pairs[i, 0, 0], RADIUS_X + pairs[i, 0, 1] :]
        second = seconds[RADIUS_Y + pairs[i, 1, 0], RADIUS_X + pairs[i, 1, 1] :]
        for x in range(words.size):
            words[x] = words[x] << uint32(1) | uint32(first[x] > second[x])
