"""Mark pixels outside a view, a share of the rows at a time, as gpu.reference.outside_reason."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.cpu.cores import on_all_cores, shares
from wheatstone.gpu.reference.outside_reason import reason_rows

Map = NDArray[np.int16]
Pixels = NDArray[np.uint8]


def outside_reason(
    unmasked_invalid_reason: Pixels,
    unmasked_disparity: NDArray[np.int16],
    left_map: Map,
    right_map: Map,
    invalid_reason: Pixels,
    min_disparity: int,
) -> None:
    """Write each rejection reason, or 1 where the pixel or its partner is outside a view."""
    reasons, disparity = unmasked_invalid_reason, unmasked_disparity
    images = reasons, disparity, left_map, right_map, invalid_reason
    on_all_cores(
        [partial(reason_rows, *images, min_disparity, *rows) for rows in shares(reasons.shape[0])]
    )
