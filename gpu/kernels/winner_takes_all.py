"""Winner-takes-all on the GPU."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks, c_type
from gpu.pipeline import Array

BLOCK = (32, 16)
KERNELS = {
    total: Kernel(
        "winner_takes_all.cu",
        "winner_takes_all",
        (total, np.int16) + (np.int32,) * 3,
        arrays=2,
        defines=(("SUM", c_type(total)),),
    )
    for total in (np.uint16, np.int32)
}


def winner_takes_all(sums: Array, winner: Array) -> None:
    """Launch the kernel."""
    height, width, disparities = sums.shape
    grid = blocks(BLOCK, width, height)
    KERNELS[sums.dtype.type](grid, BLOCK, sums, winner, height, width, disparities)
