"""Declare the kernels that aggregate costs along paths, with the macros of ``message.cuh``."""

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, c_type
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
        (memory, adaptation): Kernel(
            f"{stem}.cu",
            f"{stem}_{memory}",
            (TEXTURE if memory == "texture" else np.uint8, *elements) + (np.int32,) * scalars,
            arrays=3,
            defines=(
                ("ADAPTATION", adaptation),
                ("COST", c_type(elements[0])),
                ("PATH_COST", c_type(elements[1])),
                ("MAX_DISPARITIES", str(controls(SgmParams)["disparities"].high)),
            ),
        )
        for memory, elements in ELEMENTS.items()
        for adaptation in ADAPTATIONS
    }
