"""Correlate the template with windows on the GPU, by tensor cores."""

import numpy as np

from gpu.kernels.correlation import correlation
from gpu.kernels.kernel import Kernel, blocks
from gpu.kernels.template_statistics import template_statistics
from gpu.parameters import controls
from gpu.pipeline import Array
from gpu.pipelines.ncc.params import NccParams, Region, first_pixel
from gpu.pipelines.ncc.parts import (
    COLUMNS,
    FEW_COLUMNS,
    WINDOWS,
    part_of,
    without_tensor_cores,
)

THREADS = 256
ROWS = 8  # of windows, of a warp
WORD = 4  # bytes


def shared_bytes(part_height: int, steps: int) -> int:
    """Count the bytes of a block's arrays: tile and template, then what products or sums need."""
    tile = (WINDOWS[1] + part_height - 1) * COLUMNS
    quads = (part_height + 2 * ROWS - 1) * 32 * 2 * steps * WORD
    padded = part_height * (32 * steps + 16)
    sums = WINDOWS[0] * WINDOWS[1] * WORD + 2 * THREADS // 32 * (COLUMNS + COLUMNS // 16) * 2 * WORD
    return max(-(-(tile + padded) // 128) * 128 + 64 + tile + quads, tile + sums)


KERNELS = {
    (convention, steps): Kernel(
        "packed_correlation.cu",
        "packed_correlation",
        (np.uint8, np.uint8, np.int64, np.uint32, np.int32, np.float32, *(np.int32,) * 10),
        arrays=6,
        defines=(("CONVENTION", convention), ("STEPS", str(steps))),
    )
    for convention in controls(NccParams)["convention"].choices
    for steps in (1, 2)
}


def packed_correlation(
    left: Array,
    searched: Array,
    template_sums: Array,
    window_sums: Array,
    highest: Array,
    scores: Array,
    template: Region,
    convention: str,
) -> None:
    """Launch the kernel; plain ones if the template or the GPU does not suit it."""
    if without_tensor_cores(template):
        template_statistics(left, template_sums, template, "global")
        correlation(left, searched, template_sums, scores, template, convention, "global")
        return
    height, width = scores.shape
    part = part_of(template)
    steps = 1 if part[0] <= FEW_COLUMNS else 2
    images = (left, searched, template_sums, window_sums, highest, scores)
    scalars = (height, width, *template, *first_pixel(template, convention), *part)
    grid, shared = blocks(WINDOWS, width, height), shared_bytes(part[1], steps)
    KERNELS[convention, steps](grid, (THREADS,), *images, *scalars, shared=shared)
