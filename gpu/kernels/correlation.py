"""Correlate the template with windows on the GPU."""

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

BLOCKS = {"texture": (16, 8), "constant": (32, 16), "shared": TILE, "global": (32, 8)}
IMAGES = {"texture": TEXTURE, "constant": TEXTURE, "shared": TEXTURE, "global": np.uint8}
SCALARS = {"texture": 8, "constant": 6, "shared": 7, "global": 8}
WHOLE = ("texture", "global")  # that read the template where the left image has it
KERNELS = {
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
