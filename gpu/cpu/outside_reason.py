"""Tell what lies outside, a share of the rows at a time.  Computes gpu.reference.outside_reason."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.cores import on_all_cores, shares
from gpu.reference import outside_reason as reference

Pixels = NDArray[np.uint8]


def outside_reason(
    unmasked_invalid_reason: Pixels,
    unmasked_disparity: NDArray[np.int16],
    rectified_left: Pixels,
    rectified_right: Pixels,
    invalid_reason: Pixels,
    min_disparity: int,
) -> None:
    """Write each reason, or 1 where the pixel or its partner is not shown."""
    reasons, disparity = unmasked_invalid_reason, unmasked_disparity
    images = reasons, disparity, rectified_left, rectified_right, invalid_reason
    on_all_cores(
        [
            partial(reference.outside_reason, *(each[top:end] for each in images), min_disparity)
            for top, end in shares(reasons.shape[0])
        ]
    )
