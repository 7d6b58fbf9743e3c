"""Launch the census transform on the GPU."""

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.params import LARGEST_COSTS

BLOCK = (32, 16)


def window_name(cost: str) -> str:
    """Return the name that ``census.cuh`` gives to a kind of window."""
    return cost.removeprefix("census-").replace("-", "_")


IMAGES: dict[str, type[np.generic]] = {"global": np.uint8, "texture": TEXTURE}
KERNELS = {
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
    """Launch the census kernel of the given memory, once for each view."""
    kernel = KERNELS[memory, cost]
    height, width = left.shape
    for image, words in ((left, left_descriptor), (right, right_descriptor)):
        kernel(blocks(BLOCK, width, height), BLOCK, image, words, height, width)
