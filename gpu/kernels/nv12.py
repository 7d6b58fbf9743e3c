"""Launch the kernels that convert decoded video to grey levels or colours."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array

BLOCK = (32, 8, 1)
TOGETHER = 4  # pixels of a thread
VIEWS = 2


class Conversion:
    """Launcher of a conversion stage's kernel for both views.

    Args:
        stage: name of the file and of the kernel.
    """

    def __init__(self, stage: str) -> None:
        arrays = (*(np.uint8,) * 2 * VIEWS, np.int32, *(np.uint8,) * VIEWS)
        self.kernels = {"global": declare(stage, "", arrays)}

    def __call__(self, *images: Array) -> None:
        """Launch the kernel on luma and chroma of both views, the coefficients and the results."""
        height, width = images[0].shape
        grid = blocks(BLOCK, -(-width // TOGETHER), height, VIEWS)
        self.kernels["global"](grid, BLOCK, *images, height, width)
