"""Convert colours to grey levels."""

import numpy as np
from numpy.typing import NDArray

from gpu.compiled import compiled

Pixels = NDArray[np.uint8]


@compiled
def grey_levels(
    rectified_left: Pixels, rectified_right: Pixels, left: Pixels, right: Pixels
) -> None:
    """Write (9798 red + 19235 green + 3735 blue + 16384) >> 15 of each pixel.

    The weights sum to 32768, so that equal channels keep their value.

    Args:
        rectified_left, rectified_right: (H, W, 4) colours; the fourth channel does not count.
        left, right: (H, W) grey levels, written.

    Source: OpenCV, ``cv2.cvtColor`` with ``COLOR_RGB2GRAY``; equal to the bit.
    """
    grey_rows(rectified_left, left, 0, left.shape[0])
    grey_rows(rectified_right, right, 0, right.shape[0])


@compiled
def grey_rows(colours: Pixels, grey: Pixels, top: int, bottom: int) -> None:
    """Write rows ``top`` to ``bottom`` - 1 of one view."""
    for y in range(top, bottom):
        for x in range(grey.shape[1]):
            red, green, blue = colours[y, x, 0], colours[y, x, 1], colours[y, x, 2]
            grey[y, x] = (9798 * int(red) + 19235 * int(green) + 3735 * int(blue) + 16384) >> 15
