"""Suppress pixels whose gradient magnitude is not a maximum along its direction."""

from typing import Any

import numpy as np

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Int32, Uint8

# (dy, dx) of the neighbour before a pixel along each direction; the one after it lies opposite.
BEFORE = ((0, -1), (-1, -1), (-1, 0), (-1, 1))


@compiled
def non_maximum_suppression(
    gradient_x: Int16,
    gradient_y: Int16,
    magnitude: Int32,
    direction: Uint8,
    suppressed: Int32,
    convention: str,
    norm: str,
) -> None:
    """Write the magnitude of pixels that exceed their two neighbours along the gradient, else 0.

    Magnitudes are compared; in ``opencv`` with ``l2`` instead gx^2 + gy^2, because rounded roots
    are sometimes equal. Outside the image they are 0. A pixel without gradient gives 0.

    Ties: in ``opencv`` a pixel may be equal to its right neighbour (direction 0) or lower one
    (direction 2), not to its left or upper one, and on the diagonals to neither; in ``aveiro-2015``
    and ``aveiro-2025`` it must exceed both, so that ridges two pixels wide vanish.

    Args:
        gradient_x, gradient_y, magnitude, direction: (H, W), as ``gradient`` writes them.
        suppressed: (H, W) magnitudes of local maxima, written.

    Source: Canny 1986, section VI; cv2.Canny; ``non_maximum_supression`` of the course program.
    """
    squares = convention == "opencv" and norm == "l2"
    height, width = magnitude.shape
    for y in range(height):
        for x in range(width):
            suppressed[y, x] = 0
            if magnitude[y, x] == 0:
                continue
            dy, dx = BEFORE[direction[y, x]]
            here = _compared(gradient_x, gradient_y, magnitude, y, x, squares)
            before = _compared(gradient_x, gradient_y, magnitude, y + dy, x + dx, squares)
            after = _compared(gradient_x, gradient_y, magnitude, y - dy, x - dx, squares)
            tie_counts = convention == "opencv" and direction[y, x] in (0, 2)
            if here > before and (here > after or (tie_counts and here == after)):
                suppressed[y, x] = magnitude[y, x]


@compiled
def _compared(
    gradient_x: Int16, gradient_y: Int16, magnitude: Int32, y: int, x: int, squares: bool
) -> Any:
    height, width = magnitude.shape
    if not (0 <= y < height and 0 <= x < width):
        return 0
    if squares:
        return np.int64(gradient_x[y, x]) ** 2 + np.int64(gradient_y[y, x]) ** 2
    return np.int64(magnitude[y, x])
