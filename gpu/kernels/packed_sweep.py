"""Carry costs down and up by sweeps on the GPU, in packed arithmetic, a launch a row."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import Kernel, c_type
from gpu.pipeline import Array
from gpu.pipelines.sgm.packing import LANES, lanes_of
from gpu.pipelines.sgm.params import ADAPTATIONS

THREADS = 128


def _kernel(element: Any, lanes: int) -> Kernel:
    return Kernel(
        "packed_sweep.cu",
        "packed_sweep",
        (np.uint32, np.uint8, np.uint8) + (np.int32,) * 9,
        arrays=3,
        defines=(
            ("PATH_COST", c_type(element)),
            ("LANES", str(lanes)),
            ("THREADS", str(THREADS)),
        ),
    )


# By the element of stored path costs and the lanes of a pixel.
KERNELS = {
    (element, lanes): _kernel(element, lanes)
    for element in (np.uint8, np.uint16)
    for lanes in LANES
}


def packed_sweep(
    left_steps: Array,
    packed_matches: Array,
    packed_costs: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
    dy: int,
    sweeps: int,
) -> None:
    """Launch the kernel for every row of one sweep or both, whose path costs come last.

    Args:
        dy: where the first sweep goes: 1 down, -1 up.
    """
    height, width, disparities = packed_matches.shape
    lanes = lanes_of(disparities)
    kernel = KERNELS[(np.uint8, np.uint16)[packed_costs.shape[-1] - 1], lanes]
    images = (left_steps, packed_matches, packed_costs)
    penalties, others = (p1, p2, ADAPTATIONS.index(p2_adaptation)), packed_costs.shape[0] - sweeps
    grid = (-(-width * lanes // THREADS), sweeps)
    for row in range(height):
        kernel(grid, (THREADS,), *images, height, width, disparities, *penalties, others, dy, row)
