"""Matching cost and path aggregation of all directions on the GPU, in packed arithmetic."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import Kernel, c_type
from gpu.parameters import controls
from gpu.pipeline import Array
from gpu.pipelines.sgm import OUTSIDE, SgmParams

THREADS = 128
LANES = (1, 2, 4, 8, 16, 32)  # that own a pixel, 16 disparities each
ACROSS = 2  # as many for a horizontal line, while a warp has them: more latency hidden, more work
ADAPTATIONS = controls(SgmParams)["p2_adaptation"].choices  # the kernel counts in them


def _kernel(descriptor: Any, path_cost: Any, lanes: int) -> Kernel:
    return Kernel(
        "packed_aggregation.cu",
        "packed_aggregation",
        (np.uint8, descriptor, np.uint32, np.uint8) + (np.int32,) * 11,
        arrays=4,
        defines=(
            ("DESCRIPTOR", c_type(descriptor)),
            ("PATH_COST", c_type(path_cost)),
            ("LANES", str(lanes)),
            ("ACROSS_SPAN", str(min(ACROSS * lanes, 32))),
            ("THREADS", str(THREADS)),
        ),
    )


# By the elements of descriptors and stored path costs, and by lanes.
KERNELS = {
    (descriptor, path_cost, lanes): _kernel(descriptor, path_cost, lanes)
    for descriptor in (np.uint8, np.uint32)
    for path_cost in (np.uint8, np.uint16)
    for lanes in LANES
}


def lanes_of(disparities: int) -> int:
    """Lanes that own a pixel: the power of two for which all disparities have a place."""
    return next(lanes for lanes in LANES if 16 * lanes >= disparities)


def packed_aggregation(
    left: Array,
    left_descriptor: Array,
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
    lanes = lanes_of(disparities)
    path_cost = (np.uint8, np.uint16)[size - 1]
    kernel = KERNELS[left_descriptor.dtype.type, path_cost, lanes]
    across = -(-height * min(ACROSS * lanes, 32) // THREADS)
    down = -(-width * lanes // THREADS)
    grid = (2 * across + (paths - 2) * down,)
    images = (left, left_descriptor, right_quads, packed_costs)
    matching = (height, width, disparities, min_disparity, OUTSIDE[cost])
    penalties = (p1, p2, ADAPTATIONS.index(p2_adaptation))
    kernel(grid, (THREADS,), *images, *matching, *penalties, across, down, 1 << 16)
