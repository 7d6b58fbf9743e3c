"""Replace each pixel by the mean of its window on the GPU, eight pixels per thread."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.kernels.mean_filter import mean_filter
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.mean import MeanParams, fits

CONTROLS = controls(MeanParams)
PIXELS = 8  # of a thread
OWN = 30 * PIXELS  # pixels of a row that a warp writes
FEW, MANY = (4, 2), (8, 4)  # rows of a thread, and warps of a block
SMALL = 1 << 22  # pixels of an image that has too few rows of eight to fill a GPU


def layout(radius: int, pixels: int) -> tuple[int, int]:
    """Choose the rows of a thread and the warps of a block.

    Fewer rows give more warps, more rows fewer pixels read twice. A prototype's consecutive frames
    on an H200: radius 1 took 2.2 us with few rows and 2.6 with many at 1920x1080, 5.2 and 5.5 at
    3840x2160; radius 3 took 2.6 and 3.0, then 6.8 and 6.3; radius 7 3.9 and 3.6, then 10.0 and 8.3.
    """
    return FEW if radius == 1 or (radius <= 3 and pixels <= SMALL) else MANY


# By convention, radius, rows and warps, and whether every row begins at a multiple of eight bytes.
KERNELS = {
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
    """Launch the kernel; that of ``unrolled`` if the image has no more than ``radius`` rows."""
    height, width = mean.shape
    if height <= radius:
        mean_filter(left, mean, radius, convention, "unrolled")
        return
    rows, warps = layout(radius, height * width)
    kernel = KERNELS[convention, radius, (rows, warps), width % PIXELS == 0]
    grid = blocks((OWN, warps * rows), width, height)
    kernel(grid, (32 * warps,), left, mean, height, width)
