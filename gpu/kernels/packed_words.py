"""Right descriptors, laid out for the packed path aggregation."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks, c_type
from gpu.pipeline import Array

BLOCK = (256,)
KERNELS = {
    descriptor: Kernel(
        "packed_words.cu",
        "packed_words",
        (descriptor, np.uint32, np.uint32, np.int32),
        arrays=3,
        defines=(("DESCRIPTOR", c_type(descriptor)),),
    )
    for descriptor in (np.uint8, np.uint32)
}


def packed_words(right_descriptor: Array, right_quads: Array, right_best: Array) -> None:
    """Launch the kernel."""
    height, width = right_descriptor.shape
    kernel = KERNELS[right_descriptor.dtype.type]
    grid = blocks(BLOCK, height * width)
    kernel(grid, BLOCK, right_descriptor, right_quads, right_best, height * width)
