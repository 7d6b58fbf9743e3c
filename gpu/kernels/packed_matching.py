"""Compare pixels on the GPU, with costs packed for the path aggregation."""

import numpy as np

from gpu.kernels.kernel import Kernel
from gpu.pipeline import Array
from gpu.pipelines.sgm.packing import LANES, lanes_of
from gpu.pipelines.sgm.params import OUTSIDE

THREADS = 128


def _tile(lanes: int) -> int:
    """Count the pixels of a block: as many as its threads compare at once."""
    return 8 * THREADS // lanes


KERNELS = {
    (difference, lanes): Kernel(
        "packed_matching.cu",
        "packed_matching",
        (np.uint8, np.uint32, np.uint32, np.uint8, np.uint32) + (np.int32,) * 5,
        arrays=5,
        defines=(
            ("DIFFERENCE", difference),
            ("LANES", str(lanes)),
            ("THREADS", str(THREADS)),
            ("TILE", str(_tile(lanes))),
        ),
    )
    for difference in ("absolute", "hamming")
    for lanes in LANES
}


def packed_matching(
    left: Array,
    left_words: Array,
    right_words: Array,
    packed_matches: Array,
    left_steps: Array,
    cost: str,
    min_disparity: int,
) -> None:
    """Launch the kernel."""
    height, width, disparities = packed_matches.shape
    lanes = lanes_of(disparities)
    kernel = KERNELS["absolute" if cost == "absolute" else "hamming", lanes]
    grid = (-(-width // _tile(lanes)), height)
    images = (left, left_words, right_words, packed_matches, left_steps)
    kernel(grid, (THREADS,), *images, height, width, disparities, min_disparity, OUTSIDE[cost])
