"""Carry costs down or up by a sweep on the GPU, a launch a row."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import TEXTURE, Dim, Kernel, blocks, c_type
from gpu.parameters import controls
from gpu.pipeline import Array
from gpu.pipelines.sgm.params import ADAPTATIONS, SgmParams

BLOCK = (32,)
ELEMENTS = {  # of costs and path costs
    "global_scanline": (np.int32, np.int32),
    "global": (np.uint8, np.uint16),
    "shared": (np.uint8, np.uint16),
    "texture": (np.uint8, np.uint16),
}


def _kernel(memory: str, adaptation: str, cost: Any, path_cost: Any) -> Kernel:
    left = TEXTURE if memory == "texture" else np.uint8
    return Kernel(
        "path_sweep.cu",
        f"path_sweep_{memory}",
        (left, cost, path_cost) + (np.int32,) * 7,
        arrays=3,
        defines=(
            ("ADAPTATION", adaptation),
            ("COST", c_type(cost)),
            ("PATH_COST", c_type(path_cost)),
            ("MAX_DISPARITIES", str(controls(SgmParams)["disparities"].high)),
        ),
    )


KERNELS = {
    (memory, adaptation): _kernel(memory, adaptation, *elements)
    for memory, elements in ELEMENTS.items()
    for adaptation in ADAPTATIONS
}


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
    """Launch the kernel of a memory for every row, in the order of the sweep."""
    height, width, disparities = cost.shape
    alone = memory == "global_scanline"
    block: Dim = BLOCK if alone else (disparities,)
    grid = blocks(BLOCK, width) if alone else (width,)
    scalars = (height, width, disparities, p1, p2, dy)
    for row in range(height):
        y = row if dy > 0 else height - 1 - row
        KERNELS[memory, p2_adaptation](grid, block, left, cost, path_costs, *scalars, y)
