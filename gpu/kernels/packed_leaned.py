"""Aggregate costs down and up along three paths at once on the GPU, in packed arithmetic."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import Kernel, declare
from wheatstone.gpu.kernels.packed_sweep import BEGIN, DECLARED
from wheatstone.gpu.kernels.packed_sweep import KERNELS as SWEEPS
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.packing import (
    LANES,
    LEANED_BLOCKS,
    STRETCH,
    LeanedBlock,
    lanes_of,
    leaned_block,
    leaned_bytes,
    leaned_grid,
    row_span,
)
from wheatstone.gpu.pipelines.sgm.params import ADAPTATIONS

GROUP = 4  # rows that are straight code: more, and the code of rows, do not fit the caches


def kernel(
    element: Any, sum_bytes: int, lanes: int, block: LeanedBlock, adaptive: bool, group: int = GROUP
) -> Kernel:
    """Declare the kernel for a type of stored path costs and a size of a sum in bytes.

    Args:
        lanes: number per pixel.
    """
    return declare(
        "packed_leaned",
        "",
        (np.uint32, *(np.uint8,) * 3, np.uint16, np.uint32, np.uint32),
        7,
        PATH_COST=element,
        SUM_BYTES=sum_bytes,
        LANES=lanes,
        ACROSS_SPAN=row_span(lanes),
        WARPS=block.warps,
        ROWERS=block.rowers,
        RECEIVERS=block.receivers,
        ADAPTIVE=adaptive,
        SHARED=leaned_bytes(lanes, block.warps, block.rowers),
        STRETCH=STRETCH,
        GROUP=group,
        DIRECTIONS=DECLARED,
    )


# By the element of stored path costs, the bytes of a sum, the lanes of a pixel, the block, and
# whether the large penalty adapts.
KERNELS: dict[Any, Kernel] = {
    (element, sum_bytes, lanes, block, adaptive): kernel(element, sum_bytes, lanes, block, adaptive)
    for element, sum_bytes in ((np.uint8, 1), (np.uint8, 2), (np.uint16, 2))
    for lanes in LANES
    for block in LEANED_BLOCKS
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
    """Launch the kernel that computes both sweeps and the rows."""
    height, width, disparities = packed_matches.shape
    lanes, block = lanes_of(disparities), leaned_block(height, width, disparities)
    element = (np.uint8, np.uint16)[packed_costs.shape[-1] - 1]
    adaptive = p2_adaptation != "none"
    chosen = KERNELS[element, swept_sums.shape[-1], lanes, block, adaptive]
    images = (left_steps, packed_matches, packed_costs, swept_sums, swept_ninths)
    penalties = (p1, p2, ADAPTATIONS.index(p2_adaptation))
    blocks, sweepers = leaned_grid(height, width, disparities)
    scalars = (height, width, disparities, *penalties, sweepers)
    SWEEPS[BEGIN]((1,), (1,), sweep_turns)
    shared = leaned_bytes(lanes, block.warps, block.rowers)
    chosen((blocks,), (block.threads,), *images, sweep_turns, sweep_handed, *scalars, shared=shared)
