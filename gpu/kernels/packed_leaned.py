"""Carry costs down and up along three paths at once on the GPU, in packed arithmetic."""

from typing import Any

import numpy as np

from gpu.kernels.directions import DECLARED
from gpu.kernels.kernel import Kernel, c_type
from gpu.kernels.packed_sweep import BEGIN
from gpu.kernels.packed_sweep import KERNELS as SWEEPS
from gpu.pipeline import Array
from gpu.pipelines.sgm.packing import (
    COURIERS,
    LANES,
    LEANED_BLOCKS,
    STRETCH,
    lanes_of,
    leaned_block,
    leaned_bytes,
    leaned_grid,
    row_span,
)
from gpu.pipelines.sgm.params import ADAPTATIONS

GROUP = 4  # rows that are straight code: more, and the code of rows, do not fit the caches


def kernel(
    element: Any,
    sum_bytes: int,
    lanes: int,
    warps: int,
    rowers: int,
    adaptive: bool,
    group: int = GROUP,
) -> Kernel:
    """Declare the kernel for the element of stored path costs and the bytes of a sum.

    Args:
        lanes: of a pixel.
        warps: of a block, that sweep.
        rowers: warps of a block that walk rows beside them; 0: rows are walked by another launch.
    """
    return Kernel(
        "packed_leaned.cu",
        "packed_leaned",
        (np.uint32, np.uint8, np.uint8, np.uint8, np.uint16, np.uint32, np.uint32)
        + (np.int32,) * 7,
        arrays=7,
        defines=(
            ("PATH_COST", c_type(element)),
            ("SUM_BYTES", str(sum_bytes)),
            ("LANES", str(lanes)),
            ("ACROSS_SPAN", str(row_span(lanes))),
            ("WARPS", str(warps)),
            ("ROWERS", str(rowers)),
            ("ADAPTIVE", str(int(adaptive))),
            ("SHARED", str(leaned_bytes(lanes, warps, rowers))),
            ("STRETCH", str(STRETCH)),
            ("GROUP", str(group)),
            DECLARED,
        ),
    )


# By the element of stored path costs, the bytes of a sum, the lanes of a pixel, the warps that
# sweep, those that walk rows, and whether the large penalty adapts.
KERNELS: dict[Any, Kernel] = {
    (element, sum_bytes, lanes, warps, rowers, adaptive): kernel(
        element, sum_bytes, lanes, warps, rowers, adaptive
    )
    for element, sum_bytes in ((np.uint8, 1), (np.uint8, 2), (np.uint16, 2))
    for lanes in LANES
    for warps, rowers in LEANED_BLOCKS
    for adaptive in (False, True)
}


def packed_leaned(
    left_steps: Array,
    packed_matches: Array,
    packed_costs: Array,
    swept_sums: Array,
    swept_ninths: Array,
    sweep_turns: Array,
    sweep_handed: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
) -> None:
    """Launch the kernel for both sweeps, and for the rows, if they are walked beside them."""
    height, width, disparities = packed_matches.shape
    lanes, (warps, rowers) = lanes_of(disparities), leaned_block(height, width, disparities)
    element = (np.uint8, np.uint16)[packed_costs.shape[-1] - 1]
    adaptive = p2_adaptation != "none"
    chosen = KERNELS[element, swept_sums.shape[-1], lanes, warps, rowers, adaptive]
    images = (left_steps, packed_matches, packed_costs, swept_sums, swept_ninths)
    penalties = (p1, p2, ADAPTATIONS.index(p2_adaptation))
    blocks, sweepers = leaned_grid(height, width, disparities)
    block = (32 * (warps + COURIERS + rowers),)
    scalars = (height, width, disparities, *penalties, sweepers)
    SWEEPS[BEGIN]((1,), (1,), sweep_turns)
    shared = leaned_bytes(lanes, warps, rowers)
    chosen((blocks,), block, *images, sweep_turns, sweep_handed, *scalars, shared=shared)
