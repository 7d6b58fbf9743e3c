"""Replace each pixel by the mean of its window on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, blocks, declare
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.mean import MeanParams, fits

BLOCK = (32, 16)
CONTROLS = controls(MeanParams)
SCALARS: dict[str, tuple[str, ...]] = {  # what a memory's kernel takes after its images
    "global": ("height", "width", "radius"),
    "unrolled": ("height", "width"),
    "texture": ("height", "width", "radius"),
    "shared": ("height", "width"),
}


def _kernel(memory: str, convention: str, radius: int) -> Kernel:
    left: Any = TEXTURE if memory == "texture" else np.uint8
    macros = {"CONVENTION": convention, "RADIUS": radius, "BLOCK_X": BLOCK[0], "BLOCK_Y": BLOCK[1]}
    return declare("mean_filter", memory, (left, np.uint8), len(SCALARS[memory]), **macros)


KERNELS = {
    (memory, convention, radius): _kernel(memory, convention, radius)
    for memory in SCALARS
    for convention in CONTROLS["convention"].choices
    for radius in range(int(CONTROLS["radius"].low), int(CONTROLS["radius"].high) + 1)
    if not fits(MeanParams(radius, convention), 1, 1)
}


def mean_filter(left: Array, mean: Array, radius: int, convention: str, memory: str) -> None:
    """Launch the mean filter kernel of a memory."""
    height, width = mean.shape
    scalars = {"height": height, "width": width, "radius": radius}
    kernel = KERNELS[memory, convention, radius]
    grid = blocks(BLOCK, width, height)
    kernel(grid, BLOCK, left, mean, *(scalars[name] for name in SCALARS[memory]))
