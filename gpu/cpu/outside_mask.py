"""Reject pixels outside a view, a share of the rows at a time, as gpu.reference.outside_mask."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.cpu.cores import on_all_cores, shares
from wheatstone.gpu.reference.outside_mask import mask_rows

Map = NDArray[np.int16]
Disparities = NDArray[np.int16]


def outside_mask(
    unmasked_disparity: Disparities,
    left_map: Map,
    right_map: Map,
    disparity: Disparities,
    min_disparity: int,
) -> None:
    """Write each disparity, or "no result" where the pixel or its partner is outside a view."""
    images = unmasked_disparity, left_map, right_map, disparity
    on_all_cores(
        [partial(mask_rows, *images, min_disparity, *rows) for rows in shares(disparity.shape[0])]
    )
