"""Winner-takes-all of the right view on the GPU."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks, c_type
from gpu.pipeline import Array

BLOCK = (32, 16)
KERNELS = {
    total: Kernel(
        "right_winner_takes_all.cu",
        "right_winner_takes_all",
        (total, np.int16) + (np.int32,) * 4,
        arrays=2,
        defines=(("SUM", c_type(total)),),
    )
    for total in (np.uint16, np.int32)
}


def right_winner_takes_all(sums: Array, right_winner: Array, min_disparity: int) -> None:
    """Launch the kernel."""
    kernel = KERNELS[sums.dtype.type]
    height, width, disparities = sums.shape
    grid = blocks(BLOCK, width, height)
    kernel(grid, BLOCK, sums, right_winner, height, width, disparities, min_disparity)
