"""Reject pixels whose partner in the right view disagrees."""

from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS


@compiled
def consistency_check(
    unique: Int16,
    winner: Int16,
    right_winner: Int16,
    consistent: Int16,
    min_disparity: int,
    lr_check: int,
) -> None:
    """Copy the disparity, but mark it invalid where the two views disagree.

    The partner of the left pixel x is the right pixel x - min_disparity - d, d its winner. The
    pixel is invalid when the partner lies outside the image, or when the partner's winner differs
    from d by more than ``lr_check``. Invalid is (min_disparity - 1) * 16.

    Args:
        unique: (H, W) disparity in 1/16 pixel.
        winner, right_winner: (H, W) index d of the winning disparity of the left and right view.
        consistent: (H, W) disparity in 1/16 pixel, written.
        min_disparity: disparity of d = 0, in pixels.
        lr_check: largest difference allowed, in pixels.

    Source: Hirschmüller 2008, section 2.4, equation 17.
    """
    height, width = unique.shape
    for y in range(height):
        for x in range(width):
            d = int64(winner[y, x])
            partner = x - min_disparity - d
            value = int64(unique[y, x])
            if partner < 0 or partner >= width:
                value = (min_disparity - 1) * SUBPIXEL_STEPS
            elif abs(int64(right_winner[y, partner]) - d) > lr_check:
                value = (min_disparity - 1) * SUBPIXEL_STEPS
            consistent[y, x] = value
