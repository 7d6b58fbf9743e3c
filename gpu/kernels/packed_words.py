"""Compute the descriptors of both views for the packed matching on the GPU."""

import numpy as np

from wheatstone.gpu.kernels.census_transform import window_name
from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.params import GRADIENT_REACH, LARGEST_COSTS

BLOCK = (16, 8)
TILE = (4 * BLOCK[0], BLOCK[1])  # four pixels a thread
KERNELS = {
    (cost, gradient): declare(
        "packed_words",
        "",
        (np.uint8, np.uint8, np.uint32, np.uint32, np.uint8, np.uint8, np.uint32),
        PAIRS="grey" if cost == "absolute" else window_name(cost),
        TILE_X=TILE[0],
        TILE_Y=TILE[1],
        GRADIENT=gradient,
        REACH=GRADIENT_REACH,
    )
    for cost in LARGEST_COSTS
    for gradient in ((False,) if cost == "absolute" else (False, True))
}


def packed_words(
    left: Array,
    right: Array,
    left_words: Array,
    right_words: Array,
    left_slopes: Array,
    right_slopes: Array,
    right_best: Array,
    cost: str,
    gradient: bool,
) -> None:
    """Launch the kernel that writes the descriptors."""
    height, width = left.shape
    images = (left, right, left_words, right_words, left_slopes, right_slopes, right_best)
    KERNELS[cost, gradient and cost != "absolute"](
        (*blocks(TILE, width, height), 2), BLOCK, *images, height, width
    )
