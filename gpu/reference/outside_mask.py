"""Reject disparities of pixels that rectification found outside a view."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.compiled import compiled

Pixels = NDArray[np.uint8]
Disparities = NDArray[np.int16]


@compiled
def outside_mask(
    unmasked_disparity: Disparities,
    rectified_left: Pixels,
    rectified_right: Pixels,
    disparity: Disparities,
    min_disparity: int,
) -> None:
    """Write each disparity, or "no result" where a view has nothing to show.

    That is where the left pixel's fourth channel is below 255, or that of its partner, the right
    pixel to which the disparity leads, rounded to the nearest; a partner beyond the right view's
    border is left to the other checks.

    Args:
        unmasked_disparity: (H, W) in 1/16 pixel; (min_disparity - 1) * 16: no result.
        rectified_left, rectified_right: (H, W, 4), the fourth channel 255 where all is inside.
        disparity: (H, W), written.
    """
    for y in range(disparity.shape[0]):
        for x in range(disparity.shape[1]):
            found = unmasked_disparity[y, x]
            outside = is_outside(found, rectified_left, rectified_right, y, x, min_disparity)
            disparity[y, x] = (min_disparity - 1) * 16 if outside else found


@compiled
def is_outside(found: int, left: Pixels, right: Pixels, y: int, x: int, min_disparity: int) -> Any:
    """Tell whether a pixel, or the partner to which its disparity leads, is not shown."""
    if left[y, x, 3] < 255:
        return True
    partner = x - ((found + 8) >> 4)
    valid = found != (min_disparity - 1) * 16 and 0 <= partner < right.shape[1]
    return valid and right[y, partner, 3] < 255
