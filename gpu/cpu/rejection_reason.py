"""Tell why pixels have no disparity, a row at a time, as gpu.reference.rejection_reason.

The checks are made once more: this runs when somebody looks, and they keep nothing but the result.
"""

from functools import partial

import numpy as np
from numba import int64, njit
from numpy.typing import NDArray

from gpu.cpu.cores import on_all_cores, shares
from gpu.cpu.winner_takes_all import HIGHEST, find_winner, has_rival, offer
from gpu.pipelines.sgm.params import SUBPIXEL_STEPS


def rejection_reason(
    sums: NDArray[np.uint16],
    filtered: NDArray[np.int16],
    invalid_reason: NDArray[np.uint8],
    min_disparity: int,
    uniqueness: int,
    lr_check: int,
) -> None:
    """Write the number of the reason."""
    settings = (min_disparity, uniqueness, lr_check)
    on_all_cores(
        [
            partial(_explain, sums, filtered, invalid_reason, *settings, top, bottom)
            for top, bottom in shares(sums.shape[0])
        ]
    )


@njit(cache=True, nogil=True)
def _explain(
    sums: NDArray[np.uint16],
    filtered: NDArray[np.int16],
    invalid_reason: NDArray[np.uint8],
    min_disparity: int,
    uniqueness: int,
    lr_check: int,
    top: int,
    bottom: int,
) -> None:
    _, width, disparities = sums.shape
    winner = np.empty(width, np.int16)
    # As in gpu.cpu.winner_takes_all.
    right_lowest = np.empty(width + disparities, np.uint16)
    right_winner = np.empty(width + disparities, np.uint16)
    for y in range(top, bottom):
        right_lowest[:] = HIGHEST
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
