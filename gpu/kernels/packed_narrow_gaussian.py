"""Smooth an image by a Gaussian with few integer weights on the GPU, in registers only."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array

WARPS = 4
COLUMNS = 120  # of a warp
LARGE = 4_000_000  # pixels, from which a warp has more rows: enough warps are left
ROWS = {False: 8, True: 16}  # of a warp, by whether the image is large
RADII = range(1, 5)
LEAST = 8  # rows and columns of an image: one mirror image is enough
KERNELS = {
    (radius, rows): declare(
        "packed_narrow_gaussian", "", (np.uint8, np.uint8), 4, RADIUS=radius, ROWS=rows, WARPS=WARPS
    )
    for radius in RADII
    for rows in ROWS.values()
}


def fits(height: int, width: int, radius: int) -> bool:
    """Return whether the kernel supports this image size and radius."""
    return radius in RADII and width % 4 == 0 and min(height, width) >= LEAST


def packed_narrow_gaussian(
    left: Array, blurred: Array, radius: int, inner: int, outer: int
) -> None:
    """Launch the narrow Gaussian kernel."""
    height, width = left.shape
    rows = ROWS[height * width >= LARGE]
    grid = blocks((COLUMNS, WARPS * rows), width, height)
    KERNELS[radius, rows](grid, (32 * WARPS,), left, blurred, height, width, inner, outer)
