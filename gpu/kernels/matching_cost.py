"""Describe the pixels of both views and compute matching costs on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Dim, Kernel, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.params import (
    GRADIENT_REACH,
    LARGEST_COSTS,
    LARGEST_GRADIENT_COST,
    outside_cost,
)

BLOCK = (32, 16)


def window_name(cost: str) -> str:
    """Return the name in ``census.cuh`` of the census window that a cost compares."""
    return cost.removeprefix("census-").replace("-", "_")


IMAGES: dict[str, type[np.generic]] = {"global": np.uint8, "texture": TEXTURE}
CENSUS_TRANSFORM_KERNELS = {
    (memory, cost): declare("census_transform", memory, (image, np.uint32), PAIRS=window_name(cost))
    for memory, image in IMAGES.items()
    for cost in LARGEST_COSTS
    if cost != "absolute"
}


def census_transform(
    left: Array,
    right: Array,
    left_descriptor: Array,
    right_descriptor: Array,
    cost: str,
    memory: str = "global",
) -> None:
    """Launch the census kernel for the given kind of memory, once for each view."""
    kernel = CENSUS_TRANSFORM_KERNELS[memory, cost]
    height, width = left.shape
    for image, words in ((left, left_descriptor), (right, right_descriptor)):
        kernel(blocks(BLOCK, width, height), BLOCK, image, words, height, width)


HORIZONTAL_GRADIENT_KERNELS = {
    memory: declare("horizontal_gradient", memory, (image, np.uint8), REACH=GRADIENT_REACH)
    for memory, image in IMAGES.items()
}


def horizontal_gradient(
    left: Array, right: Array, left_gradient: Array, right_gradient: Array, memory: str = "global"
) -> None:
    """Launch the gradient kernel for the given kind of memory, once for each view."""
    height, width = left_gradient.shape
    for image, gradient in ((left, left_gradient), (right, right_gradient)):
        HORIZONTAL_GRADIENT_KERNELS[memory](
            blocks(BLOCK, width, height), BLOCK, image, gradient, height, width
        )


def _cost_kernel(memory: str, descriptor: Any, cost: Any, gradient: bool = False) -> Kernel:
    image = TEXTURE if memory == "texture" else descriptor
    images = (image, image, *(np.uint8, np.uint8) * gradient, cost)
    part, added = f"{memory}{'_gradient' * gradient}", LARGEST_GRADIENT_COST
    macros = {"DESCRIPTOR": descriptor, "COST": cost, "LARGEST_ADDED": added}
    return declare("matching_cost", part, images, 5, **macros)


# By memory and the elements of descriptors and costs. Census words are plain arrays in any variant.
ALONE = {
    ("global_scanline", np.uint8, np.int32): _cost_kernel("global_scanline", np.uint8, np.int32),
    ("global_scanline", np.uint32, np.int32): _cost_kernel("global_scanline", np.uint32, np.int32),
    ("global", np.uint8, np.uint8): _cost_kernel("global", np.uint8, np.uint8),
    ("global", np.uint32, np.uint8): _cost_kernel("global", np.uint32, np.uint8),
    ("texture", np.uint8, np.uint8): _cost_kernel("texture", np.uint8, np.uint8),
    ("texture", np.uint32, np.uint8): _cost_kernel("global", np.uint32, np.uint8),
}
# Beside census words, by memory.
WITH_GRADIENT = {
    "global_scanline": _cost_kernel("global_scanline", np.uint32, np.int32, True),
    "global": _cost_kernel("global", np.uint32, np.uint8, True),
    "texture": _cost_kernel("global", np.uint32, np.uint8, True),
}


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
    """Launch the cost kernel for the given kind of memory, with or without gradients."""
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
