"""Carry costs down and up along three paths at once on the GPU, in packed arithmetic."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import Kernel
from gpu.kernels.packed_sweep import BEGIN
from gpu.kernels.packed_sweep import KERNELS as SWEEPS
from gpu.pipeline import Array
from gpu.pipelines.sgm.packing import (
    LANES,
    LEANED_WARPS,
    lanes_of,
    leaned_blocks,
    leaned_bytes,
    leaned_warps,
)
from gpu.pipelines.sgm.params import ADAPTATIONS

COURIERS = 5  # warps that receive and send
GROUP = 8  # rows that are straight code, at most


def kernel(sum_bytes: int, lanes: int, warps: int, adaptive: bool, group: int = GROUP) -> Kernel:
    """Declare the kernel for the bytes of a sum, the lanes of a pixel and the warps that walk."""
    return Kernel(
        "packed_leaned.cu",
        "packed_leaned",
        (np.uint32, np.uint8, np.uint8, np.uint16, np.uint32, np.uint32) + (np.int32,) * 6,
        arrays=6,
        defines=(
            ("SUM_BYTES", str(sum_bytes)),
            ("LANES", str(lanes)),
            ("WARPS", str(warps)),
            ("ADAPTIVE", str(int(adaptive))),
            ("SHARED", str(leaned_bytes(lanes, warps))),
            ("GROUP", str(group)),
        ),
    )


# By the bytes of a sum, the lanes of a pixel, the warps that walk, and whether the large penalty
# adapts.
KERNELS: dict[Any, Kernel] = {
    (sum_bytes, lanes, warps, adaptive): kernel(sum_bytes, lanes, warps, adaptive)
    for sum_bytes in (1, 2)
    for lanes in LANES
    for warps in LEANED_WARPS
    for adaptive in (False, True)
}


def packed_leaned(
    left_steps: Array,
    packed_matches: Array,
    swept_sums: Array,
    swept_ninths: Array,
    sweep_turns: Array,
    sweep_handed: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
) -> None:
    """Launch the kernel for both sweeps."""
    height, width, disparities = packed_matches.shape
    lanes, warps = lanes_of(disparities), leaned_warps(height, width, disparities)
    chosen = KERNELS[swept_sums.shape[-1], lanes, warps, p2_adaptation != "none"]
    images = (left_steps, packed_matches, swept_sums, swept_ninths, sweep_turns, sweep_handed)
    penalties = (p1, p2, ADAPTATIONS.index(p2_adaptation))
    SWEEPS[BEGIN]((1,), (1,), sweep_turns)
    grid, block = (2 * leaned_blocks(height, width, disparities),), (32 * (warps + COURIERS),)
    shared = leaned_bytes(lanes, warps)
    chosen(grid, block, *images, height, width, disparities, *penalties, shared=shared)
