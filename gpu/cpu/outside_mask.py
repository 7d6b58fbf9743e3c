"""Reject what lies outside, a share of the rows at a time.  Computes gpu.reference.outside_mask."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.cores import on_all_cores, shares
from gpu.reference import outside_mask as reference

Pixels = NDArray[np.uint8]
Disparities = NDArray[np.int16]


def outside_mask(
    unmasked_disparity: Disparities,
    rectified_left: Pixels,
    rectified_right: Pixels,
    disparity: Disparities,
    min_disparity: int,
) -> None:
    """Write each disparity, or "no result" where a view has nothing to show."""
    images = unmasked_disparity, rectified_left, rectified_right, disparity
    on_all_cores(
        [
            partial(reference.outside_mask, *(each[top:end] for each in images), min_disparity)
            for top, end in shares(disparity.shape[0])
        ]
    )
