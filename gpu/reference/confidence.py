"""Measure the confidence of disparities: how clearly the winner's sum beats its rival's."""

from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint16
from wheatstone.gpu.pipelines.sgm.params import CONFIDENCE_RADIUS, MARGIN_STEPS, SUBPIXEL_STEPS


@compiled
def winner_margin(sums: Uint16, winner: Int16, margin: Uint16) -> None:
    """Write each winner's margin: the rival's sum minus its own, in 1/100 per cent of the rival's.

    The rival S' is the smallest sum more than one disparity away from the winner d: neighbours of a
    good winner are also good. The margin is 10000 (S' - S(d)) / S', rounded down; 0 where S' is 0.
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


@compiled
def confidence_measure(margin: Uint16, refined: Int16, confidence: Uint16) -> None:
    """Write each pixel's confidence: the sum of agreeing neighbours' margins, divided by 49.

    Neighbours are the 7x7 pixels around the pixel, itself included; where they leave the image the
    nearest edge pixel is used. One agrees if its refined disparity differs by at most one pixel. A
    wrong winner may win clearly by chance, but hardly among others that win clearly and agree.
    Every pixel has a confidence, even one that a check rejects. The quotient is rounded down.

    Args:
        margin: (H, W) margin of the winner in 1/100 per cent.
        refined: (H, W) disparity in 1/16 pixel.
        confidence: (H, W) confidence in 1/100 per cent, 0..10000, written.

    Sources: Kim, Yoo and Kim, "Stereo Confidence Metrics Using the Costs of Surrounding Pixels",
    DSP 2014, for the average peak ratio; Poggi, Tosi and Mattoccia, "Quantitative Evaluation of
    Confidence Measures in a Machine Learning World", ICCV 2017, for the disparity agreement.
    """
    height, width = margin.shape
    reach = range(-CONFIDENCE_RADIUS, CONFIDENCE_RADIUS + 1)
    for y in range(height):
        for x in range(width):
            total = 0
            for dy in reach:
                for dx in reach:
                    neighbour_y = min(max(y + dy, 0), height - 1)
                    neighbour_x = min(max(x + dx, 0), width - 1)
                    there = int64(refined[neighbour_y, neighbour_x])
                    if abs(there - int64(refined[y, x])) <= SUBPIXEL_STEPS:
                        total += int64(margin[neighbour_y, neighbour_x])
            confidence[y, x] = total // len(reach) ** 2
