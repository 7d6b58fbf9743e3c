"""Smooth an image by a Gaussian with integer weights on the GPU."""

from functools import lru_cache

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.kernels.packed_narrow_gaussian import fits, packed_narrow_gaussian
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.params import LARGEST_SIGMA, kernel_radius
from wheatstone.gpu.reference.gaussian_weights import HALF, whole_row

WARPS = 4
TILE = (128, 8 * WARPS)  # columns, rows
MAX_RADIUS = kernel_radius(LARGEST_SIGMA, "opencv")
WORDS = 5  # of weights, a byte each
MACROS = {"BLOCK_X": 32, "BLOCK_Y": WARPS, "MAX_RADIUS": MAX_RADIUS}
KERNELS = {"gaussian": declare("packed_gaussian", "", (np.uint8, np.uint8), 4 + WORDS, **MACROS)}


def packed_gaussian(left: Array, blurred: Array, sigma: float) -> None:
    """Launch the Gaussian kernel, or the narrow one where it fits."""
    height, width = left.shape
    radius, bits, *weights = packed_weights(sigma)
    if fits(height, width, radius):
        packed_narrow_gaussian(left, blurred, radius, *weights[:2])
        return
    grid = blocks(TILE, width, height)
    KERNELS["gaussian"](grid, (32 * WARPS,), left, blurred, height, width, radius, bits, *weights)


@lru_cache(maxsize=64)
def packed_weights(sigma: float) -> tuple[int, ...]:
    """Return the kernel's arguments: radius, bits of the sum of products, words of weights.

    A weight of 256, which is then the only one, does not fit a byte: it is halved, for 2 bits less.
    """
    row = whole_row(sigma, kernel_radius(sigma, "opencv"))
    bits = 2 * HALF
    if row[0] >> HALF:
        row, bits = [row[0] // 2], bits - 2
    packed = np.zeros(4 * WORDS, np.uint8)
    packed[: len(row)] = row
    return len(row) - 1, bits, *packed.view(np.int32).tolist()
