"""Find strong and weak gradient maxima and join them to connected sets on the GPU, in one pass."""

import numpy as np

from wheatstone.gpu.kernels.gradient import masks
from wheatstone.gpu.kernels.kernel import declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.packing import DEFINES, TILES, block_grid
from wheatstone.gpu.pipelines.canny.params import SMOOTHING

PIXELS = 8  # of a thread in a row
UNIT = {3: 1, 5: 1, 7: 16}  # what a gradient is stored in
MOST_HALVES = 2047  # above every magnitude |gx| + |gy| of aperture 3, and exact in half precision
BLOCKS = {  # that a multiprocessor holds at least
    (norm, aperture): 3 if (norm, aperture) == ("l1", 3) else 2
    for aperture in SMOOTHING
    for norm in ("l1", "l2")
}
KERNELS = {
    (norm, aperture, aligned): declare(
        "packed_edges",
        "",
        (np.uint8, np.uint32, np.uint32, np.uint16, np.uint32),
        4,
        **DEFINES,
        APERTURE=aperture,
        **masks(aperture),
        SQUARED=norm == "l2",
        ALIGNED_ROWS=aligned,
        BLOCKS=BLOCKS[norm, aperture],
    )
    for norm, aperture in BLOCKS
    for aligned in (True, False)
}


def packed_edges(
    blurred: Array,
    weak_bits: Array,
    strong_bits: Array,
    side_sets: Array,
    set_parents: Array,
    low: int,
    high: int,
    norm: str,
    aperture: int,
) -> None:
    """Launch the kernel that finds and joins the maxima."""
    height, width = blurred.shape
    images = (blurred, weak_bits, strong_bits, side_sets, set_parents)
    compared = (as_compared(threshold, norm, aperture) for threshold in (low, high))
    KERNELS[norm, aperture, width % PIXELS == 0](
        block_grid(height, width), (32 * TILES,), *images, height, width, *compared
    )


def as_compared(threshold: int, norm: str, aperture: int) -> int:
    """Convert a threshold, which is to be exceeded, to the unit in which a kernel compares.

    With gradients in 1/16, 16 m > t is m > t / 16, rounded down; a root above t is a sum of squares
    above t squared.
    """
    if norm == "l2":
        return threshold**2 // UNIT[aperture] ** 2
    if aperture == 3:
        return int(np.float16(min(threshold, MOST_HALVES)).view(np.uint16)) * 0x10001
    return threshold // UNIT[aperture]
