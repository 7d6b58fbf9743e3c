"""Smooth images on the GPU, with several pixels packed in a register."""

from functools import lru_cache

import numpy as np

from wheatstone.gpu.kernels.image_filters import mean_filter
from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.params import HALF, LARGEST_SIGMA, kernel_radius, whole_row
from wheatstone.gpu.pipelines.mean import MeanParams, fits

WARPS = 4
TILE = (128, 8 * WARPS)  # columns, rows
MAX_RADIUS = kernel_radius(LARGEST_SIGMA, "opencv")
WORDS = 5  # of weights, a byte each
MACROS = {"BLOCK_X": 32, "BLOCK_Y": WARPS, "MAX_RADIUS": MAX_RADIUS}
PACKED_GAUSSIAN_KERNELS = {
    "gaussian": declare("packed_gaussian", "", (np.uint8, np.uint8), 4 + WORDS, **MACROS)
}


def packed_gaussian(left: Array, blurred: Array, sigma: float) -> None:
    """Launch the Gaussian kernel; the narrow one (radius 1 to 4) if it supports the image size."""
    height, width = left.shape
    radius, bits, *weights = packed_weights(sigma)
    if fits_narrow(height, width, radius):
        packed_narrow_gaussian(left, blurred, radius, *weights[:2])
        return
    grid = blocks(TILE, width, height)
    PACKED_GAUSSIAN_KERNELS["gaussian"](
        grid, (32 * WARPS,), left, blurred, height, width, radius, bits, *weights
    )


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


COLUMNS = 120  # of a warp
LARGE = 4_000_000  # pixels, from which a warp has more rows: enough warps are left
ROWS = {False: 8, True: 16}  # of a warp, by whether the image is large
RADII = range(1, 5)
LEAST = 8  # rows and columns of an image: one mirror image is enough
PACKED_NARROW_GAUSSIAN_KERNELS = {
    (radius, rows): declare(
        "packed_narrow_gaussian", "", (np.uint8, np.uint8), 4, RADIUS=radius, ROWS=rows, WARPS=WARPS
    )
    for radius in RADII
    for rows in ROWS.values()
}


def fits_narrow(height: int, width: int, radius: int) -> bool:
    """Return whether the narrow Gaussian kernel supports this image size and radius."""
    return radius in RADII and width % 4 == 0 and min(height, width) >= LEAST


def packed_narrow_gaussian(
    left: Array, blurred: Array, radius: int, inner: int, outer: int
) -> None:
    """Launch the narrow Gaussian kernel, for a radius of 1 to 4 pixels."""
    height, width = left.shape
    rows = ROWS[height * width >= LARGE]
    grid = blocks((COLUMNS, WARPS * rows), width, height)
    PACKED_NARROW_GAUSSIAN_KERNELS[radius, rows](
        grid, (32 * WARPS,), left, blurred, height, width, inner, outer
    )


CONTROLS = controls(MeanParams)
PIXELS = 8  # of a thread
OWN = 30 * PIXELS  # pixels of a row that a warp writes
FEW, MANY = (4, 2), (8, 4)  # rows of a thread, and warps of a block
SMALL = 1 << 22  # pixels of an image that has too few rows of eight to fill a GPU


def layout(radius: int, pixels: int) -> tuple[int, int]:
    """Choose the rows per thread and the warps per block of the packed mean kernel.

    Fewer rows give more warps, more rows fewer pixels read twice. A prototype's consecutive frames
    on an H200: radius 1 took 2.2 us with few rows and 2.6 with many at 1920x1080, 5.2 and 5.5 at
    3840x2160; radius 3 took 2.6 and 3.0, then 6.8 and 6.3; radius 7 3.9 and 3.6, then 10.0 and 8.3.
    """
    return FEW if radius == 1 or (radius <= 3 and pixels <= SMALL) else MANY


# By convention, radius, rows and warps, and whether every row begins at a multiple of eight bytes.
PACKED_MEAN_KERNELS = {
    (convention, radius, each, aligned): declare(
        "packed_mean",
        "",
        (np.uint8, np.uint8),
        CONVENTION=convention,
        RADIUS=radius,
        ROWS=each[0],
        WARPS=each[1],
        ALIGNED=aligned,
    )
    for convention in CONTROLS["convention"].choices
    for radius in range(int(CONTROLS["radius"].low), int(CONTROLS["radius"].high) + 1)
    if not fits(MeanParams(radius, convention), 1, 1)
    for each in dict.fromkeys(layout(radius, pixels) for pixels in (1, 2 * SMALL))
    for aligned in (False, True)
}


def packed_mean(left: Array, mean: Array, radius: int, convention: str) -> None:
    """Launch the packed mean kernel, or the one of ``unrolled`` if the image has too few rows."""
    height, width = mean.shape
    if height <= radius:
        mean_filter(left, mean, radius, convention, "unrolled")
        return
    rows, warps = layout(radius, height * width)
    kernel = PACKED_MEAN_KERNELS[convention, radius, (rows, warps), width % PIXELS == 0]
    grid = blocks((OWN, warps * rows), width, height)
    kernel(grid, (32 * warps,), left, mean, height, width)
