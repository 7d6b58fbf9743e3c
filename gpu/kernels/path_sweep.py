"""Aggregate costs down or up by a sweep on the GPU, one launch per row."""

from wheatstone.gpu.kernels.kernel import Dim, blocks
from wheatstone.gpu.kernels.message import BLOCK, carrying_kernels
from wheatstone.gpu.pipeline import Array

KERNELS = carrying_kernels("path_sweep", scalars=7)


def path_sweep(
    left: Array,
    cost: Array,
    path_costs: Array,
    p1: int,
    p2: int,
    p2_adaptation: str,
    dy: int,
    memory: str,
) -> None:
    """Launch the sweep kernel of a memory for every row, in the order of the sweep."""
    height, width, disparities = cost.shape
    alone = memory == "global_scanline"
    block: Dim = BLOCK if alone else (disparities,)
    grid = blocks(BLOCK, width) if alone else (width,)
    scalars = (height, width, disparities, p1, p2, dy)
    for row in range(height):
        y = row if dy > 0 else height - 1 - row
        KERNELS[memory, p2_adaptation](grid, block, left, cost, path_costs, *scalars, y)
