"""Stretch an image to the entire range of grey levels."""

import numpy as np

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int32, Uint8, Uint16


@compiled
def intensity_normalization(smoothed: Uint16, blurred: Uint8, peak: Int32) -> None:
    """Write 255 v / peak, truncated, for every smoothed value v, where the peak is the largest.

    The published program subtracts the smallest value first; the black frame around its smoothed
    image makes that 0. An image that is entirely black, for which it divides 0 by 0, stays black.

    Args:
        smoothed: (H, W) values.
        blurred: (H, W) grey levels, written.
        peak: (1,) the largest value, written.

    Source: ``normalize`` of the course program.
    """
    height, width = smoothed.shape
    peak[0] = smoothed.max()
    for y in range(height):
        for x in range(width):
            blurred[y, x] = 255 * np.int64(smoothed[y, x]) // max(peak[0], 1)
