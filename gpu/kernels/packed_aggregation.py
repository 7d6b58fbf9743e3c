"""Path aggregation of all directions on the GPU, in packed arithmetic."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import Kernel, c_type
from gpu.parameters import controls
from gpu.pipeline import Array
from gpu.pipelines.packing import LANES, lanes_of
from gpu.pipelines.sgm import SgmParams

WARP = 32
THREADS = 128
ACROSS = 2  # as many lanes for a pixel of a row, while a warp has them: shorter steps, more work
ADAPTATIONS = controls(SgmParams)["p2_adaptation"].choices  # the kernel counts in them


def _across_span(lanes: int) -> int:
    return min(ACROSS * lanes, WARP)


def _kernel(element: Any, lanes: int) -> Kernel:
    return Kernel(
        "packed_aggregation.cu",
        "packed_aggregation",
        (np.uint32, np.uint8, np.uint8) + (np.int32,) * 8,
        arrays=3,
        defines=(
            ("PATH_COST", c_type(element)),
            ("LANES", str(lanes)),
            ("ACROSS_SPAN", str(_across_span(lanes))),
            ("THREADS", str(THREADS)),
        ),
    )


# By the element of stored path costs, and lanes.
KERNELS = {
    (element, lanes): _kernel(element, lanes) for element in (np.uint8, np.uint16) for lanes in LANES
}


def packed_aggregation(
    left_grey: Array,
    packed_matches: Array,
    packed_costs: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
) -> None:
    """Launch the kernel."""
    paths, height, width, disparities, size = packed_costs.shape
    lanes = lanes_of(disparities)
    kernel = KERNELS[(np.uint8, np.uint16)[size - 1], lanes]
    across = -(-height * _across_span(lanes) // THREADS)
    down = -(-width * lanes // THREADS)
    images = (left_grey, packed_matches, packed_costs)
    penalties = (p1, p2, ADAPTATIONS.index(p2_adaptation))
    grid = (2 * across + (paths - 2) * down,)
    kernel(grid, (THREADS,), *images, height, width, disparities, *penalties, across, paths - 2)
