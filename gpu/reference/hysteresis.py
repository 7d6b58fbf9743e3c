"""Keep weak edge pixels that are connected to a strong one."""

from typing import Any

import numpy as np

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int32, Uint8
from wheatstone.gpu.pipelines.canny.params import STRONG

KEPT, REJECTED = 2, 1  # strengths of weak pixels; a strong one has 3, no edge 0


@compiled
def hysteresis(seeds: Uint8, edges: Uint8, strength: Uint8) -> None:
    """Mark edges: strong pixels, and weak ones that are connected to a strong one.

    Two pixels that are not 0 are connected if they touch, also by their corners, or if a chain of
    such pixels of any length leads from one to the other. The order of the search does not matter.

    Args:
        seeds: (H, W) 255: strong; 128: weak; 0: no edge.
        edges: (H, W) 255 or 0, written.
        strength: (H, W) 3: strong; 2: weak and kept; 1: weak and rejected; 0: no edge; written.

    Source: Canny 1986, section VII; cv2.Canny.
    """
    height, width = seeds.shape
    found = np.empty((height * width, 2), np.int32)  # each pixel is put here once at most
    count = 0
    for y in range(height):
        for x in range(width):
            strong = seeds[y, x] == STRONG
            edges[y, x] = 255 if strong else 0
            strength[y, x] = 3 if strong else REJECTED if seeds[y, x] else 0
            if strong:
                found[count] = y, x
                count += 1
    while count > 0:
        count -= 1
        count = _continue(found[count, 0], found[count, 1], found, count, edges, strength)


@compiled
def _continue(y: int, x: int, found: Int32, count: int, edges: Uint8, strength: Uint8) -> Any:
    """Keep the weak pixels around an edge pixel, and append them to ``found``."""
    height, width = edges.shape
    for next_y in range(max(y - 1, 0), min(y + 2, height)):
        for next_x in range(max(x - 1, 0), min(x + 2, width)):
            if strength[next_y, next_x] == REJECTED:
                strength[next_y, next_x], edges[next_y, next_x] = KEPT, 255
                found[count] = next_y, next_x
                count += 1
    return count
