"""Descriptors of both views, laid out for the packed path aggregation."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array
from gpu.pipelines.sgm import OUTSIDE

BLOCK = (32, 8)
KERNELS = {
    cost: Kernel(
        "packed_words.cu",
        "packed_words",
        (np.uint8, np.uint8) + (np.uint32,) * 3 + (np.int32,) * 3,
        arrays=5,
        defines=(
            ("PAIRS", "grey" if cost == "absolute" else cost.removeprefix("census-")),
            ("TILE_X", str(BLOCK[0])),
            ("TILE_Y", str(BLOCK[1])),
        ),
    )
    for cost in OUTSIDE
}


def packed_words(
    left: Array,
    right: Array,
    left_pixels: Array,
    right_quads: Array,
    right_best: Array,
    cost: str,
) -> None:
    """Launch the kernel."""
    (height, width), pitch = left.shape, left_pixels.shape[1]
    images = (left, right, left_pixels, right_quads, right_best)
    KERNELS[cost](blocks(BLOCK, pitch, height), BLOCK, *images, height, width, pitch)
