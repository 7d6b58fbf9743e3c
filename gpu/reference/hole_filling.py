"""Fill rejected pixels with a disparity from around them."""

from typing import Any

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.image import Int16, Int64
from wheatstone.gpu.pipelines.sgm.params import DIRECTIONS, OCCLUSION_SLACK, SUBPIXEL_STEPS


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
    found = np.empty(len(DIRECTIONS), np.int64)
    for y in range(height):
        for x in range(width):
            filled[y, x] = filtered[y, x]
            if filtered[y, x] == invalid:
                filled[y, x] = _fill(filtered, y, x, invalid, found)


@compiled
def _fill(filtered: Int16, y: int, x: int, invalid: int, found: Int64) -> Any:
    count = 0
    for dx, dy in DIRECTIONS:
        value, _ = _look(filtered, y, x, dx, dy, invalid)
        if value != invalid:
            found[count] = value
            count += 1
    left, holes_left = _look(filtered, y, x, -1, 0, invalid)
    right, holes_right = _look(filtered, y, x, 1, 0, invalid)
    if right != invalid and (left == invalid or is_at_edge(right, x)):
        return right
    if right != invalid and is_occlusion(left, right, holes_left + holes_right - 1):
        return left
    return median(found, count) if count > 0 else invalid


@compiled
def _look(filtered: Int16, y: int, x: int, dx: int, dy: int, invalid: int) -> tuple[Any, Any]:
    """Return the first valid disparity in a direction, or invalid, and the holes before it."""
    height, width = filtered.shape
    holes = 0
    while 0 <= y < height and 0 <= x < width:
        if filtered[y, x] != invalid:
            return int64(filtered[y, x]), holes
        holes += 1
        y, x = y + dy, x + dx
    return int64(invalid), holes


@helper
def median(found: Int64, count: int) -> Any:
    """Return the median of the first ``count`` values, of two the lower; sort them in place."""
    for i in range(1, count):
        value, k = found[i], i
        while k > 0 and found[k - 1] > value:
            found[k] = found[k - 1]
            k -= 1
        found[k] = value
    return found[(count - 1) // 2]


@helper
def is_at_edge(right: int, x: int) -> Any:
    """Return whether the surface right of a hole, extended to it, is outside the right view."""
    return right > x * SUBPIXEL_STEPS


@helper
def is_occlusion(left: int, right: int, holes: int) -> Any:
    """Return whether the holes between two disparities are an occlusion by the nearer surface."""
    step = right - left
    return step > SUBPIXEL_STEPS and (holes - OCCLUSION_SLACK) * SUBPIXEL_STEPS <= step
