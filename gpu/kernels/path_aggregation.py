"""Aggregate costs along paths on the GPU, one direction per call."""

from wheatstone.gpu.kernels.kernel import Dim, blocks
from wheatstone.gpu.kernels.message import BLOCK, carrying_kernels
from wheatstone.gpu.kernels.path_sweep import path_sweep
from wheatstone.gpu.pipeline import Array

KERNELS = carrying_kernels("path_aggregation", scalars=8)


def path_aggregation(
    left: Array,
    cost: Array,
    path_costs: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
    dx: int,
    dy: int,
    sweep: bool,
    memory: str,
) -> None:
    """Launch the kernel of a memory for a direction; for a sweep, once per row."""
    if sweep:
        path_sweep(left, cost, path_costs, p1, p2, p2_adaptation, dy, memory)
        return
    height, width, disparities = cost.shape
    lines = (width if dy else 0) + (height if dx else 0) - (1 if dx and dy else 0)
    block: Dim = BLOCK if memory == "global_scanline" else (disparities,)
    grid = blocks(BLOCK, lines) if memory == "global_scanline" else (lines,)
    scalars = (height, width, disparities, lines, p1, p2, dx, dy)
    KERNELS[memory, p2_adaptation](grid, block, left, cost, path_costs, *scalars)
