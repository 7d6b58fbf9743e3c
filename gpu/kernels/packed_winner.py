"""Sum of the packed path costs and the winners of both views on the GPU."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import Kernel, c_type
from gpu.pipeline import Array
from gpu.pipelines.packing import LANES, lanes_of
from gpu.pipelines.sgm import SUBPIXEL_STEPS, largest_path_cost

THREADS = 256
SEGMENT = 32  # columns
NARROW = 65536 // SEGMENT  # sums that fit 16 bits together with a column of a segment


def _tile(lanes: int) -> int:
    """Pixels a block: as many as take 33 KB of shared memory, and no more than 128."""
    return min(128, 1024 // lanes)


def _kernel(path_cost: Any, lanes: int) -> Kernel:
    return Kernel(
        "packed_winner.cu",
        "packed_winner",
        (np.uint8, np.uint32, np.int16, np.int16, np.uint32) + (np.int32,) * 8,
        arrays=5,
        defines=(
            ("PATH_COST", c_type(path_cost)),
            ("LANES", str(lanes)),
            ("TILE", str(_tile(lanes))),
            ("THREADS", str(THREADS)),
            ("SEGMENT", str(SEGMENT)),
            ("SUBPIXEL_STEPS", str(SUBPIXEL_STEPS)),
        ),
    )


# By the elements of stored path costs, and by lanes.
KERNELS = {
    (path_cost, lanes): _kernel(path_cost, lanes)
    for path_cost in (np.uint8, np.uint16)
    for lanes in LANES
}


def packed_winner(
    packed_costs: Array,
    right_best: Array,
    winner: Array,
    refined: Array,
    rivals: Array,
    p1: int,
    p2: int,
    cost: str,
    min_disparity: int,
    subpixel: bool,
    lr_check: int,
) -> None:
    """Launch the kernel; the right view is left alone without a check against it."""
    paths, height, width, disparities, size = packed_costs.shape
    lanes = lanes_of(disparities)
    grid = (-(-width // _tile(lanes)), height)
    images = (packed_costs, right_best, winner, refined, rivals)
    scalars = (height, width, disparities, paths, min_disparity, subpixel)
    kernel = KERNELS[(np.uint8, np.uint16)[size - 1], lanes]
    narrow = paths * largest_path_cost(cost, p1, p2) < NARROW
    kernel(grid, (THREADS,), *images, *scalars, lr_check >= 0, narrow)
