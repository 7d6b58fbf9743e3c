"""Correlate a template on the GPU by tensor cores, and choose the highest peaks."""

import numpy as np

from wheatstone.gpu.kernels.correlation import correlation, template_statistics
from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.ncc.params import NccParams, Region, first_pixel
from wheatstone.gpu.pipelines.ncc.parts import (
    COLUMNS,
    FEW_COLUMNS,
    WINDOWS,
    part_of,
    without_tensor_cores,
)

THREADS = 256
WARP = 32
CHOOSERS = 1024  # threads of the one block that chooses, at most: one a group, as far as they go

LISTS = (np.float32, np.int64, np.int32)
CHOSEN = (*LISTS, np.float32, np.int32)
PACKED_PEAKS_KERNELS = {
    "list": declare(
        "packed_peaks", "list", LISTS, (np.int32, np.int32, np.float32), CHOOSERS=CHOOSERS
    ),
    "choose": declare("packed_peaks", "choose", CHOSEN, 8, CHOOSERS=CHOOSERS),
}


def list_candidates(scores: Array, listed_keys: Array, listed: Array, threshold: float) -> None:
    """Launch the kernel that lists the pixels that can be peaks, given the scores."""
    height, width = scores.shape
    arrays = (scores, listed_keys, listed)
    PACKED_PEAKS_KERNELS["list"](
        blocks(WINDOWS, width, height), (THREADS,), *arrays, height, width, threshold
    )


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
    PACKED_PEAKS_KERNELS["choose"]((1,), threads, *arrays, *place, count, peaks.shape[0])


ROWS = 8  # of windows, of a warp
WORD = 4  # bytes


def shared_bytes(part_height: int, steps: int) -> int:
    """Compute the bytes of shared memory that a block of the tensor core kernel needs."""
    tile = (WINDOWS[1] + part_height - 1) * COLUMNS
    quads = (part_height + 2 * ROWS - 1) * 32 * 2 * steps * WORD
    padded = part_height * (32 * steps + 16)
    sums = WINDOWS[0] * WINDOWS[1] * WORD + 2 * THREADS // 32 * (COLUMNS + COLUMNS // 16) * 2 * WORD
    return max(-(-(tile + padded) // 128) * 128 + 64 + tile + quads, tile + sums)


PACKED_CORRELATION_KERNELS = {
    (convention, steps): declare(
        "packed_correlation",
        "",
        (np.uint8, np.uint8, np.int64, np.uint32, np.float32, np.int64, np.int32),
        (*(np.int32,) * 10, np.float32),
        CONVENTION=convention,
        STEPS=steps,
    )
    for convention in controls(NccParams)["convention"].choices
    for steps in (1, 2)
}


def packed_correlation(
    left: Array,
    searched: Array,
    template_sums: Array,
    window_sums: Array,
    scores: Array,
    listed_keys: Array,
    listed: Array,
    template: Region,
    convention: str,
    threshold: float,
) -> None:
    """Launch the tensor core kernel, or plain kernels if the template or the GPU rules it out."""
    lists = (listed_keys, listed)
    if without_tensor_cores(template):
        template_statistics(left, template_sums, template, "global")
        correlation(left, searched, template_sums, scores, template, convention, "global")
        list_candidates(scores, *lists, threshold)
        return
    height, width = scores.shape
    part = part_of(template)
    steps = 1 if part[0] <= FEW_COLUMNS else 2
    images = (left, searched, template_sums, window_sums, scores, *lists)
    scalars = (height, width, *template, *first_pixel(template, convention), *part, threshold)
    grid, shared = blocks(WINDOWS, width, height), shared_bytes(part[1], steps)
    PACKED_CORRELATION_KERNELS[convention, steps](
        grid, (THREADS,), *images, *scalars, shared=shared
    )
