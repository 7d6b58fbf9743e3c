"""Choose each pixel's disparity, the one with the smallest sum."""

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint16


@compiled
def winner_takes_all(sums: Uint16, winner: Int16) -> None:
    """Write the index d with the smallest S(y, x, d); of several the lowest.

    Args:
        sums: (H, W, D) sums S.
        winner: (H, W) index d of the winning disparity, written.

    Source: Hirschmüller 2008, section 2.4.
    """
    height, width, disparities = sums.shape
    for y in range(height):
        for x in range(width):
            best = 0
            for d in range(disparities):
                if sums[y, x, d] < sums[y, x, best]:
                    best = d
            winner[y, x] = best
