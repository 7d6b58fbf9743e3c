"""Carry costs along paths on the GPU, one direction a call."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import TEXTURE, Dim, Kernel, blocks, c_type
from gpu.kernels.path_sweep import path_sweep
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
        "path_aggregation.cu",
        f"path_aggregation_{memory}",
        (left, cost, path_cost) + (np.int32,) * 8,
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
    """Launch the kernel of a memory; of a sweep, those of its rows."""
    if sweep:
        path_sweep(left, cost, path_costs, p1, p2, p2_adaptation, dy, memory)
        return
    height, width, disparities = cost.shape
    lines = (width if dy else 0) + (height if dx else 0) - (1 if dx and dy else 0)
    block: Dim = BLOCK if memory == "global_scanline" else (disparities,)
    grid = blocks(BLOCK, lines) if memory == "global_scanline" else (lines,)
    scalars = (height, width, disparities, lines, p1, p2, dx, dy)
    KERNELS[memory, p2_adaptation](grid, block, left, cost, path_costs, *scalars)
