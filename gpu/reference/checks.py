"""Mark unreliable disparities as invalid, and determine why each pixel was rejected."""

from typing import Any

from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint8, Uint16
from wheatstone.gpu.pipelines.rectify import OUTSIDE
from wheatstone.gpu.pipelines.sgm.params import ABSENT, SUBPIXEL_STEPS


@compiled
def uniqueness_check(
    smoothed: Int16, sums: Uint16, winner: Int16, unique: Int16, min_disparity: int, uniqueness: int
) -> None:
    """Copy the disparity, but mark it invalid where a rival disparity is almost as good.

    A rival is any d' more than one away from the winner d with
    S(d') * (100 - uniqueness) < S(d) * 100, except those with S(d') = 65535, which are not
    searched. Invalid is (min_disparity - 1) * 16.

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
                theirs = int64(sums[y, x, rival])
                close = theirs * (100 - uniqueness) < threshold and theirs != ABSENT
                if abs(rival - d) > 1 and close:
                    value = (min_disparity - 1) * SUBPIXEL_STEPS
            unique[y, x] = value


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


@compiled
def rejection_reason(
    winner: Int16,
    right_winner: Int16,
    unique: Int16,
    filtered: Int16,
    invalid_reason: Uint8,
    min_disparity: int,
    lr_check: int,
) -> None:
    """Write why each pixel was rejected, as a number from 1 on; 0 where the pixel is valid.

    It is the first of these reasons that applies:

    1. its partner lies outside the image, see ``consistency_check``;
    2. its partner's winner differs from its own by more than ``lr_check``;
    3. its winner has a rival, see ``uniqueness_check``;
    4. it lies in a speckle.

    A check that is off rejects nothing; without the check against the right view 1 and 2 are never
    written. Holes may be filled later: a filled pixel keeps its reason.

    Args:
        winner, right_winner: (H, W) index d of the winning disparity of the left and right view;
            the right one is not read when ``lr_check`` is negative.
        unique: (H, W) disparity after the uniqueness check, in 1/16 pixel.
        filtered: (H, W) disparity after all checks, before holes are filled.
        invalid_reason: (H, W) number of the reason, written.
        min_disparity: disparity of d = 0, in pixels.
        lr_check: largest difference allowed, in pixels; -1: no check.
    """
    invalid = (min_disparity - 1) * SUBPIXEL_STEPS
    height, width = winner.shape
    for y in range(height):
        for x in range(width):
            d = int64(winner[y, x])
            partner = x - min_disparity - d
            inside = 0 <= partner < width
            reason = 0
            if lr_check >= 0 and not inside:
                reason = 1
            elif lr_check >= 0 and abs(int64(right_winner[y, partner]) - d) > lr_check:
                reason = 2
            elif unique[y, x] == invalid:
                reason = 3
            elif filtered[y, x] == invalid:
                reason = 4
            invalid_reason[y, x] = reason


def outside_mask(
    unmasked_disparity: Int16,
    left_map: Int16,
    right_map: Int16,
    disparity: Int16,
    min_disparity: int,
) -> None:
    """Copy the disparity, but write "no result" where a rectified view shows nothing.

    That is where a raw pixel that counts in the left pixel lies outside the raw view, or one that
    counts in its partner, the right pixel to which the disparity leads, rounded to the nearest. A
    partner beyond the rectified view's border is not checked here, but by the other checks.

    Args:
        unmasked_disparity: (H, W) in 1/16 pixel; (min_disparity - 1) * 16: no result.
        left_map, right_map: (H, W, 2), as for ``rectify``.
        disparity: (H, W), written.
    """
    mask_rows(
        unmasked_disparity, left_map, right_map, disparity, min_disparity, 0, disparity.shape[0]
    )


@compiled
def mask_rows(
    unmasked_disparity: Int16,
    left_map: Int16,
    right_map: Int16,
    disparity: Int16,
    min_disparity: int,
    top: int,
    bottom: int,
) -> None:
    """Copy the disparities of rows ``top`` to ``bottom`` - 1 that lie inside both raw views."""
    for y in range(top, bottom):
        for x in range(disparity.shape[1]):
            stored = unmasked_disparity[y, x]
            outside = is_outside(stored, left_map, right_map, y, x, min_disparity)
            disparity[y, x] = (min_disparity - 1) * 16 if outside else stored


@compiled
def is_outside(
    stored: int, left_map: Int16, right_map: Int16, y: int, x: int, min_disparity: int
) -> Any:
    """Return whether a pixel, or its match in the right view, comes from outside the raw view."""
    if not _is_shown(left_map, y, x):
        return True
    partner = x - ((stored + 8) >> 4)
    valid = stored != (min_disparity - 1) * 16 and 0 <= partner < right_map.shape[1]
    return valid and not _is_shown(right_map, y, partner)


@compiled
def _is_shown(view_map: Int16, y: int, x: int) -> Any:
    """Return whether all raw pixels from which a rectified pixel is mixed are in the raw view."""
    across, down = int(view_map[y, x, 0]), int(view_map[y, x, 1])
    if across == OUTSIDE:
        return False
    row, column = y + (down >> 5), x + (across >> 5)
    last_row, last_column = row + ((down & 31) > 0), column + ((across & 31) > 0)
    return (
        row >= 0
        and column >= 0
        and last_row < view_map.shape[0]
        and last_column < view_map.shape[1]
    )


def outside_reason(
    unmasked_invalid_reason: Uint8,
    unmasked_disparity: Int16,
    left_map: Int16,
    right_map: Int16,
    invalid_reason: Uint8,
    min_disparity: int,
) -> None:
    """Copy the reasons, but write 1, "outside the image", where ``outside_mask`` rejects.

    Args:
        unmasked_invalid_reason: (H, W) reasons of the other checks.
        unmasked_disparity, left_map, right_map: as for ``outside_mask``.
        invalid_reason: (H, W), written.
    """
    images = unmasked_invalid_reason, unmasked_disparity, left_map, right_map, invalid_reason
    reason_rows(*images, min_disparity, 0, invalid_reason.shape[0])


@compiled
def reason_rows(
    unmasked_invalid_reason: Uint8,
    unmasked_disparity: Int16,
    left_map: Int16,
    right_map: Int16,
    invalid_reason: Uint8,
    min_disparity: int,
    top: int,
    bottom: int,
) -> None:
    """Copy the reasons of rows ``top`` to ``bottom`` - 1, with 1 for pixels outside a raw view."""
    for y in range(top, bottom):
        for x in range(invalid_reason.shape[1]):
            stored = unmasked_disparity[y, x]
            outside = is_outside(stored, left_map, right_map, y, x, min_disparity)
            invalid_reason[y, x] = 1 if outside else unmasked_invalid_reason[y, x]
