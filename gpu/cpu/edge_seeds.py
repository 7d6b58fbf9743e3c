"""Classify local maxima as strong or weak edge seeds, row by row, as gpu.reference.edge_seeds."""

import numpy as np

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.cpu.rows import fill
from wheatstone.gpu.image import Int32, Uint8
from wheatstone.gpu.pipelines.canny.params import STRONG, WEAK


def edge_seeds(suppressed: Int32, levels: Int32, seeds: Uint8, convention: str) -> None:
    """Write the edge seeds, with the rows divided among the cores."""
    margin = 0 if convention == "opencv" else 1
    weak, strong = levels
    on_rows(seeds.shape[0], _rows, suppressed, weak, strong, seeds, margin)


@compiled
def _rows(
    suppressed: Int32,
    weak: np.int32,
    strong: np.int32,
    seeds: Uint8,
    margin: int,
    top: int,
    bottom: int,
) -> None:
    height, width = seeds.shape
    for y in range(top, bottom):
        may_be_weak = margin <= y < height - margin
        may_be_strong = y < height - 2 * margin
        _sort(suppressed[y], seeds[y], weak, strong, WEAK * may_be_weak, STRONG * may_be_strong)
        fill(seeds[y, :margin], 0)
        fill(seeds[y, width - margin :], 0)


@helper
def _sort(
    suppressed: Int32,
    seeds: Uint8,
    weak: np.int32,
    strong: np.int32,
    weak_value: int,
    strong_value: int,
) -> None:
    """Write for each pixel the larger of the values whose level it reaches."""
    for x in range(seeds.size):
        low = np.uint8(weak_value) if suppressed[x] >= weak else np.uint8(0)
        high = np.uint8(strong_value) if suppressed[x] >= strong else np.uint8(0)
        seeds[x] = max(low, high)
