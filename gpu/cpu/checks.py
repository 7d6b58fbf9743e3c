"""Reject disparities outside a view and determine rejection reasons, on all CPU cores.

The results equal those of ``gpu.reference.checks``.
"""

from functools import partial

from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.cpu.cores import fill, on_rows
from wheatstone.gpu.cpu.disparity import HIGHEST, find_winner, has_rival, offer, rows_of
from wheatstone.gpu.image import Int16, Uint8, Uint16
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS
from wheatstone.gpu.reference.checks import mask_rows, reason_rows


def rejection_reason(
    sums: Uint16,
    filtered: Int16,
    invalid_reason: Uint8,
    min_disparity: int,
    uniqueness: int,
    lr_check: int,
) -> None:
    """Write the number of each pixel's rejection reason, 0 for valid pixels.

    The checks are done again: this stage runs on demand, and they store only their result.
    """
    room = partial(rows_of, sums)
    settings = (min_disparity, uniqueness, lr_check)
    on_rows(sums.shape[0], _explain, sums, filtered, invalid_reason, settings, room=room)


@compiled
def _explain(
    sums: Uint16,
    filtered: Int16,
    invalid_reason: Uint8,
    settings: tuple[int, int, int],
    top: int,
    bottom: int,
    rows: Uint16,
) -> None:
    (min_disparity, uniqueness, lr_check), width = settings, sums.shape[1]
    winner, right_lowest, right_winner = rows[0], rows[1], rows[2]
    for y in range(top, bottom):
        fill(right_lowest, HIGHEST)
        for x in range(width):
            d = winner[x] = find_winner(sums[y, x])
            rivalled = uniqueness > 0 and has_rival(sums[y, x], d, uniqueness)
            rejected = filtered[y, x] == (min_disparity - 1) * SUBPIXEL_STEPS
            invalid_reason[y, x] = 3 if rivalled else 4 if rejected else 0
            if lr_check >= 0:
                offer(sums[y, x], right_lowest, right_winner, width - 1 - x)
        for x in range(width if lr_check >= 0 else 0):
            d = int64(winner[x])
            partner = x - min_disparity - d
            if partner < 0 or partner >= width:
                invalid_reason[y, x] = 1
            elif abs(int64(right_winner[width - 1 - x + d]) - d) > lr_check:
                invalid_reason[y, x] = 2


def outside_mask(
    unmasked_disparity: Int16,
    left_map: Int16,
    right_map: Int16,
    disparity: Int16,
    min_disparity: int,
) -> None:
    """Write each disparity, or "no result" where the pixel or its match is outside a raw view."""
    images = unmasked_disparity, left_map, right_map, disparity
    on_rows(disparity.shape[0], mask_rows, *images, min_disparity)


def outside_reason(
    unmasked_invalid_reason: Uint8,
    unmasked_disparity: Int16,
    left_map: Int16,
    right_map: Int16,
    invalid_reason: Uint8,
    min_disparity: int,
) -> None:
    """Write each rejection reason, or 1 where the pixel or its match is outside a raw view."""
    reasons, disparity = unmasked_invalid_reason, unmasked_disparity
    images = reasons, disparity, left_map, right_map, invalid_reason
    on_rows(reasons.shape[0], reason_rows, *images, min_disparity)
