"""Reject winners that have a rival: another disparity with nearly as small a sum."""

from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint16
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS


@compiled
def uniqueness_check(
    smoothed: Int16, sums: Uint16, winner: Int16, unique: Int16, min_disparity: int, uniqueness: int
) -> None:
    """Copy the disparity, but mark it invalid where the winner has a rival.

    A rival is any d' more than one away from the winner d with
    S(d') * (100 - uniqueness) < S(d) * 100. Invalid is (min_disparity - 1) * 16.

    Args:
        smoothed: (H, W) disparity in 1/16 pixel.
        sums: (H, W, D) sums S.
        winner: (H, W) index d of the winning disparity.
        unique: (H, W) disparity in 1/16 pixel, written.
        min_disparity: disparity of d = 0, in pixels.
        uniqueness: margin in per cent, 0..100.

    Source: OpenCV's StereoSGBM, parameter uniquenessRatio.
    """
    height, width, disparities = sums.shape
    for y in range(height):
        for x in range(width):
            d = int64(winner[y, x])
            threshold = int64(sums[y, x, d]) * 100
            value = int64(smoothed[y, x])
            for rival in range(disparities):
                if abs(rival - d) > 1 and int64(sums[y, x, rival]) * (100 - uniqueness) < threshold:
                    value = (min_disparity - 1) * SUBPIXEL_STEPS
            unique[y, x] = value
