"""Choose edge pixels by thresholds and hysteresis, on all CPU cores.

The results equal those of ``gpu.reference.edges``.
"""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numba import int64
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import core_count, fill, on_all_cores, on_rows, shares
from wheatstone.gpu.image import Int32, Int64, Uint8
from wheatstone.gpu.pipelines.canny.params import GAIN, HISTOGRAM_BINS, STRONG, WEAK
from wheatstone.gpu.reference.edges import KEPT, REJECTED, choose_levels


def automatic_thresholds(
    blurred: Uint8,
    magnitude: Int32,
    suppressed: Int32,
    levels: Int32,
    histogram: Int32,
    thresholds: str,
    aperture: int,
    convention: str,
) -> None:
    """Choose the edge thresholds from a histogram, counted on all cores."""
    images: dict[str, NDArray[Any]] = dict(median=blurred, otsu=suppressed, quantile=magnitude)
    counted = images[thresholds]
    width = 1 if thresholds == "median" else GAIN[aperture]
    rows = list(shares(counted.shape[0]))
    counts = np.empty((len(rows), HISTOGRAM_BINS), np.int32)
    first = 1 if thresholds == "otsu" else 0
    on_all_cores(
        [partial(_count, counted, counts[i], width, first, *row) for i, row in enumerate(rows)]
    )
    counts.sum(axis=0, out=histogram)
    choose_levels(histogram, levels, thresholds, aperture, convention)


@compiled
def _count(
    counted: NDArray[Any], counts: Int32, width: int, first: int, top: int, bottom: int
) -> None:
    """Write a histogram of rows with bins of ``width``; values below ``first`` do not count."""
    fill(counts, 0)
    for y in range(top, bottom):
        for x in range(counted.shape[1]):
            if counted[y, x] >= first:
                counts[counted[y, x] // width] += 1


def edge_seeds(suppressed: Int32, levels: Int32, seeds: Uint8, convention: str) -> None:
    """Write the edge seeds (weak and strong pixels), with rows divided among cores."""
    margin = 0 if convention == "opencv" else 1
    weak, strong = levels
    on_rows(seeds.shape[0], _rows, suppressed, weak, strong, seeds, margin)


@compiled
def _rows(
    suppressed: Int32,
    weak: np.int32,
    strong: np.int32,
    seeds: Uint8,
    margin: int,
    top: int,
    bottom: int,
) -> None:
    height, width = seeds.shape
    for y in range(top, bottom):
        may_be_weak = margin <= y < height - margin
        may_be_strong = y < height - 2 * margin
        _sort(suppressed[y], seeds[y], weak, strong, WEAK * may_be_weak, STRONG * may_be_strong)
        fill(seeds[y, :margin], 0)
        fill(seeds[y, width - margin :], 0)


@helper
def _sort(
    suppressed: Int32,
    seeds: Uint8,
    weak: np.int32,
    strong: np.int32,
    weak_value: int,
    strong_value: int,
) -> None:
    """Write a row's seeds: strong, weak or 0, by the thresholds that each magnitude reaches."""
    for x in range(seeds.size):
        low = np.uint8(weak_value) if suppressed[x] >= weak else np.uint8(0)
        high = np.uint8(strong_value) if suppressed[x] >= strong else np.uint8(0)
        seeds[x] = max(low, high)


EDGE = 255
BESIDE = 4  # the strength, for a while, of a weak pixel beside a strong one


def hysteresis(seeds: Uint8, edges: Uint8, strength: Uint8) -> None:
    """Write the edges: strong pixels, and the weak pixels connected to them.

    Weak pixels next to a strong one are marked row by row; from these, and no others, each core
    follows weak pixels within its band. Where they lead from band to band, one core goes on. A
    pixel is marked as an edge when it is kept: for another pass the cores would take longer to
    start than to work.
    """
    height = seeds.shape[0]
    count = min(core_count(), height)
    borders = [height * i // count for i in range(count + 1)]
    pixels = np.empty((seeds.size, 2), np.int32)  # a band's part of it is as large as the band
    images = seeds, strength, edges, pixels
    on_all_cores([partial(_follow, *images, *rows) for rows in pairwise(borders)])
    _cross(strength, edges, pixels, np.array(borders[1:-1], np.int64))


@compiled
def _follow(
    seeds: Uint8, strength: Uint8, edges: Uint8, pixels: Int32, top: int, bottom: int
) -> None:
    """Keep the weak pixels connected to a strong one within a band of rows."""
    width = seeds.shape[1]
    pixels = pixels[top * width : bottom * width]
    column = np.zeros(width + 2, np.uint8)
    for y in range(top, bottom):
        _classify(seeds[y], strength[y], edges[y])
    for y in range(top, bottom):
        above, below = max(y - 1, top), min(y + 1, bottom - 1)
        _largest(seeds[above], seeds[y], seeds[below], column[1 : width + 1])
        _find_beside(column[:width], column[1 : width + 1], column[2:], strength[y])
    for y in range(top, bottom):
        for x in range(width):
            if strength[y, x] == BESIDE:
                strength[y, x] = KEPT
                edges[y, x] = EDGE
                _flood(strength, edges, y, x, pixels, top, bottom)


@helper
def _classify(seeds: Uint8, strength: Uint8, edges: Uint8) -> None:
    for x in range(seeds.size):
        weak = np.uint8(REJECTED) if seeds[x] > 0 else np.uint8(0)
        strength[x] = np.uint8(3) if seeds[x] == STRONG else weak
        edges[x] = np.uint8(EDGE) if seeds[x] == STRONG else np.uint8(0)


@helper
def _largest(above: Uint8, here: Uint8, below: Uint8, column: Uint8) -> None:
    for x in range(column.size):
        column[x] = max(above[x], max(here[x], below[x]))


@helper
def _find_beside(left: Uint8, middle: Uint8, right: Uint8, strength: Uint8) -> None:
    """Mark the weak pixels of a row that have a strong neighbour."""
    for x in range(strength.size):
        neighbours_strong = max(left[x], max(middle[x], right[x])) == STRONG
        strength[x] = (
            np.uint8(BESIDE) if (strength[x] == REJECTED) & neighbours_strong else strength[x]
        )


@helper
def _flood(
    strength: Uint8, edges: Uint8, y: int, x: int, pixels: Int32, top: int, bottom: int
) -> None:
    """Keep, as edges, the weak pixels in a range of rows that are connected to one kept pixel."""
    count = _keep_around(strength, edges, y, x, pixels, int64(0), top, bottom)
    while count > 0:
        count -= 1
        y, x = pixels[count, 0], pixels[count, 1]
        count = _keep_around(strength, edges, y, x, pixels, count, top, bottom)


@helper
def _keep_around(
    strength: Uint8, edges: Uint8, y: int, x: int, pixels: Int32, count: int, top: int, bottom: int
) -> Any:
    """Keep a pixel's weak neighbours as edges, append them to ``pixels``, and return the count."""
    if top < y < bottom - 1 and 0 < x < strength.shape[1] - 1:
        for near_y in range(y - 1, y + 2):  # a loop of a length that LLVM knows
            for near_x in range(x - 1, x + 2):
                count = _keep(strength, edges, near_y, near_x, pixels, count)
        return count
    for near_y in range(max(y - 1, top), min(y + 2, bottom)):
        for near_x in range(max(x - 1, 0), min(x + 2, strength.shape[1])):
            count = _keep(strength, edges, near_y, near_x, pixels, count)
    return count


@helper
def _keep(strength: Uint8, edges: Uint8, y: int, x: int, pixels: Int32, count: int) -> Any:
    if strength[y, x] != REJECTED:
        return count
    strength[y, x] = KEPT
    edges[y, x] = EDGE
    pixels[count, 0], pixels[count, 1] = y, x
    return count + 1


@compiled
def _cross(strength: Uint8, edges: Uint8, pixels: Int32, borders: Int64) -> None:
    """Keep weak pixels that are connected to edges across the borders between bands."""
    height, width = strength.shape
    for border in borders:
        for y in range(border - 1, border + 1):
            for x in range(width):
                if strength[y, x] > REJECTED:
                    _flood(strength, edges, y, x, pixels, int64(0), height)
