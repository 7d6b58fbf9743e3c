"""Convert decoded video and rectify views on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, blocks, declare
from wheatstone.gpu.kernels.per_pixel import declared_stage, signature_of
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.nv12 import NV12
from wheatstone.gpu.pipelines.rectify import RECTIFY
from wheatstone.gpu.texture import written

BLOCK = (32, 8)
TOGETHER = 4  # pixels of a thread
VIEWS = 2


class Conversion:
    """Launcher of the kernel of a stage that converts decoded video, for both views.

    The results may be textures that later stages read.

    Args:
        stage: name of the file and of the kernel.
    """

    def __init__(self, stage: str) -> None:
        arrays = (*(np.uint8,) * 2 * VIEWS, np.int32, *(np.uint8,) * VIEWS)
        self.kernels = {"global": declare(stage, "", arrays)}
        self.__signature__ = signature_of(declared_stage(NV12, stage))

    def __call__(self, *images: Array) -> None:
        """Launch the kernel on luma and chroma of both views, the coefficients and the results."""
        *read, left, right = images
        height, width = images[0].shape
        grid = blocks((*BLOCK, 1), -(-width // TOGETHER), height, VIEWS)
        with written(left) as first, written(right) as second:
            self.kernels["global"](grid, (*BLOCK, 1), *read, first, second, height, width)


class Rectifying:
    """Launcher of the kernels of a stage that rectifies both views.

    The results may be textures that later stages read.

    Args:
        stage: name of the file, and prefix of its kernels' names.
    """

    def __init__(self, stage: str) -> None:
        self._stage = stage
        self.kernels = {memory: self._kernel(memory) for memory in ("global", "texture", "fast")}
        self.__signature__ = signature_of(declared_stage(RECTIFY, stage), "memory")

    def _kernel(self, memory: str) -> Kernel:
        raw: Any = TEXTURE if memory == "texture" else np.uint8
        views = VIEWS if memory == "fast" else 1
        types = (*(raw,) * views, *(np.int16,) * views, *(np.uint8,) * views)
        return declare(self._stage, memory, types, BLOCK_X=BLOCK[0], BLOCK_Y=BLOCK[1])

    def __call__(self, *images: Array, memory: str) -> None:
        """Launch the kernel for a kind of memory once per view; that of `fast` once for both.

        Args:
            images: raw views, maps and results, of each first the left one.
        """
        *read, left, right = images
        with written(left) as first, written(right) as second:
            self._launch((*read, first, second), memory)

    def _launch(self, images: tuple[Array, ...], memory: str) -> None:
        kernel, (height, width) = self.kernels[memory], images[-1].shape[:2]
        if memory == "fast":
            grid = blocks((*BLOCK, 1), -(-width // TOGETHER), height, VIEWS)
            kernel(grid, (*BLOCK, 1), *images, height, width)
            return
        for view in (images[::2], images[1::2]):
            kernel(blocks(BLOCK, width, height), BLOCK, *view, height, width)


colour_conversion = Conversion("colour_conversion")
grey_conversion = Conversion("grey_conversion")
rectify = Rectifying("rectify")
rectify_colours = Rectifying("rectify_colours")
