"""Aggregate costs down and up by sweeps on the GPU, in packed arithmetic, in one launch."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import Kernel, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.packing import LANES, SWEEP_THREADS, lanes_of, sweep_blocks
from wheatstone.gpu.pipelines.sgm.params import ADAPTATIONS, DIRECTIONS

IMAGES = (np.uint32, np.uint8, np.uint8, np.uint32, np.uint32)
DECLARED = ",".join(f"{{{dx},{dy}}}" for dx, dy in DIRECTIONS)
"""The macro DIRECTIONS of the files that walk several paths."""
BEGIN = "begin"


def _kernel(part: str, element: Any, lanes: int, arrays: tuple[Any, ...], scalars: int) -> Kernel:
    macros = {"PATH_COST": element, "LANES": lanes, "THREADS": SWEEP_THREADS}
    return declare("packed_sweep", part, arrays, scalars, **macros)


# What begins, and the others by the element of stored path costs and the lanes of a pixel.
KERNELS: dict[Any, Kernel] = {BEGIN: _kernel("begin", np.uint8, LANES[0], (np.uint32,), 0)} | {
    (element, lanes): _kernel("", element, lanes, IMAGES, 9)
    for element in (np.uint8, np.uint16)
    for lanes in LANES
}


def packed_sweep(
    left_steps: Array,
    packed_matches: Array,
    packed_costs: Array,
    sweep_turns: Array,
    sweep_handed: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
    dy: int,
    sweeps: int,
) -> None:
    """Launch the kernel for one or both sweeps, whose path costs are the last volumes.

    Args:
        dy: direction of the first sweep: 1 down, -1 up.
    """
    height, width, disparities = packed_matches.shape
    lanes = lanes_of(disparities)
    kernel = KERNELS[(np.uint8, np.uint16)[packed_costs.shape[-1] - 1], lanes]
    images = (left_steps, packed_matches, packed_costs, sweep_turns, sweep_handed)
    penalties, others = (p1, p2, ADAPTATIONS.index(p2_adaptation)), packed_costs.shape[0] - sweeps
    KERNELS[BEGIN]((1,), (1,), sweep_turns)
    grid, block = (sweeps * sweep_blocks(height, width, lanes),), (SWEEP_THREADS,)
    kernel(grid, block, *images, height, width, disparities, *penalties, others, dy, sweeps)
