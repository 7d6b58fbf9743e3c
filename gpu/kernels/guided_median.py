"""Smooth disparities by a median over neighbours of similar grey level on the GPU."""

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.params import GUIDED_RADIUS, SUBPIXEL_STEPS

ROWS, WORDS = 32, 4  # of a block; a thread finds the medians of a word, 32 pixels side by side
BLOCK = (ROWS, WORDS)
IMAGES: dict[str, type[np.generic]] = {"global": np.uint8, "texture": TEXTURE}
KERNELS = {
    memory: declare(
        "guided_median",
        memory,
        (np.int16, image, np.int16),
        4,
        ROWS=ROWS,
        WORDS=WORDS,
        RADIUS=GUIDED_RADIUS,
        SUBPIXEL_STEPS=SUBPIXEL_STEPS,
    )
    for memory, image in IMAGES.items()
}


def guided_median(
    filled: Array,
    left: Array,
    guided: Array,
    min_disparity: int,
    guided_median: int,
    memory: str = "global",
) -> None:
    """Launch the guided median kernel of a memory."""
    height, width = filled.shape
    scalars = height, width, min_disparity, guided_median
    grid = blocks((32 * WORDS, ROWS), width, height)
    KERNELS[memory](grid, BLOCK, filled, left, guided, *scalars)
