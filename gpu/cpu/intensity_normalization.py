"""Stretch grey levels by a look-up table, as gpu.reference.intensity_normalization."""

from functools import partial

import numpy as np

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.cpu.cores import on_all_cores, shares
from wheatstone.gpu.image import Int32, Uint8, Uint16


def intensity_normalization(smoothed: Uint16, blurred: Uint8, peak: Int32) -> None:
    """Find the largest value in shares of the rows, then write every value by a table."""
    rows = list(shares(smoothed.shape[0]))
    peaks = np.empty(len(rows), np.int32)
    on_all_cores([partial(_peak, smoothed, peaks, i, *share) for i, share in enumerate(rows)])
    peak[0] = peaks.max()
    table = (255 * np.arange(peak[0] + 1) // max(peak[0], 1)).astype(np.uint8)
    on_all_cores([partial(_look_up, smoothed, table, blurred, *share) for share in rows])


@compiled
def _peak(smoothed: Uint16, peaks: Int32, index: int, top: int, bottom: int) -> None:
    largest = np.uint16(0)
    for y in range(top, bottom):
        for x in range(smoothed.shape[1]):
            largest = max(largest, smoothed[y, x])
    peaks[index] = largest


@compiled
def _look_up(smoothed: Uint16, table: Uint8, blurred: Uint8, top: int, bottom: int) -> None:
    for y in range(top, bottom):
        for x in range(smoothed.shape[1]):
            blurred[y, x] = table[smoothed[y, x]]
