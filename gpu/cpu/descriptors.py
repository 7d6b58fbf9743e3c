"""Compute the descriptors of both views (census, gradient), on all CPU cores.

The results equal those of ``gpu.reference.descriptors``.
"""

from functools import partial
from typing import Any

import numpy as np
from numba import int16, uint16, uint32
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import fill, on_all_cores, share_rows, shares, widen, with_room
from wheatstone.gpu.image import Int16, Int64, Uint8, Uint16, Uint32
from wheatstone.gpu.pipelines.sgm.params import GRADIENT_REACH
from wheatstone.gpu.reference.descriptors import PAIRS

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
    """Allocate scratch arrays for a core's census rows: two values to compare and column sums."""
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
    """Write the sum of the 3x3 pixels around each pixel of a row, except the outermost."""
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
    """Write a row of census words from two arrays of values that are compared.

    The arrays begin ``RADIUS_Y`` rows above the row.
    """
    fill(words, 0)
    for i in range(pairs.shape[0]):
        # Whole rows rather than whole words: the loop over x is the one that vectorises.
        first = firsts[RADIUS_Y + pairs[i, 0, 0], RADIUS_X + pairs[i, 0, 1] :]
        second = seconds[RADIUS_Y + pairs[i, 1, 0], RADIUS_X + pairs[i, 1, 1] :]
        for x in range(words.size):
            words[x] = words[x] << uint32(1) | uint32(first[x] > second[x])


def horizontal_gradient(
    left: Uint8, right: Uint8, left_gradient: Uint8, right_gradient: Uint8
) -> None:
    """Write the horizontal gradient of every pixel of both views."""
    width = left.shape[1]

    def room() -> tuple[NDArray[Any], ...]:
        """Allocate the scratch row that one call on a core needs."""
        return (np.empty(width + 2, np.int16),)

    on_all_cores(
        [
            with_room(room, _differentiate, image, gradient, top, bottom)
            for image, gradient in ((left, left_gradient), (right, right_gradient))
            for top, bottom in shares(left.shape[0])
        ]
    )


@compiled
def _differentiate(image: Uint8, gradient: Uint8, top: int, bottom: int, weighted: Int16) -> None:
    height = image.shape[0]
    for y in range(top, bottom):
        _weigh(image[max(y - 1, 0)], image[y], image[min(y + 1, height - 1)], weighted)
        _subtract(weighted, gradient[y])


@helper
def _weigh(above: Uint8, here: Uint8, below: Uint8, weighted: Int16) -> None:
    """Sum three rows, with double weight for the middle one, and repeat the end pixels."""
    for x in range(here.size):
        weighted[x + 1] = int16(above[x]) + int16(2) * int16(here[x]) + int16(below[x])
    weighted[0], weighted[here.size + 1] = weighted[1], weighted[here.size]


@helper
def _subtract(weighted: Int16, gradient: Uint8) -> None:
    """Write the right neighbour's sum minus the left one's, clipped to ``GRADIENT_REACH``."""
    for x in range(gradient.size):
        slope = int16(weighted[x + 2] - weighted[x])
        gradient[x] = min(max(slope, int16(-GRADIENT_REACH)), int16(GRADIENT_REACH)) + int16(
            GRADIENT_REACH
        )
