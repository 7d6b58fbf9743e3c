"""Rectify both views on the GPU, one after the other."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import TEXTURE, Kernel, blocks
from gpu.pipeline import Array

BLOCK = (32, 8)


def _kernel(memory: str) -> Kernel:
    raw: Any = TEXTURE if memory == "texture" else np.uint8
    return Kernel(
        "rectify.cu",
        f"rectify_{memory}",
        (raw, np.int16, np.uint8, np.int32, np.int32),
        arrays=3,
        defines=(("BLOCK_X", str(BLOCK[0])), ("BLOCK_Y", str(BLOCK[1]))),
    )


KERNELS = {memory: _kernel(memory) for memory in ("global", "texture")}


def rectify(
    raw_left: Array,
    raw_right: Array,
    left_map: Array,
    right_map: Array,
    rectified_left: Array,
    rectified_right: Array,
    memory: str,
) -> None:
    """Launch the kernel of a memory for each view."""
    height, width = rectified_left.shape[:2]
    grid = blocks(BLOCK, width, height)
    for raw, view_map, out in (
        (raw_left, left_map, rectified_left),
        (raw_right, right_map, rectified_right),
    ):
        KERNELS[memory](grid, BLOCK, raw, view_map, out, height, width)
