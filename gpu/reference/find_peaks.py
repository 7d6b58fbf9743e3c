"""Find the best matches: the highest scores that are not too close to each other."""

from typing import Any

import numpy as np
from numba import float32

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.image import Float32, Int32, Int64
from wheatstone.gpu.pipelines.ncc.params import Region, first_pixel


def find_peaks(
    scores: Float32,
    peaks: Float32,
    boxes: Int32,
    template: Region,
    convention: str,
    count: int,
    threshold: float,
) -> None:
    """Write the best peaks of the scores, at most ``count``, best first.

    A pixel can be a peak if its score is at least ``threshold`` and none of its 8 neighbours in the
    image beats it. The higher score beats; of equal scores the one in the higher row, in a row the
    one further left. Peaks are chosen one after the other: each is the pixel that beats all others,
    except those too close to a peak chosen before. Too close is less than half the template away in
    both axes: 2 abs(dx) < width and 2 abs(dy) < height.

    The position is refined by a parabola through the scores next to the peak, along each axis
    separately: with a and b the scores before and after it, minus its own, it is moved by
    (a - b) / (2 (a + b)), at most half a pixel. It does not move where a + b is 0 and, along that
    axis, at the edge of the image. Every operation rounds to single precision, the last one adds
    the integer position.

    Args:
        scores: (H, W) coefficients.
        peaks: (P, 4) x and y in pixels of the window's centre, which is the pixel whose score it is
            (of an even side the one after the middle), the score of the integer position, and 1;
            four zeros where there is no further peak. Written.
        boxes: (P, 4) first column, first row, last column and last row of the peak's window, which
            may leave the image; 0, 0, -1, -1 where there is no further peak. Written.
        template: x, y, width and height of the template.
        convention: position of the window, see ``first_pixel``.
        count: peaks to find, at most P.
        threshold: smallest score of a peak; compared after rounding to single precision.
    """
    _, _, width, height = template
    top, start = first_pixel(template, convention)
    peaks[:] = 0
    boxes[:] = 0, 0, -1, -1
    chosen: list[tuple[int, int]] = []
    while len(chosen) < count:
        taken = np.array(chosen, np.int64).reshape(-1, 2)
        y, x = _best(scores, taken, width, height, np.float32(threshold))
        if y < 0:
            break
        peaks[len(chosen)] = refined(scores, y, x)
        boxes[len(chosen)] = x + start, y + top, x + start + width - 1, y + top + height - 1
        chosen.append((y, x))


@compiled
def _best(
    scores: Float32, chosen: Int64, width: int, height: int, threshold: np.float32
) -> tuple[int, int]:
    """Return row and column of the next peak; -1, -1 if there is no further peak."""
    best_y = best_x = -1
    for y in range(scores.shape[0]):
        for x in range(scores.shape[1]):
            higher = best_y < 0 or scores[y, x] > scores[best_y, best_x]
            if higher and scores[y, x] >= threshold and is_highest(scores, y, x):
                if not is_close(y, x, chosen, width, height):
                    best_y, best_x = y, x
    return best_y, best_x


@helper
def is_highest(scores: Float32, y: int, x: int) -> bool:
    """Return whether no neighbour has a higher score, or an equal score and an earlier position."""
    for row in range(max(y - 1, 0), min(y + 2, scores.shape[0])):
        for column in range(max(x - 1, 0), min(x + 2, scores.shape[1])):
            earlier = row < y or (row == y and column < x)
            if scores[row, column] > scores[y, x]:
                return False
            if earlier and scores[row, column] == scores[y, x]:
                return False
    return True


@helper
def is_close(y: int, x: int, chosen: Int64, width: int, height: int) -> bool:
    """Return whether a pixel is too close to a peak chosen before."""
    for k in range(chosen.shape[0]):
        if 2 * abs(x - chosen[k, 1]) < width and 2 * abs(y - chosen[k, 0]) < height:
            return True
    return False


@helper
def refined(
    scores: Float32, y: int, x: int
) -> tuple[np.float32, np.float32, np.float32, np.float32]:
    """Compute a row of ``peaks``: a peak's position, refined by parabolas, its score, and 1."""
    height, width = scores.shape
    score = scores[y, x]
    right = down = float32(0)
    if 0 < x < width - 1:
        right = _offset(scores[y, x - 1] - score, scores[y, x + 1] - score)
    if 0 < y < height - 1:
        down = _offset(scores[y - 1, x] - score, scores[y + 1, x] - score)
    return float32(x) + right, float32(y) + down, score, float32(1)


@helper
def _offset(before: np.float32, after: np.float32) -> Any:
    curvature = before + after
    if curvature == 0:
        return float32(0)
    return (before - after) / (float32(2) * curvature)
