"""Refine the winning disparity to 1/16 pixel."""

from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint16
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS, fit_place


def subpixel_refinement(
    sums: Uint16, winner: Int16, refined: Int16, min_disparity: int, subpixel: str
) -> None:
    """Write the disparity in 1/16 pixel: (min_disparity + d) * 16, plus a curve's offset.

    The minimum of the curve through S(d-1), S(d), S(d+1) is offset from d by
    ((S(d-1) - S(d+1)) * 16 + c) / (2 c) sixteenths, the quotient rounded towards zero, which is
    OpenCV's rounding. c is at least 1, and otherwise

    - of a ``parabola`` its curvature, S(d-1) + S(d+1) - 2 S(d);
    - ``equiangular``, of a falling and a rising line of equal steepness, the drop of the steeper
      side, max(S(d-1), S(d+1)) - S(d).

    There is no offset if ``subpixel`` is ``off``, and at the first and the last d, which lack a
    neighbour.

    Args:
        sums: (H, W, D) sums S.
        winner: (H, W) index d of the winning disparity.
        refined: (H, W) disparity in 1/16 pixel, written.
        min_disparity: disparity of d = 0, in pixels.
        subpixel: the curve through the sums.

    Source: M. Shimizu and M. Okutomi, "Sub-Pixel Estimation Error Cancellation on Area-Based
    Matching", IJCV 2005, for both fits and their errors.
    """
    _refine(sums, winner, refined, min_disparity, fit_place(subpixel))


@compiled
def _refine(sums: Uint16, winner: Int16, refined: Int16, min_disparity: int, fit: int) -> None:
    height, width, disparities = sums.shape
    for y in range(height):
        for x in range(width):
            d = int64(winner[y, x])
            offset = 0
            if fit and 0 < d < disparities - 1:
                below, above = int64(sums[y, x, d - 1]), int64(sums[y, x, d + 1])
                falls, rises = below - int64(sums[y, x, d]), above - int64(sums[y, x, d])
                c = max(falls + rises if fit == 1 else max(falls, rises), 1)
                numerator = (below - above) * SUBPIXEL_STEPS + c
                quotient = abs(numerator) // (2 * c)
                offset = quotient if numerator >= 0 else -quotient
            refined[y, x] = (min_disparity + d) * SUBPIXEL_STEPS + offset
