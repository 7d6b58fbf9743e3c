"""Invert an image."""

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.compiled import compiled


@compiled
def invert(left: NDArray[np.uint8], inverted: NDArray[np.uint8]) -> None:
    """Write 255 minus the grey level of each pixel.

    Args:
        left: (H, W) grey levels.
        inverted: (H, W) their negative, written.
    """
    height, width = left.shape
    for y in range(height):
        for x in range(width):
            inverted[y, x] = 255 - left[y, x]
