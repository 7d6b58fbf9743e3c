"""Sum the costs of paths on the GPU, one path per call."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array

BLOCK = (32, 16)
KERNELS = {
    (path_cost, total): declare(
        "path_sum", "", (path_cost, total), 4, PATH_COST=path_cost, SUM=total
    )
    for path_cost, total in ((np.uint16, np.uint16), (np.int32, np.int32))
}


def path_sum(path_costs: Array, sums: Array, first: bool) -> None:
    """Add the costs of a path to the sums; if ``first``, overwrite the sums with them instead."""
    kernel = KERNELS[path_costs.dtype.type, sums.dtype.type]
    height, width, disparities = sums.shape
    grid = blocks(BLOCK, width * disparities, height)
    kernel(grid, BLOCK, path_costs, sums, height, width, disparities, first)
