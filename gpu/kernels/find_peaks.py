"""Find the highest scores on the GPU, with one launch per peak."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.ncc.params import Region, first_pixel

BLOCK = (32, 16)
KERNELS = {
    "begin": declare("find_peaks", "begin", (np.int64,), 0),
    "next": declare("find_peaks", "next", (np.float32, np.int64), (*(np.int32,) * 5, np.float32)),
    "refine": declare("find_peaks", "refine", (np.float32, np.int64, np.float32, np.int32), 6),
}


def find_peaks(
    scores: Array,
    peak_keys: Array,
    peaks: Array,
    boxes: Array,
    template: Region,
    convention: str,
    count: int,
    threshold: float,
) -> None:
    """Launch the kernels that choose the peaks, one by one, and then refine them."""
    height, width = scores.shape
    grid, every_peak = blocks(BLOCK, width, height), (peak_keys.shape[0],)
    sizes = (height, width, *template[2:])
    KERNELS["begin"]((1,), every_peak, peak_keys)
    for rank in range(count):
        KERNELS["next"](grid, BLOCK, scores, peak_keys, *sizes, rank, threshold)
    start = first_pixel(template, convention)
    KERNELS["refine"]((1,), every_peak, scores, peak_keys, peaks, boxes, *sizes, *start)
