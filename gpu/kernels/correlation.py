"""Correlate the template with windows on the GPU."""

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, blocks
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

BLOCKS = {"texture": (16, 8), "constant": (32, 16), "shared": TILE, "global": (32, 8)}
TYPES = {  # of images and scalars
    "texture": (TEXTURE, TEXTURE, np.int64, np.float32) + (np.int32,) * 8,
    "constant": (TEXTURE, np.int64, np.float32) + (np.int32,) * 6,
    "shared": (TEXTURE, np.int64, np.float32) + (np.int32,) * 7,
    "global": (np.uint8, np.uint8, np.int64, np.float32) + (np.int32,) * 8,
}
WHOLE = ("texture", "global")  # that read the template where the left image has it
KERNELS = {
    (memory, convention): Kernel(
        "correlation.cu",
        f"correlation_{memory}",
        types,
        arrays=4 if memory in WHOLE else 3,
        defines=(("CONVENTION", convention), ("CONSTANT_PIXELS", str(CONSTANT_PIXELS))),
    )
    for memory, types in TYPES.items()
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
    """Launch the correlation kernel of a memory; ``texture`` if ``shared`` does not fit."""
    if memory == "shared" and too_large_for_shared(template):
        memory = "texture"
    kernel, block = KERNELS[memory, convention], BLOCKS[memory]
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
