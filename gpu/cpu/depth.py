"""Convert disparities to depths, a share of the rows at a time, as gpu.reference.depth."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.cpu.cores import on_all_cores, shares
from wheatstone.gpu.reference.depth import depth_rows

Disparities = NDArray[np.int16]
Floats = NDArray[np.float32]


def depth(disparity: Disparities, camera: Floats, depth: Floats, min_disparity: int) -> None:
    """Write the depth of each pixel in the baseline's unit, or NaN."""
    images = disparity, camera, depth
    on_all_cores(
        [partial(depth_rows, *images, min_disparity, *rows) for rows in shares(depth.shape[0])]
    )
