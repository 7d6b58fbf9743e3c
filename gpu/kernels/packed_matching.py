"""Compute descriptors and matching costs on the GPU, with several packed in a register."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.kernels.matching_cost import window_name
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.packing import LANES, lanes_of
from wheatstone.gpu.pipelines.sgm.params import (
    GRADIENT_REACH,
    LARGEST_COSTS,
    LARGEST_GRADIENT_COST,
    outside_cost,
)

BLOCK = (16, 8)
TILE = (4 * BLOCK[0], BLOCK[1])  # four pixels a thread
PACKED_WORDS_KERNELS = {
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
    """Launch the kernel that writes the descriptors of both views."""
    height, width = left.shape
    images = (left, right, left_words, right_words, left_slopes, right_slopes, right_best)
    PACKED_WORDS_KERNELS[cost, gradient and cost != "absolute"](
        (*blocks(TILE, width, height), 2), BLOCK, *images, height, width
    )


THREADS = 128


def _tile(lanes: int) -> int:
    """Compute the number of pixels per block: as many as its threads compare at the same time."""
    return 8 * THREADS // lanes


PACKED_MATCHING_KERNELS = {
    (difference, gradient, lanes): declare(
        "packed_matching",
        "",
        (np.uint8, np.uint32, np.uint32, *(np.uint8,) * 3, np.uint32),
        5,
        DIFFERENCE=difference,
        GRADIENT=gradient,
        LARGEST_ADDED=LARGEST_GRADIENT_COST,
        LANES=lanes,
        THREADS=THREADS,
        TILE=_tile(lanes),
    )
    for difference, gradient in (("absolute", False), ("hamming", False), ("hamming", True))
    for lanes in LANES
}


def packed_matching(
    left: Array,
    left_words: Array,
    right_words: Array,
    left_slopes: Array,
    right_slopes: Array,
    packed_matches: Array,
    left_steps: Array,
    cost: str,
    min_disparity: int,
    gradient: bool,
    outside: int,
) -> None:
    """Launch the kernel that writes the matching costs of all pixels in the packed layout."""
    height, width, disparities = packed_matches.shape
    lanes = lanes_of(disparities)
    words = cost != "absolute"
    kernel = PACKED_MATCHING_KERNELS["hamming" if words else "absolute", gradient and words, lanes]
    grid = (-(-width // _tile(lanes)), height)
    compared = (left, left_words, right_words, left_slopes, right_slopes)
    sizes = (height, width, disparities)
    costs = (min_disparity, outside_cost(cost, gradient, outside))
    kernel(grid, (THREADS,), *compared, packed_matches, left_steps, *sizes, *costs)
