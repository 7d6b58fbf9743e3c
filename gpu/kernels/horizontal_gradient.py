"""Compute horizontal gradients on the GPU."""

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.params import GRADIENT_REACH

BLOCK = (32, 16)
IMAGES: dict[str, type[np.generic]] = {"global": np.uint8, "texture": TEXTURE}
KERNELS = {
    memory: declare("horizontal_gradient", memory, (image, np.uint8), REACH=GRADIENT_REACH)
    for memory, image in IMAGES.items()
}


def horizontal_gradient(
    left: Array, right: Array, left_gradient: Array, right_gradient: Array, memory: str = "global"
) -> None:
    """Launch the gradient kernel of a memory, once for each view."""
    height, width = left_gradient.shape
    for image, gradient in ((left, left_gradient), (right, right_gradient)):
        KERNELS[memory](blocks(BLOCK, width, height), BLOCK, image, gradient, height, width)
