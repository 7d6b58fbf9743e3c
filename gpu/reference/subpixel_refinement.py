"""Refine the winning disparity between the integers."""

import numpy as np
from numba import int64
from numpy.typing import NDArray

from gpu.compiled import compiled
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS


@compiled
def subpixel_refinement(
    sums: NDArray[np.uint16],
    winner: NDArray[np.int16],
    refined: NDArray[np.int16],
    min_disparity: int,
    subpixel: bool,
) -> None:
    """Write the disparity in 1/16 pixel: (min_disparity + d) * 16, plus a parabola's offset.

    The parabola through S(d-1), S(d), S(d+1) has its minimum beside d by
    ((S(d-1) - S(d+1)) * 16 + c) / (2 c) sixteenths, with c = max(S(d-1) + S(d+1) - 2 S(d), 1) and
    the quotient rounded towards zero: OpenCV's rounding. The offset is left out without
    ``subpixel``, and at the first and the last d, which lack a neighbour.

    Args:
        sums: (H, W, D) sums S.
        winner: (H, W) index d of the winning disparity.
        refined: (H, W) disparity in 1/16 pixel, written.
        min_disparity: disparity of d = 0, in pixels.
        subpixel: whether to add the offset.
    """
    height, width, disparities = sums.shape
    for y in range(height):
        for x in range(width):
            d = int64(winner[y, x])
            offset = 0
            if subpixel and 0 < d < disparities - 1:
                below, above = int64(sums[y, x, d - 1]), int64(sums[y, x, d + 1])
                curvature = max(below + above - 2 * int64(sums[y, x, d]), 1)
                numerator = (below - above) * SUBPIXEL_STEPS + curvature
                quotient = abs(numerator) // (2 * curvature)
                offset = quotient if numerator >= 0 else -quotient
            refined[y, x] = (min_disparity + d) * SUBPIXEL_STEPS + offset
