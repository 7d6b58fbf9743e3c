"""Margin of the winner on the GPU."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks, c_type
from gpu.pipeline import Array
from gpu.pipelines.sgm.params import MARGIN_STEPS

BLOCK = (32, 16)
KERNELS = {
    total: Kernel(
        "winner_margin.cu",
        "winner_margin",
        (total, np.int16, np.uint16) + (np.int32,) * 3,
        arrays=3,
        defines=(("SUM", c_type(total)), ("MARGIN_STEPS", str(MARGIN_STEPS))),
    )
    for total in (np.uint16, np.int32)
}


def winner_margin(sums: Array, winner: Array, margin: Array) -> None:
    """Launch the kernel."""
    height, width, disparities = sums.shape
    grid = blocks(BLOCK, width, height)
    KERNELS[sums.dtype.type](grid, BLOCK, sums, winner, margin, height, width, disparities)
