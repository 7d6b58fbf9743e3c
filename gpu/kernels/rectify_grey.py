"""Rectify both views on the GPU in one launch, and convert them to grey levels."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.kernels.written import written
from gpu.pipeline import Array

BLOCK = (32, 8, 1)
VIEWS, PIXELS = 2, 2  # of a launch, of a thread
KERNEL = Kernel(
    "rectify_grey.cu",
    "rectify_grey",
    (*(np.uint8,) * 2, *(np.int16,) * 2, *(np.uint8,) * 4, np.int32, np.int32),
    arrays=8,
    defines=(("BLOCK_X", str(BLOCK[0])), ("BLOCK_Y", str(BLOCK[1]))),
)
KERNELS = {"": KERNEL}


def rectify_grey(
    raw_left: Array,
    raw_right: Array,
    left_map: Array,
    right_map: Array,
    rectified_left: Array,
    rectified_right: Array,
    left: Array,
    right: Array,
) -> None:
    """Launch the kernel for both views."""
    height, width = left.shape
    grid = blocks(BLOCK, -(-width // PIXELS), height, VIEWS)
    images = (raw_left, raw_right, left_map, right_map, rectified_left, rectified_right)
    with written(left) as grey_left, written(right) as grey_right:
        KERNEL(grid, BLOCK, *images, grey_left, grey_right, height, width)
