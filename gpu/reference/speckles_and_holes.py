"""Reject small islands of disparity, and fill holes."""

from typing import Any

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.image import Int16, Int32, Int64
from wheatstone.gpu.pipelines.sgm.params import DIRECTIONS, OCCLUSION_SLACK, SUBPIXEL_STEPS


@compiled
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

    Two valid horizontal or vertical neighbours are connected if their disparities differ by at most
    ``speckle_range``; diagonal neighbours are not. An island is a set of connected pixels, of any
    size, and ends at the edge of the image. One of at most ``speckle_size`` pixels is a speckle.
    Invalid is (min_disparity - 1) * 16; invalid pixels belong to no island.

    The same as ``cv2.filterSpeckles`` with ``speckle_range`` in stored steps.

    Args:
        consistent: (H, W) disparity in 1/16 pixel.
        filtered: (H, W) disparity in 1/16 pixel, written.
        islands: (H, W) y * W + x of the first pixel of the pixel's island, in the order of rows;
            -1 where invalid; written.
        island_sizes: (H, W) pixels of the pixel's island; 0 where invalid; written.
        min_disparity: smallest disparity, in pixels.
        speckle_size: pixels of the largest speckle.
        speckle_range: largest step within an island, in pixels.

    Source: Hirschmüller 2008, section 2.5.1.
    """
    height, width = consistent.shape
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    step = speckle_range * SUBPIXEL_STEPS
    _find_islands(consistent, islands, island_sizes, invalid, step)
    sizes = island_sizes.reshape(-1)
    for y in range(height):
        for x in range(width):
            island_sizes[y, x] = sizes[islands[y, x]]
            filtered[y, x] = consistent[y, x] if island_sizes[y, x] > speckle_size else invalid
            if consistent[y, x] == invalid:
                islands[y, x], island_sizes[y, x] = -1, 0
                filtered[y, x] = invalid


@compiled
def _find_islands(
    consistent: Int16, islands: Int32, island_sizes: Int32, invalid: int, step: int
) -> None:
    """Write the first pixel of every pixel's island, and at each first pixel the island's size."""
    height, width = consistent.shape
    labels, sizes = islands.reshape(-1), island_sizes.reshape(-1)
    for y in range(height):
        for x in range(width):
            pixel = y * width + x
            labels[pixel], sizes[pixel] = pixel, 0
            if x > 0 and connected(consistent[y, x], consistent[y, x - 1], invalid, step):
                unite(labels, pixel, pixel - 1)
            if y > 0 and connected(consistent[y, x], consistent[y - 1, x], invalid, step):
                unite(labels, pixel, pixel - width)
    for pixel in range(height * width):
        labels[pixel] = labels[labels[pixel]]  # which precedes it, so it is the first by now
        sizes[labels[pixel]] += 1


@helper
def connected(a: int, b: int, invalid: int, step: int) -> Any:
    """Return whether two neighbours are valid and on the same island."""
    return (a != invalid) & (b != invalid) & (abs(int64(a) - int64(b)) <= step)


@helper
def first_of(labels: Int32, pixel: int) -> int:
    """Return the first pixel of an island by following labels, each to an earlier pixel."""
    while labels[pixel] != pixel:
        pixel = int64(labels[pixel])
    return pixel


@helper
def unite(labels: Int32, a: int, b: int) -> tuple[int, int]:
    """Unite the islands of two pixels; return the first pixels of both islands, earlier first."""
    a, b = first_of(labels, a), first_of(labels, b)
    labels[max(a, b)] = min(a, b)
    return min(a, b), max(a, b)


@compiled
def hole_filling(filtered: Int16, filled: Int16, min_disparity: int) -> None:
    """Copy the disparity, and fill its holes: pixels marked invalid, (min_disparity - 1) * 16.

    From a hole the search goes left, right, up, down and both ways along both diagonals, as far as
    the first valid pixel or the edge of the image. All decisions are made on ``filtered``: a filled
    pixel fills no other.

    - With l the valid disparity to the left and r the one to the right, both in pixels, a hole in
      column x takes r if there is no l, or if r > x: at the left edge the surface on the right lies
      outside the right view, and matches there are not reliable.
    - An occlusion shows the background: a hole takes l if r > l + 1 and the row has at most
      r - l + 2 holes between the two: a nearer surface hides that many pixels to its left.
    - Any other hole takes the median of the up to eight valid disparities; of an even number the
      lower of the middle two.
    - A hole without any of them stays invalid.

    Args:
        filtered: (H, W) disparity in 1/16 pixel.
        filled: (H, W) disparity in 1/16 pixel, written.
        min_disparity: smallest disparity, in pixels.

    Source: after Hirschmüller 2008, section 2.5.3, which separates occlusions from mismatches by
    the right view and gives an occlusion the second lowest of the eight.
    """
    height, width = filtered.shape
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    values = np.empty(len(DIRECTIONS), np.int64)
    for y in range(height):
        for x in range(width):
            filled[y, x] = filtered[y, x]
            if filtered[y, x] == invalid:
                filled[y, x] = _fill(filtered, y, x, invalid, values)


@compiled
def _fill(filtered: Int16, y: int, x: int, invalid: int, values: Int64) -> Any:
    count = 0
    for dx, dy in DIRECTIONS:
        value, _ = _look(filtered, y, x, dx, dy, invalid)
        if value != invalid:
            values[count] = value
            count += 1
    left, holes_left = _look(filtered, y, x, -1, 0, invalid)
    right, holes_right = _look(filtered, y, x, 1, 0, invalid)
    if right != invalid and (left == invalid or is_at_edge(right, x)):
        return right
    if right != invalid and is_occlusion(left, right, holes_left + holes_right - 1):
        return left
    return median(values, count) if count > 0 else invalid


@compiled
def _look(filtered: Int16, y: int, x: int, dx: int, dy: int, invalid: int) -> tuple[Any, Any]:
    """Return the first valid disparity in a direction, or invalid, and the length of the hole."""
    height, width = filtered.shape
    holes = 0
    while 0 <= y < height and 0 <= x < width:
        if filtered[y, x] != invalid:
            return int64(filtered[y, x]), holes
        holes += 1
        y, x = y + dy, x + dx
    return int64(invalid), holes


@helper
def median(values: Int64, count: int) -> Any:
    """Return the lower median of the first ``count`` values, after sorting them in place."""
    for i in range(1, count):
        value, k = values[i], i
        while k > 0 and values[k - 1] > value:
            values[k] = values[k - 1]
            k -= 1
        values[k] = value
    return values[(count - 1) // 2]


@helper
def is_at_edge(right: int, x: int) -> Any:
    """Return whether a hole's right-hand disparity, used at ``x``, leads out of the right view."""
    return right > x * SUBPIXEL_STEPS


@helper
def is_occlusion(left: int, right: int, holes: int) -> Any:
    """Return whether a hole is an occlusion: the step between its sides explains its width."""
    step = right - left
    return step > SUBPIXEL_STEPS and (holes - OCCLUSION_SLACK) * SUBPIXEL_STEPS <= step
