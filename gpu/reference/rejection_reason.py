"""Determine the reason why a pixel is rejected."""

from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint8
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS


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
    """Write the first of these reasons that applies, or 0 where the pixel is valid:

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
