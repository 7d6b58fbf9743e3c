"""Choose the disparity of each right pixel from the sums of the left view."""

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint16


@compiled
def right_winner_takes_all(sums: Uint16, right_winner: Int16, min_disparity: int) -> None:
    """Write for each right pixel the d with the smallest S(y, x + min_disparity + d, d).

    Only those d count for which the left pixel x + min_disparity + d lies in the image; of several
    with the smallest sum the lowest wins. A right pixel without any such d gets -1.

    Args:
        sums: (H, W, D) sums S of the left view.
        right_winner: (H, W) index d of the winning disparity, written.
        min_disparity: disparity of d = 0, in pixels.
    """
    height, width, disparities = sums.shape
    for y in range(height):
        for x in range(width):
            best, smallest = -1, 0
            for d in range(disparities):
                partner = x + min_disparity + d
                if partner < 0 or partner >= width:
                    continue
                if best < 0 or sums[y, partner, d] < smallest:
                    best, smallest = d, sums[y, partner, d]
            right_winner[y, x] = best
