"""Tell which pixels were rejected because rectification found them outside a view."""

import numpy as np
from numpy.typing import NDArray

from gpu.compiled import compiled
from gpu.reference.outside_mask import is_outside

Pixels = NDArray[np.uint8]


@compiled
def outside_reason(
    unmasked_invalid_reason: Pixels,
    unmasked_disparity: NDArray[np.int16],
    rectified_left: Pixels,
    rectified_right: Pixels,
    invalid_reason: Pixels,
    min_disparity: int,
) -> None:
    """Write each reason, or 1, "outside the image", where ``outside_mask`` rejects the pixel.

    Args:
        unmasked_invalid_reason: (H, W) reasons of the other checks.
        unmasked_disparity, rectified_left, rectified_right: as for ``outside_mask``.
        invalid_reason: (H, W), written.
    """
    for y in range(invalid_reason.shape[0]):
        for x in range(invalid_reason.shape[1]):
            found = unmasked_disparity[y, x]
            outside = is_outside(found, rectified_left, rectified_right, y, x, min_disparity)
            invalid_reason[y, x] = 1 if outside else unmasked_invalid_reason[y, x]
