"""Correlate a template with every window on the GPU, and find the highest scores."""

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, blocks, declare
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.ncc.params import (
    CONSTANT_PIXELS,
    TILE,
    NccParams,
    Region,
    first_pixel,
    tile_bytes,
    tile_pitch,
    too_large_for_shared,
)

BLOCK = (512,)
TEMPLATE_STATISTICS_KERNELS = {
    "texture": declare("template_statistics", "texture", (TEXTURE, np.int64), 4),
    "global": declare("template_statistics", "global", (np.uint8, np.int64), 5),
}


def template_statistics(
    left: Array, template_sums: Array, template: Region, memory: str = "texture"
) -> None:
    """Launch the kernel that sums the template's grey levels and squares, for a kind of memory."""
    pitch = (left.shape[1],) if memory == "global" else ()
    TEMPLATE_STATISTICS_KERNELS[memory]((1,), BLOCK, left, template_sums, *pitch, *template)


BLOCKS = {"texture": (16, 8), "constant": (32, 16), "shared": TILE, "global": (32, 8)}
IMAGES = {"texture": TEXTURE, "constant": TEXTURE, "shared": TEXTURE, "global": np.uint8}
SCALARS = {"texture": 8, "constant": 6, "shared": 7, "global": 8}
WHOLE = ("texture", "global")  # that read the template where the left image has it
CORRELATION_KERNELS = {
    (memory, convention): declare(
        "correlation",
        memory,
        ((image,) * (2 if memory in WHOLE else 1) + (np.int64, np.float32)),
        SCALARS[memory],
        CONVENTION=convention,
        CONSTANT_PIXELS=CONSTANT_PIXELS,
    )
    for memory, image in IMAGES.items()
    for convention in controls(NccParams)["convention"].choices
}


def correlation(
    left: Array,
    searched: Array,
    template_sums: Array,
    scores: Array,
    template: Region,
    convention: str,
    memory: str,
) -> None:
    """Launch the kernel for the given kind of memory; ``texture`` if ``shared`` is too small."""
    if memory == "shared" and too_large_for_shared(template):
        memory = "texture"
    kernel, block = CORRELATION_KERNELS[memory, convention], BLOCKS[memory]
    height, width = scores.shape
    grid = blocks(block, width, height)
    start = first_pixel(template, convention)
    common = (searched, template_sums, scores, height, width)
    if memory in WHOLE:
        kernel(grid, block, left, *common, *template, *start)
        return
    kernel.store("CONSTANT_TEMPLATE", left, template)
    if memory == "constant":
        kernel(grid, block, *common, *template[2:], *start)
    else:
        pitch, shared = tile_pitch(template), tile_bytes(template)
        kernel(grid, block, *common, *template[2:], *start, pitch, shared=shared)


FIND_PEAKS_BLOCK = (32, 16)
FIND_PEAKS_KERNELS = {
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
    """Launch the kernels that choose the peaks one by one, then the one that refines them."""
    height, width = scores.shape
    grid, every_peak = blocks(FIND_PEAKS_BLOCK, width, height), (peak_keys.shape[0],)
    sizes = (height, width, *template[2:])
    FIND_PEAKS_KERNELS["begin"]((1,), every_peak, peak_keys)
    for rank in range(count):
        FIND_PEAKS_KERNELS["next"](
            grid, FIND_PEAKS_BLOCK, scores, peak_keys, *sizes, rank, threshold
        )
    start = first_pixel(template, convention)
    FIND_PEAKS_KERNELS["refine"]((1,), every_peak, scores, peak_keys, peaks, boxes, *sizes, *start)
