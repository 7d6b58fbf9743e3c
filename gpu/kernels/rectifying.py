"""Launch the kernels that rectify both views, to grey levels or colours."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, blocks, declare
from wheatstone.gpu.pipeline import Array

BLOCK = (32, 8)
VIEWS = 2
TOGETHER = 4  # pixels of a thread of variant `fast`


class Rectifying:
    """Launcher of a rectifying stage's kernels for both views.

    Args:
        stage: name of the file, and prefix of its kernels' names.
    """

    def __init__(self, stage: str) -> None:
        self._stage = stage
        self.kernels = {memory: self._kernel(memory) for memory in ("global", "texture", "fast")}

    def _kernel(self, memory: str) -> Kernel:
        raw: Any = TEXTURE if memory == "texture" else np.uint8
        views = VIEWS if memory == "fast" else 1
        types = (*(raw,) * views, *(np.int16,) * views, *(np.uint8,) * views)
        return declare(self._stage, memory, types, BLOCK_X=BLOCK[0], BLOCK_Y=BLOCK[1])

    def __call__(
        self,
        raw_left: Array,
        raw_right: Array,
        left_map: Array,
        right_map: Array,
        left: Array,
        right: Array,
        memory: str,
    ) -> None:
        """Launch the kernel of a memory: once per view, but ``fast`` once for both."""
        kernel, (height, width) = self.kernels[memory], left.shape[:2]
        if memory == "fast":
            grid = blocks((*BLOCK, 1), -(-width // TOGETHER), height, VIEWS)
            both = raw_left, raw_right, left_map, right_map, left, right
            kernel(grid, (*BLOCK, 1), *both, height, width)
            return
        grid = blocks(BLOCK, width, height)
        for view in ((raw_left, left_map, left), (raw_right, right_map, right)):
            kernel(grid, BLOCK, *view, height, width)
