"""Reject small islands of disparity, a band per core, as gpu.reference.speckle_filter.

Each core labels and counts within its bands; one core unites islands across their borders.
"""

from functools import partial
from itertools import pairwise

import numpy as np

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.cpu.cores import core_count, on_all_cores, on_rows
from wheatstone.gpu.image import Int16, Int32, Int64
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS
from wheatstone.gpu.reference.speckle_filter import connected, first_of, unite

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
    """Find islands in bands, unite them across borders, then mark the small ones invalid."""
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
            beside = x > 0 and connected(row[x], row[x - 1], invalid, step)
            labels[pixel], sizes[pixel] = labels[pixel - 1] if beside else pixel, 0
            if y == top or not connected(row[x], above[x], invalid, step):
                continue
            # Where left, above and above left hang together, the left pixel has united the two.
            square = beside and connected(above[x], above[x - 1], invalid, step)
            if not (square and connected(row[x - 1], above[x - 1], invalid, step)):
                unite(labels, pixel, pixel - width)
    for pixel in range(top * width, bottom * width):
        labels[pixel] = labels[labels[pixel]]
        sizes[labels[pixel]] += 1


@compiled
def _cross(
    consistent: Int16, labels: Int32, sizes: Int32, invalid: int, step: int, borders: Int64
) -> None:
    """Unite the islands on both sides of each border."""
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
