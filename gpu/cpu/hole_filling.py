"""Fill holes, a band of rows on each core, as gpu.reference.hole_filling.

What a hole finds above is carried down from row to row, and what it finds below, up; only the
band's first row and its last look across the whole image.
"""

from functools import partial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gpu.cpu.cores import on_all_cores, shares
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS
from gpu.reference.hole_filling import is_at_edge, is_occlusion, median


def hole_filling(
    filtered: NDArray[np.int16], disparity: NDArray[np.int16], min_disparity: int
) -> None:
    """Copy the disparity and fill the holes."""
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    on_all_cores(
        [
            partial(_fill, filtered, disparity, invalid, top, bottom)
            for top, bottom in shares(filtered.shape[0])
        ]
    )


@njit(cache=True, nogil=True)
def _fill(
    filtered: NDArray[np.int16], disparity: NDArray[np.int16], invalid: int, top: int, bottom: int
) -> None:
    height, width = filtered.shape
    # What a pixel sees up left, up and up right; all of a band, since it is filled from below.
    above = np.empty((bottom - top, 3, width + 2), np.int16)
    below = np.empty((2, 3, width + 2), np.int16)
    across = np.empty((2, width), np.int16)
    gaps = np.empty(width, np.int32)
    outside = np.full((3, width + 2), invalid, np.int16)
    for y in range(top, bottom):
        before = above[y - top - 1] if y > top else outside
        if y == top and top > 0:
            _look_far(filtered, top - 1, -1, invalid, above[0])
            before = above[0].copy()
        _carry(filtered[y], before, above[y - top], invalid)
    before = outside
    for y in range(bottom - 1, top - 1, -1):
        if y == bottom - 1 and bottom < height:
            _look_far(filtered, bottom, 1, invalid, below[(y + 1) % 2])
            before = below[(y + 1) % 2]
        _carry(filtered[y], before, below[y % 2], invalid)
        before = below[y % 2]
        _look_across(filtered[y], across, gaps, invalid)
        _fill_row(filtered[y], above[y - top], before, across, gaps, disparity[y], invalid)


@njit(cache=True)
def _look_far(
    filtered: NDArray[np.int16], row: int, dy: int, invalid: int, found: NDArray[np.int16]
) -> None:
    """Write what each pixel of a row finds there, at itself or beyond, left, ahead and right."""
    height, width = filtered.shape
    found[:] = invalid
    for i in range(3):
        for column in range(width):
            y, x = row, column
            while 0 <= y < height and 0 <= x < width:
                if filtered[y, x] != invalid:
                    found[i, column + 1] = filtered[y, x]
                    break
                y, x = y + dy, x + i - 1


@njit(cache=True)
def _carry(
    row: NDArray[np.int16], before: NDArray[np.int16], found: NDArray[np.int16], invalid: int
) -> None:
    """Write what each pixel of a row finds, from what those of the row before found."""
    found[:, 0], found[:, -1] = invalid, invalid
    for i in range(3):
        seen, carried = before[i], found[i]
        for x in range(row.size):
            carried[x + 1] = row[x] if row[x] != invalid else seen[x + i]


@njit(cache=True)
def _look_across(
    row: NDArray[np.int16], across: NDArray[np.int16], gaps: NDArray[np.int32], invalid: int
) -> None:
    """Write what each pixel finds on its left and right, and the holes between the two."""
    start = 0
    while start < row.size:
        end = start
        while end < row.size and row[end] == invalid:
            end += 1
        across[0, start:end] = row[start - 1] if start > 0 else invalid
        across[1, start:end] = row[end] if end < row.size else invalid
        gaps[start:end] = end - start
        start = end + 1


@njit(cache=True)
def _fill_row(
    row: NDArray[np.int16],
    above: NDArray[np.int16],
    below: NDArray[np.int16],
    across: NDArray[np.int16],
    gaps: NDArray[np.int32],
    disparity: NDArray[np.int16],
    invalid: int,
) -> None:
    found = np.empty(8, np.int64)
    for x in range(row.size):
        disparity[x] = row[x]
        if row[x] != invalid:
            continue
        left, right = across[0, x], across[1, x]
        if right != invalid and (left == invalid or is_at_edge(right, x)):
            disparity[x] = right
            continue
        if right != invalid and is_occlusion(left, right, gaps[x]):
            disparity[x] = left
            continue
        count = 0
        for i in range(8):
            value = across[i, x] if i < 2 else above[i - 2, x + 1] if i < 5 else below[i - 5, x + 1]
            if value != invalid:
                found[count] = value
                count += 1
        if count > 0:
            disparity[x] = median(found, count)
