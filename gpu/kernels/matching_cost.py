"""Compare pixels with their candidates on the GPU."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import TEXTURE, Dim, Kernel, blocks, c_type
from gpu.pipeline import Array
from gpu.pipelines.sgm.params import OUTSIDE

BLOCK = (32, 16)


def _kernel(memory: str, descriptor: Any, cost: Any) -> Kernel:
    image = TEXTURE if memory == "texture" else descriptor
    return Kernel(
        "matching_cost.cu",
        f"matching_cost_{memory}",
        (image, image, cost) + (np.int32,) * 5,
        arrays=3,
        defines=(("DESCRIPTOR", c_type(descriptor)), ("COST", c_type(cost))),
    )


# By memory and the elements of descriptors and costs. Census words are plain arrays in any variant.
KERNELS = {
    ("global_scanline", np.uint8, np.int32): _kernel("global_scanline", np.uint8, np.int32),
    ("global_scanline", np.uint32, np.int32): _kernel("global_scanline", np.uint32, np.int32),
    ("global", np.uint8, np.uint8): _kernel("global", np.uint8, np.uint8),
    ("global", np.uint32, np.uint8): _kernel("global", np.uint32, np.uint8),
    ("texture", np.uint8, np.uint8): _kernel("texture", np.uint8, np.uint8),
    ("texture", np.uint32, np.uint8): _kernel("global", np.uint32, np.uint8),
}


def matching_cost(
    left_descriptor: Array,
    right_descriptor: Array,
    cost_volume: Array,
    cost: str,
    min_disparity: int,
    memory: str,
) -> None:
    """Launch the kernel of a memory."""
    kernel = KERNELS[memory, left_descriptor.dtype.type, cost_volume.dtype.type]
    height, width, disparities = cost_volume.shape
    block: Dim = BLOCK if memory == "global_scanline" else (disparities,)
    grid = blocks(BLOCK, width, height) if memory == "global_scanline" else (width, height)
    images = (left_descriptor, right_descriptor, cost_volume)
    kernel(grid, block, *images, height, width, disparities, min_disparity, OUTSIDE[cost])
