"""Convert decoded video and rectify views on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.texture import written

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


RECTIFYING_BLOCK = (32, 8)


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
        return declare(
            self._stage, memory, types, BLOCK_X=RECTIFYING_BLOCK[0], BLOCK_Y=RECTIFYING_BLOCK[1]
        )

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
            grid = blocks((*RECTIFYING_BLOCK, 1), -(-width // TOGETHER), height, VIEWS)
            both = raw_left, raw_right, left_map, right_map, left, right
            kernel(grid, (*RECTIFYING_BLOCK, 1), *both, height, width)
            return
        grid = blocks(RECTIFYING_BLOCK, width, height)
        for view in ((raw_left, left_map, left), (raw_right, right_map, right)):
            kernel(grid, RECTIFYING_BLOCK, *view, height, width)


_to_colours = Conversion("colour_conversion")


def colour_conversion(
    left_luma: Array,
    left_chroma: Array,
    right_luma: Array,
    right_chroma: Array,
    coefficients: Array,
    decoded_left: Array,
    decoded_right: Array,
) -> None:
    """Launch the conversion kernel; its outputs may be textures that later stages read."""
    views = left_luma, left_chroma, right_luma, right_chroma
    with written(decoded_left) as first, written(decoded_right) as second:
        _to_colours(*views, coefficients, first, second)


_to_grey = Conversion("grey_conversion")


def grey_conversion(
    left_luma: Array,
    left_chroma: Array,
    right_luma: Array,
    right_chroma: Array,
    coefficients: Array,
    left: Array,
    right: Array,
) -> None:
    """Launch the conversion kernel; its outputs may be textures that later stages read."""
    with written(left) as first, written(right) as second:
        _to_grey(left_luma, left_chroma, right_luma, right_chroma, coefficients, first, second)


_rectify = Rectifying("rectify")


def rectify(
    raw_left: Array,
    raw_right: Array,
    left_map: Array,
    right_map: Array,
    left: Array,
    right: Array,
    memory: str,
) -> None:
    """Launch the kernel of a memory; its outputs may be textures that later stages read."""
    with written(left) as first, written(right) as second:
        _rectify(raw_left, raw_right, left_map, right_map, first, second, memory)


_rectify_colours = Rectifying("rectify_colours")


def rectify_colours(
    raw_left: Array,
    raw_right: Array,
    left_map: Array,
    right_map: Array,
    rectified_left: Array,
    rectified_right: Array,
    memory: str,
) -> None:
    """Launch the rectifying kernel of a memory."""
    images = raw_left, raw_right, left_map, right_map, rectified_left, rectified_right
    _rectify_colours(*images, memory)
