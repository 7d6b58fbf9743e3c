"""Compute matching costs of all pixels and disparities on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Dim, Kernel, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.params import LARGEST_GRADIENT_COST, outside_cost

BLOCK = (32, 16)


def _kernel(memory: str, descriptor: Any, cost: Any, gradient: bool = False) -> Kernel:
    image = TEXTURE if memory == "texture" else descriptor
    images = (image, image, *(np.uint8, np.uint8) * gradient, cost)
    part, added = f"{memory}{'_gradient' * gradient}", LARGEST_GRADIENT_COST
    macros = {"DESCRIPTOR": descriptor, "COST": cost, "LARGEST_ADDED": added}
    return declare("matching_cost", part, images, 5, **macros)


# By memory and the elements of descriptors and costs. Census words are plain arrays in any variant.
ALONE = {
    ("global_scanline", np.uint8, np.int32): _kernel("global_scanline", np.uint8, np.int32),
    ("global_scanline", np.uint32, np.int32): _kernel("global_scanline", np.uint32, np.int32),
    ("global", np.uint8, np.uint8): _kernel("global", np.uint8, np.uint8),
    ("global", np.uint32, np.uint8): _kernel("global", np.uint32, np.uint8),
    ("texture", np.uint8, np.uint8): _kernel("texture", np.uint8, np.uint8),
    ("texture", np.uint32, np.uint8): _kernel("global", np.uint32, np.uint8),
}
# Beside census words, by memory.
WITH_GRADIENT = {
    "global_scanline": _kernel("global_scanline", np.uint32, np.int32, True),
    "global": _kernel("global", np.uint32, np.uint8, True),
    "texture": _kernel("global", np.uint32, np.uint8, True),
}
KERNELS: dict[Any, Kernel] = {**ALONE, **WITH_GRADIENT}


def matching_cost(
    left_descriptor: Array,
    right_descriptor: Array,
    left_gradient: Array,
    right_gradient: Array,
    cost_volume: Array,
    cost: str,
    min_disparity: int,
    gradient: bool,
    outside: int,
    memory: str,
) -> None:
    """Launch the matching cost kernel of a memory, with or without gradients."""
    compared: tuple[Array, ...] = (left_descriptor, right_descriptor)
    kernel = ALONE[memory, left_descriptor.dtype.type, cost_volume.dtype.type]
    if gradient and cost != "absolute":
        compared, kernel = (*compared, left_gradient, right_gradient), WITH_GRADIENT[memory]
    height, width, disparities = cost_volume.shape
    block: Dim = BLOCK if memory == "global_scanline" else (disparities,)
    grid = blocks(BLOCK, width, height) if memory == "global_scanline" else (width, height)
    sizes = (height, width, disparities)
    costs = (min_disparity, outside_cost(cost, gradient, outside))
    kernel(grid, block, *compared, cost_volume, *sizes, *costs)
