"""Fill holes in the disparity on the GPU."""

from dataclasses import replace

import numpy as np

from wheatstone.gpu.kernels.kernel import blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.images import MASK_BITS
from wheatstone.gpu.pipelines.sgm.params import OCCLUSION_SLACK, SUBPIXEL_STEPS

BLOCK = (32, 8)
BANDS = 4  # of a block of masks, a warp each


MACROS = {"WORD": MASK_BITS, "SUBPIXEL_STEPS": SUBPIXEL_STEPS, "SLACK": OCCLUSION_SLACK}
FILL = declare("hole_filling", "", (np.int16, np.uint32, np.int16), 3, **MACROS)
KERNELS = {
    "masks": replace(
        FILL, name="hole_masks", types=(np.int16, np.uint32, *FILL.types[3:]), arrays=2
    ),
    "fill": FILL,
}


def hole_filling(filtered: Array, filled: Array, valid_masks: Array, min_disparity: int) -> None:
    """Launch the kernel that marks valid pixels, then the kernel that fills the holes."""
    height, width = filtered.shape
    scalars = height, width, min_disparity
    bands = -(-height // MASK_BITS)
    columns = width + 2 * MASK_BITS - 1  # where lines begin, diagonal ones beside the image
    grid = (*blocks((MASK_BITS, BANDS), columns, bands), 3)
    KERNELS["masks"](grid, (MASK_BITS, BANDS), filtered, valid_masks, *scalars)
    images = filtered, valid_masks, filled
    KERNELS["fill"](blocks(BLOCK, width, height), BLOCK, *images, *scalars)
