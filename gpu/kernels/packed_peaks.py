"""Find peaks on the GPU among the candidates listed by groups of 128 x 64 pixels."""

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.ncc.params import Region, first_pixel
from wheatstone.gpu.pipelines.ncc.parts import WINDOWS

THREADS = 256
WARP = 32
CHOOSERS = 1024  # threads of the one block that chooses, at most: one a group, as far as they go


LISTS = (np.float32, np.int64, np.int32)
CHOSEN = (*LISTS, np.float32, np.int32)
KERNELS = {
    "list": declare(
        "packed_peaks", "list", LISTS, (np.int32, np.int32, np.float32), CHOOSERS=CHOOSERS
    ),
    "choose": declare("packed_peaks", "choose", CHOSEN, 8, CHOOSERS=CHOOSERS),
}


def list_candidates(scores: Array, listed_keys: Array, listed: Array, threshold: float) -> None:
    """List the pixels that can be peaks, from scores that plain kernels have written."""
    height, width = scores.shape
    arrays = (scores, listed_keys, listed)
    KERNELS["list"](blocks(WINDOWS, width, height), (THREADS,), *arrays, height, width, threshold)


def packed_peaks(
    scores: Array,
    listed_keys: Array,
    listed: Array,
    peaks: Array,
    boxes: Array,
    template: Region,
    convention: str,
    count: int,
) -> None:
    """Launch the kernel that chooses peaks from the lists of candidates."""
    (warps,) = blocks((WARP,), *listed.shape)
    arrays = (scores, listed_keys, listed, peaks, boxes)
    place = (*scores.shape, *template[2:], *first_pixel(template, convention))
    threads = (min(CHOOSERS, WARP * warps),)
    KERNELS["choose"]((1,), threads, *arrays, *place, count, peaks.shape[0])
