"""Compute matching costs on the GPU, packed for the path aggregation."""

import numpy as np

from wheatstone.gpu.kernels.kernel import declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.packing import LANES, lanes_of
from wheatstone.gpu.pipelines.sgm.params import LARGEST_GRADIENT_COST, outside_cost

THREADS = 128


def _tile(lanes: int) -> int:
    """Compute the pixels of a block: as many as its threads compare at once."""
    return 8 * THREADS // lanes


KERNELS = {
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
    """Launch the kernel that writes the packed costs."""
    height, width, disparities = packed_matches.shape
    lanes = lanes_of(disparities)
    words = cost != "absolute"
    kernel = KERNELS["hamming" if words else "absolute", gradient and words, lanes]
    grid = (-(-width // _tile(lanes)), height)
    compared = (left, left_words, right_words, left_slopes, right_slopes)
    sizes = (height, width, disparities)
    costs = (min_disparity, outside_cost(cost, gradient, outside))
    kernel(grid, (THREADS,), *compared, packed_matches, left_steps, *sizes, *costs)
