"""Compute the margin of each winner to its rival, row by row, as gpu.reference.winner_margin."""

from functools import partial
from typing import Any

from numba import int64, uint32

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.cpu.lanes import LANES, count_up, less, load, minimum, smallest, splat, where
from wheatstone.gpu.cpu.winner_takes_all import HIGHEST, find_winner
from wheatstone.gpu.image import Uint16
from wheatstone.gpu.pipelines.sgm.params import MARGIN_STEPS


def winner_margin(sums: Uint16, margin: Uint16) -> None:
    """Write the margin of each pixel's winner in 1/100 per cent."""
    on_rows(sums.shape[0], _measure, sums, margin)


@compiled
def _measure(sums: Uint16, margin: Uint16, top: int, bottom: int) -> None:
    for y in range(top, bottom):
        for x in range(sums.shape[1]):
            d = find_winner(sums[y, x])
            rival = _rival(sums[y, x], d)
            margin[y, x] = _share(rival - int64(sums[y, x, d]), rival)


@partial(helper, error_model="numpy")
def _share(above: int, rival: int) -> Any:
    """Compute the margin of a winner in 1/100 per cent of the rival, 0 if the rival is 0."""
    return uint32(100 * MARGIN_STEPS * above) // uint32(rival) if rival > 0 else uint32(0)


@helper
def _rival(sums: Uint16, d: int) -> Any:
    """Return the smallest sum more than one disparity away from d."""
    lowest = splat(HIGHEST)
    for start in range(0, sums.size, LANES):
        near = less(splat(start + 1 - d) + count_up(), splat(3))  # unsigned: 0, 1 or 2
        lowest = minimum(lowest, where(near, splat(HIGHEST), load(sums, start)))
    return smallest(lowest)
