"""Convert colours to grey, a share of the rows at a time.  Computes gpu.reference.grey_levels."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from gpu.cpu.cores import on_all_cores, shares
from gpu.reference.grey_levels import grey_rows

Pixels = NDArray[np.uint8]


def grey_levels(
    rectified_left: Pixels, rectified_right: Pixels, left: Pixels, right: Pixels
) -> None:
    """Write the weighted mean of each pixel's colours."""
    views = (rectified_left, left), (rectified_right, right)
    on_all_cores(
        [partial(grey_rows, *view, *rows) for rows in shares(left.shape[0]) for view in views]
    )
