"""Find the highest peaks on all cores, with the same results as gpu.reference.find_peaks."""

import numpy as np

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.image import Float32, Int32, Int64
from wheatstone.gpu.pipelines.ncc.params import Region, first_pixel
from wheatstone.gpu.reference.find_peaks import is_close, is_highest, refined


def find_peaks(
    scores: Float32,
    peaks: Float32,
    boxes: Int32,
    template: Region,
    convention: str,
    count: int,
    threshold: float,
) -> None:
    """Write the highest peaks of the scores, and the box of each peak's window."""
    _, _, width, height = template
    best = np.empty(scores.shape[0], np.int64)
    chosen = np.empty((count, 2), np.int64)
    smallest = np.float32(threshold)
    peaks[:], boxes[:, :2], boxes[:, 2:] = 0, 0, -1
    on_rows(scores.shape[0], _search_rows, scores, best, chosen[:0], width, height, smallest)
    _choose(
        scores, best, chosen, peaks, boxes, template, first_pixel(template, convention), smallest
    )


@compiled
def _search_rows(
    scores: Float32,
    best: Int64,
    chosen: Int64,
    width: int,
    height: int,
    threshold: np.float32,
    first: int,
    last: int,
) -> None:
    """Write the column of the highest candidate of each row; -1 if a row has no candidate."""
    for y in range(first, last):
        best[y] = -1
        for x in range(scores.shape[1]):
            higher = best[y] < 0 or scores[y, x] > scores[y, best[y]]
            if higher and scores[y, x] >= threshold and is_highest(scores, y, x):
                if not is_close(y, x, chosen, width, height):
                    best[y] = x


@compiled
def _choose(
    scores: Float32,
    best: Int64,
    chosen: Int64,
    peaks: Float32,
    boxes: Int32,
    template: Region,
    start: tuple[int, int],
    threshold: np.float32,
) -> None:
    _, _, width, height = template
    for k in range(chosen.shape[0]):
        y = _highest_row(scores, best)
        if y < 0:
            break
        x = best[y]
        chosen[k, 0], chosen[k, 1] = y, x
        peaks[k, 0], peaks[k, 1], peaks[k, 2], peaks[k, 3] = refined(scores, y, x)
        left, top = x + start[1], y + start[0]
        boxes[k, 0], boxes[k, 1] = left, top
        boxes[k, 2], boxes[k, 3] = left + width - 1, top + height - 1
        first, last = max(y - height, 0), min(y + height, best.size)
        _search_rows(scores, best, chosen[: k + 1], width, height, threshold, first, last)


@helper
def _highest_row(scores: Float32, best: Int64) -> int:
    highest = -1
    for y in range(best.size):
        if best[y] >= 0 and (highest < 0 or scores[y, best[y]] > scores[highest, best[highest]]):
            highest = y
    return highest
