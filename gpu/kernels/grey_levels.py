"""Convert the colours of both views to grey levels on the GPU."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.kernels.written import written
from gpu.pipeline import Array

BLOCK = (32, 8)
KERNEL = Kernel(
    "grey_levels.cu",
    "grey_levels",
    (np.uint8, np.uint8, np.int32, np.int32),
    arrays=2,
    defines=(("BLOCK_X", str(BLOCK[0])), ("BLOCK_Y", str(BLOCK[1]))),
)
KERNELS = {"": KERNEL}


def grey_levels(rectified_left: Array, rectified_right: Array, left: Array, right: Array) -> None:
    """Launch the kernel for each view; its result may be a texture that later stages read."""
    height, width = left.shape
    for colours, grey in ((rectified_left, left), (rectified_right, right)):
        with written(grey) as out:
            KERNEL(blocks(BLOCK, width, height), BLOCK, colours, out, height, width)
