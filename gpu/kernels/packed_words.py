"""Describe the pixels of both views for the packed matching."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array
from gpu.pipelines.sgm.params import OUTSIDE

BLOCK = (16, 8)
TILE = (4 * BLOCK[0], BLOCK[1])  # four pixels a thread
KERNELS = {
    cost: Kernel(
        "packed_words.cu",
        "packed_words",
        (np.uint8, np.uint8) + (np.uint32,) * 3 + (np.int32,) * 2,
        arrays=5,
        defines=(
            ("PAIRS", "grey" if cost == "absolute" else cost.removeprefix("census-")),
            ("TILE_X", str(TILE[0])),
            ("TILE_Y", str(TILE[1])),
        ),
    )
    for cost in OUTSIDE
}


def packed_words(
    left: Array,
    right: Array,
    left_words: Array,
    right_words: Array,
    right_best: Array,
    cost: str,
) -> None:
    """Launch the kernel."""
    height, width = left.shape
    images = (left, right, left_words, right_words, right_best)
    KERNELS[cost](blocks(TILE, width, height), BLOCK, *images, height, width)
