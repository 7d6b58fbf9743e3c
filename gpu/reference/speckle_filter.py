"""Reject small islands of disparity."""

from typing import Any

from numba import int64

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.image import Int16, Int32
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS


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
    """Unite the islands of two pixels; return its first pixel, then that of the other island."""
    a, b = first_of(labels, a), first_of(labels, b)
    labels[max(a, b)] = min(a, b)
    return min(a, b), max(a, b)
