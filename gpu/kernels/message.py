"""Declare the kernels that aggregate costs along paths, with the macros of ``message.cuh``."""

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, declare
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines.sgm.params import ADAPTATIONS, SgmParams

BLOCK = (32,)  # where a thread works alone
ELEMENTS: dict[
    str, tuple[type[np.generic], type[np.generic]]
] = {  # of costs and path costs, by memory
    "global_scanline": (np.int32, np.int32),
    "global": (np.uint8, np.uint16),
    "shared": (np.uint8, np.uint16),
    "texture": (np.uint8, np.uint16),
}


def carrying_kernels(stem: str, scalars: int) -> dict[tuple[str, str], Kernel]:
    """Declare a file's kernels by memory and by the adaptation of the large penalty.

    Args:
        stem: of the file; a kernel's name is the stem and its memory.
        scalars: number of them after the left view, the costs and the path costs.
    """
    return {
        (memory, adaptation): declare(
            stem,
            memory,
            (TEXTURE if memory == "texture" else np.uint8, cost, path_cost),
            scalars,
            ADAPTATION=adaptation,
            COST=cost,
            PATH_COST=path_cost,
            MAX_DISPARITIES=controls(SgmParams)["disparities"].high,
        )
        for memory, (cost, path_cost) in ELEMENTS.items()
        for adaptation in ADAPTATIONS
    }
