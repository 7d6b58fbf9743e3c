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
# Steps of a row are shorter with twice the lanes a pixel, but more work in all. That pays while the
# GPU waits for the rows: on an H200, where in all directions there are fewer warps than this.
FEW_WARPS = 900
ADAPTATIONS = controls(SgmParams)["p2_adaptation"].choices  # the kernel counts in them


def _kernel(element: Any, lanes: int, span: int) -> Kernel:
    return Kernel(
        "packed_aggregation.cu",
        "packed_aggregation",
        (np.uint32, np.uint8, np.uint8) + (np.int32,) * 8,
        arrays=3,
        defines=(
            ("PATH_COST", c_type(element)),
            ("LANES", str(lanes)),
            ("ACROSS_SPAN", str(span)),
            ("THREADS", str(THREADS)),
        ),
    )


# By the element of stored path costs, the lanes of a pixel, and those of a pixel of a row.
KERNELS = {
    (element, lanes, span): _kernel(element, lanes, span)
    for element in (np.uint8, np.uint16)
    for lanes in LANES
    for span in (lanes, min(2 * lanes, WARP))
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
    few = (2 * height + (paths - 2) * width) * lanes < FEW_WARPS * WARP
    span = min(2 * lanes, WARP) if few else lanes
    kernel = KERNELS[(np.uint8, np.uint16)[size - 1], lanes, span]
    across = -(-height * span // THREADS)
    down = -(-width * lanes // THREADS)
    images = (left_grey, packed_matches, packed_costs)
    penalties = (p1, p2, ADAPTATIONS.index(p2_adaptation))
    grid = (2 * across + (paths - 2) * down,)
    kernel(grid, (THREADS,), *images, height, width, disparities, *penalties, across, paths - 2)
