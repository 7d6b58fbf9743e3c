"""Margin of the winner on the GPU, from packed path costs."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import Kernel, c_type
from gpu.pipeline import Array
from gpu.pipelines.packing import LANES, lanes_of
from gpu.pipelines.sgm import MARGIN_STEPS

THREADS = 256


def _kernel(path_cost: Any, lanes: int) -> Kernel:
    return Kernel(
        "packed_confidence.cu",
        "packed_confidence",
        (np.uint8, np.int16, np.uint16) + (np.int32,) * 4,
        arrays=3,
        defines=(
            ("PATH_COST", c_type(path_cost)),
            ("LANES", str(lanes)),
            ("THREADS", str(THREADS)),
            ("MARGIN_STEPS", str(MARGIN_STEPS)),
        ),
    )


# By the elements of stored path costs, and by lanes.
KERNELS = {
    (path_cost, lanes): _kernel(path_cost, lanes)
    for path_cost in (np.uint8, np.uint16)
    for lanes in LANES
}


def packed_confidence(packed_costs: Array, winner: Array, margin: Array) -> None:
    """Launch the kernel."""
    paths, height, width, disparities, size = packed_costs.shape
    lanes = lanes_of(disparities)
    grid = (-(-height * width * lanes // THREADS),)
    images = (packed_costs, winner, margin)
    kernel = KERNELS[(np.uint8, np.uint16)[size - 1], lanes]
    kernel(grid, (THREADS,), *images, height, width, disparities, paths)
