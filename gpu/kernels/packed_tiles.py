"""Keep what is connected with strong pixels within tiles on the GPU, and join tiles to blocks."""

import numpy as np

from gpu.kernels.kernel import Kernel
from gpu.kernels.tiles_of_bits import DEFINES
from gpu.pipeline import Array
from gpu.pipelines.canny.packing import TILE, TILES, block_grid

KERNELS = {
    "tiles": Kernel(
        "packed_tiles.cu",
        "packed_tiles",
        (np.uint32, np.uint32, np.uint32, np.uint16, np.uint32, np.int32, np.int32),
        arrays=5,
        defines=DEFINES,
    )
}


def packed_tiles(
    weak_bits: Array, strong_bits: Array, kept_bits: Array, side_sets: Array, set_parents: Array
) -> None:
    """Launch the kernel."""
    height, words = weak_bits.shape
    images = (weak_bits, strong_bits, kept_bits, side_sets, set_parents)
    KERNELS["tiles"](block_grid(height, words * TILE), (32 * TILES,), *images, height, words)
