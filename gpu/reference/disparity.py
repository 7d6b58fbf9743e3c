"""Choose disparities by the sums of path costs, refine them, and convert them to depths."""

import math

import numpy as np
from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Float32, Int16, Uint16
from wheatstone.gpu.pipelines.sgm.params import ABSENT, SUBPIXEL_STEPS, fit_place


@compiled
def path_sum(path_costs: Uint16, sums: Uint16, first: bool) -> None:
    """Add the costs of one path to the sums S(y, x, d); the first path overwrites the sums.

    Eight paths of at most 255 + 4095 each fit uint16. A sum with a path cost of 65535, of a
    disparity that is not searched, is 65535.

    Args:
        path_costs: (H, W, D) aggregated costs L of one path.
        sums: (H, W, D) sums S, written or added to.
        first: whether this is the first path of a frame.
    """
    height, width, disparities = sums.shape
    for y in range(height):
        for x in range(width):
            for d in range(disparities):
                before = 0 if first else int64(sums[y, x, d])
                sums[y, x, d] = min(before + int64(path_costs[y, x, d]), ABSENT)


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


@compiled
def right_winner_takes_all(sums: Uint16, right_winner: Int16, min_disparity: int) -> None:
    """Write for each right pixel the d with the smallest S(y, x + min_disparity + d, d).

    Only those d count for which the left pixel x + min_disparity + d lies in the image and the sum
    is not 65535; of several with the smallest sum the lowest wins. A right pixel without any such d
    gets -1.

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
                if partner < 0 or partner >= width or sums[y, partner, d] == ABSENT:
                    continue
                if best < 0 or sums[y, partner, d] < smallest:
                    best, smallest = d, sums[y, partner, d]
            right_winner[y, x] = best


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

    There is no offset if ``subpixel`` is ``off``, at the first and the last d, which lack a
    neighbour, and beside a sum of 65535, which is of a disparity that is not searched.

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
                if max(below, above) == ABSENT:
                    below = above = int64(sums[y, x, d])
                falls, rises = below - int64(sums[y, x, d]), above - int64(sums[y, x, d])
                c = max(falls + rises if fit == 1 else max(falls, rises), 1)
                numerator = (below - above) * SUBPIXEL_STEPS + c
                quotient = abs(numerator) // (2 * c)
                offset = quotient if numerator >= 0 else -quotient
            refined[y, x] = (min_disparity + d) * SUBPIXEL_STEPS + offset


def depth(disparity: Int16, camera: Float32, depth: Float32, min_disparity: int) -> None:
    """Write each pixel's depth, the distance of its point ahead of the left camera.

    It is product / (d + offset), with d in pixels: the disparity of a point is smaller the farther
    it is. All is float32: d is exact, the sum is rounded once, the quotient once. NaN where there
    is no disparity, and where d + offset is not above 0, since such a point lies at infinity or
    beyond.

    Args:
        disparity: (H, W) in 1/16 pixel; (min_disparity - 1) * 16: no result.
        camera: (2,): product, the focal length in pixels times the baseline in the unit of depths;
            offset, the right principal point's column less the left one's, in pixels.
        depth: (H, W) in the baseline's unit, written.
    """
    depth_rows(disparity, camera, depth, min_disparity, 0, disparity.shape[0])


@compiled
def depth_rows(
    disparity: Int16, camera: Float32, depth: Float32, min_disparity: int, top: int, bottom: int
) -> None:
    """Write the depths of rows ``top`` to ``bottom`` - 1."""
    for y in range(top, bottom):
        for x in range(disparity.shape[1]):
            stored = disparity[y, x]
            away = np.float32(stored) / np.float32(16) + camera[1]
            valid = stored != (min_disparity - 1) * 16 and away > 0
            depth[y, x] = camera[0] / away if valid else math.nan
