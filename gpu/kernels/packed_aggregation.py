"""Matching cost and path aggregation of all directions on the GPU, in packed arithmetic."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import Kernel, c_type
from gpu.parameters import controls
from gpu.pipeline import Array
from gpu.pipelines.packing import LANES, lanes_of
from gpu.pipelines.sgm import OUTSIDE, SgmParams

WARP = 32
WALKERS = 128  # threads of a block that follow lines from row to row
THREADS = WALKERS + WARP  # and a warp that brings what they need
ACROSS = 2  # as many lanes for a pixel of a row, while a warp has them: shorter steps, more work
ADAPTATIONS = controls(SgmParams)["p2_adaptation"].choices  # the kernel counts in them


def _across_span(lanes: int) -> int:
    return min(ACROSS * lanes, WARP)


def _kernel(difference: str, element: Any, lanes: int) -> Kernel:
    return Kernel(
        "packed_aggregation.cu",
        "packed_aggregation",
        (np.uint32, np.uint32, np.uint8) + (np.int32,) * 13,
        arrays=3,
        defines=(
            ("DIFFERENCE", difference),
            ("PATH_COST", c_type(element)),
            ("LANES", str(lanes)),
            ("ACROSS_SPAN", str(_across_span(lanes))),
            ("THREADS", str(THREADS)),
        ),
    )


# By the difference of two descriptors, the element of stored path costs, and lanes.
KERNELS = {
    (difference, element, lanes): _kernel(difference, element, lanes)
    for difference in ("absolute", "hamming")
    for element in (np.uint8, np.uint16)
    for lanes in LANES
}


def packed_aggregation(
    left_pixels: Array,
    right_quads: Array,
    packed_costs: Array,
    cost: str,
    min_disparity: int,
    p1: int,
    p2: int,
    p2_adaptation: str,
) -> None:
    """Launch the kernel."""
    paths, height, width, disparities, size = packed_costs.shape
    lanes, pitch = lanes_of(disparities), left_pixels.shape[1]
    difference = "absolute" if cost == "absolute" else "hamming"
    kernel = KERNELS[difference, (np.uint8, np.uint16)[size - 1], lanes]
    across = -(-height * _across_span(lanes) // THREADS)
    straight = -(-width * lanes // WALKERS)
    oblique = -(-(height + width - 1) * lanes // WALKERS) if paths == 8 else 0
    images = (left_pixels, right_quads, packed_costs)
    matching = (height, width, pitch, disparities, min_disparity, OUTSIDE[cost])
    penalties = (p1, p2, ADAPTATIONS.index(p2_adaptation))
    grid = (2 * across + 4 * oblique + 2 * straight,)
    kernel(grid, (THREADS,), *images, *matching, *penalties, across, straight, oblique, 1 << 16)
