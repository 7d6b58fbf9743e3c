"""Measure the winner's margin over the next best disparity."""

from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint16
from wheatstone.gpu.pipelines.sgm.params import MARGIN_STEPS


@compiled
def winner_margin(sums: Uint16, winner: Int16, margin: Uint16) -> None:
    """Write the difference of rival's and winner's sum, in 1/100 per cent of the rival's.

    The rival S' is the smallest sum more than one disparity away from the winner d: neighbours of a
    good winner are good, too. The margin is 10000 (S' - S(d)) / S', rounded down; 0 where S' is 0.
    It is the peak ratio S' / S(d), mapped to a fixed range: both order pixels alike. It is also the
    largest ``uniqueness`` that keeps the pixel.

    Args:
        sums: (H, W, D) sums S.
        winner: (H, W) index d of the winning disparity.
        margin: (H, W) margin in 1/100 per cent, 0..10000, written.

    Source: Hu and Mordohai, "A Quantitative Evaluation of Confidence Measures for Stereo Vision",
    PAMI 2012, section 3.3, peak ratio.
    """
    height, width, disparities = sums.shape
    for y in range(height):
        for x in range(width):
            d = int64(winner[y, x])
            rival = int64(0xFFFF)  # above every sum
            for other in range(disparities):
                if abs(other - d) > 1:
                    rival = min(rival, int64(sums[y, x, other]))
            above = rival - int64(sums[y, x, d])
            margin[y, x] = 100 * MARGIN_STEPS * above // rival if rival > 0 else 0
