"""Reject islands and fill holes on all cores; same results as gpu.reference.speckles_and_holes."""

from functools import partial
from itertools import pairwise

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import core_count, on_all_cores, on_rows, share_rows
from wheatstone.gpu.image import Int16, Int32, Int64
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS
from wheatstone.gpu.reference.speckles_and_holes import (
    connected,
    first_of,
    is_at_edge,
    is_occlusion,
    median,
    unite,
)

BANDS = 4  # of each core: enough to even out, few enough that few islands cross


def speckle_filter(
    consistent: Int16,
    filtered: Int16,
    islands: Int32,
    island_sizes: Int32,
    min_disparity: int,
    speckle_size: int,
    speckle_range: int,
) -> None:
    """Copy the disparity, but mark the pixels of small islands invalid.

    Each core labels and counts islands within its bands of rows; one core unites the islands across
    the borders of bands.
    """
    height = consistent.shape[0]
    count = min(BANDS * core_count(), height)
    borders = [height * i // count for i in range(count + 1)]
    invalid, step = (min_disparity - 1) * SUBPIXEL_STEPS, speckle_range * SUBPIXEL_STEPS
    images = consistent, islands.reshape(-1), island_sizes.reshape(-1), invalid
    on_all_cores([partial(_find, *images, step, *rows) for rows in pairwise(borders)])
    _cross(*images, step, np.array(borders[1:-1], np.int64))
    on_rows(height, _select, *images, filtered, speckle_size)


@compiled
def _find(
    consistent: Int16, labels: Int32, sizes: Int32, invalid: int, step: int, top: int, bottom: int
) -> None:
    """Label the islands of a band and write their sizes at the first pixel of each."""
    width = consistent.shape[1]
    for y in range(top, bottom):
        row, above = consistent[y], consistent[max(y - 1, top)]
        for x in range(width):
            pixel = y * width + x
            joins_left = x > 0 and connected(row[x], row[x - 1], invalid, step)
            labels[pixel], sizes[pixel] = labels[pixel - 1] if joins_left else pixel, 0
            if y == top or not connected(row[x], above[x], invalid, step):
                continue
            # Where left, above and above left hang together, the left pixel has united the two.
            square = joins_left and connected(above[x], above[x - 1], invalid, step)
            if not (square and connected(row[x - 1], above[x - 1], invalid, step)):
                unite(labels, pixel, pixel - width)
    for pixel in range(top * width, bottom * width):
        labels[pixel] = labels[labels[pixel]]
        sizes[labels[pixel]] += 1


@compiled
def _cross(
    consistent: Int16, labels: Int32, sizes: Int32, invalid: int, step: int, borders: Int64
) -> None:
    """Unite the islands on both sides of each border between bands."""
    width = consistent.shape[1]
    for y in borders:
        for x in range(width):
            if connected(consistent[y, x], consistent[y - 1, x], invalid, step):
                earlier, later = unite(labels, y * width + x, (y - 1) * width + x)
                sizes[earlier] += sizes[later] if later != earlier else 0


@compiled
def _select(
    consistent: Int16,
    labels: Int32,
    sizes: Int32,
    invalid: int,
    filtered: Int16,
    speckle_size: int,
    top: int,
    bottom: int,
) -> None:
    width = consistent.shape[1]
    for y in range(top, bottom):
        for x in range(width):
            pixel = y * width + x
            if consistent[y, x] == invalid:
                labels[pixel], sizes[pixel], filtered[y, x] = -1, 0, invalid
                continue
            # Other cores follow these labels meanwhile: they lead to the same first pixel.
            labels[pixel] = first_of(labels, pixel)
            sizes[pixel] = sizes[labels[pixel]]
            filtered[y, x] = consistent[y, x] if sizes[pixel] > speckle_size else invalid


Sights = Int16


def hole_filling(filtered: Int16, filled: Int16, min_disparity: int) -> None:
    """Copy the disparity and fill its holes.

    The valid disparity above a hole is carried down from row to row, the one below it up; only the
    first and the last row of a band search the whole image.
    """
    room = partial(_sights, *filtered.shape)
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    on_rows(filtered.shape[0], _fill, filtered, filled, invalid, room=room)


def _sights(height: int, width: int) -> tuple[Sights, Int32, Int64]:
    """Allocate a band's arrays for filling holes: nearest valid values, and widths of holes.

    First the values up left, up and up right of the row before the band and of all its rows, since
    it is filled from below; then downwards, of the row after it and two rows in turns; then left
    and right.
    """
    sights = np.empty((1 + share_rows(height) + 3 + 1, 3, width + 2), np.int16)
    return sights, np.empty(width, np.int32), np.empty(8, np.int64)


@compiled
def _fill(
    filtered: Int16,
    disparity: Int16,
    invalid: int,
    top: int,
    bottom: int,
    sights: Sights,
    gaps: Int32,
    values: Int64,
) -> None:
    height, rows = filtered.shape[0], bottom - top
    _look_far(filtered, top - 1, int64(-1), invalid, sights[0])
    for i in range(rows):
        _carry(filtered[top + i], sights[i], sights[i + 1], invalid)
    below, across = sights[rows + 1 :], sights[rows + 4]
    _look_far(filtered, bottom if bottom < height else -1, int64(1), invalid, below[rows % 2])
    for i in range(rows - 1, -1, -1):
        row, seen = filtered[top + i], below[i % 2]
        _carry(row, below[(i + 1) % 2], seen, invalid)
        _look_across(row, across, gaps, invalid)
        _fill_row(row, sights[i + 1], seen, across, gaps, disparity[top + i], invalid, values)


@helper
def _look_far(filtered: Int16, row: int, dy: int, invalid: int, sights: Int16) -> None:
    """Write the first valid value seen from each pixel of a row in three directions.

    The directions are ``dy`` and its diagonals. A row of -1 is outside the image: all values are
    invalid.
    """
    height, width = filtered.shape
    for i in range(3):
        for column in range(-1, width + 1):
            sights[i, column + 1] = invalid
            y, x = row, column
            while 0 <= y < height and 0 <= x < width:
                if filtered[y, x] != invalid:
                    sights[i, column + 1] = filtered[y, x]
                    break
                y, x = y + dy, x + i - 1


@helper
def _carry(row: Int16, before: Int16, sights: Int16, invalid: int) -> None:
    """Write each pixel's nearest valid values in three directions, from those of the row before."""
    for i in range(3):
        seen, carried = before[i], sights[i]
        carried[0], carried[row.size + 1] = invalid, invalid
        for x in range(row.size):
            carried[x + 1] = row[x] if row[x] != invalid else seen[x + i]


@helper
def _look_across(row: Int16, across: Int16, gaps: Int32, invalid: int) -> None:
    """Write each hole's nearest valid values to the left and right, and the width of the hole."""
    start = 0
    while start < row.size:
        end = start
        while end < row.size and row[end] == invalid:
            end += 1
        for x in range(start, end):
            across[0, x] = row[start - 1] if start > 0 else invalid
            across[1, x] = row[end] if end < row.size else invalid
            gaps[x] = end - start
        start = end + 1


@helper
def _fill_row(
    row: Int16,
    above: Int16,
    below: Int16,
    across: Int16,
    gaps: Int32,
    disparity: Int16,
    invalid: int,
    values: Int64,
) -> None:
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
        count = int64(0)  # a constant is another type
        for i in range(8):
            value = across[i, x] if i < 2 else above[i - 2, x + 1] if i < 5 else below[i - 5, x + 1]
            if value != invalid:
                values[count] = value
                count += 1
        if count > 0:
            disparity[x] = median(values, count)
