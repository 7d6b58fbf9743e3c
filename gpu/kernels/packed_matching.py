"""Matching costs on the GPU, packed for the path aggregation."""

import numpy as np

from gpu.kernels.kernel import Kernel
from gpu.pipeline import Array
from gpu.pipelines.packing import LANES, lanes_of
from gpu.pipelines.sgm import OUTSIDE

THREADS = 256
TILE = 64
KERNELS = {
    (difference, lanes): Kernel(
        "packed_matching.cu",
        "packed_matching",
        (np.uint32, np.uint32, np.uint8) + (np.int32,) * 5,
        arrays=3,
        defines=(
            ("DIFFERENCE", difference),
            ("LANES", str(lanes)),
            ("THREADS", str(THREADS)),
            ("TILE", str(TILE)),
        ),
    )
    for difference in ("absolute", "hamming")
    for lanes in LANES
}


def packed_matching(
    left_words: Array, right_words: Array, packed_matches: Array, cost: str, min_disparity: int
) -> None:
    """Launch the kernel."""
    height, width, disparities = packed_matches.shape
    kernel = KERNELS["absolute" if cost == "absolute" else "hamming", lanes_of(disparities)]
    grid = (-(-width // TILE), height)
    scalars = (height, width, disparities, min_disparity, OUTSIDE[cost])
    kernel(grid, (THREADS,), left_words, right_words, packed_matches, *scalars)
