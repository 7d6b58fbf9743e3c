"""Fill holes of the disparity on the GPU."""

from typing import Any

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array
from gpu.pipelines.sgm.images import MASK_BITS
from gpu.pipelines.sgm.params import OCCLUSION_SLACK, SUBPIXEL_STEPS

BLOCK = (32, 8)


def _kernel(name: str, *arrays: Any) -> Kernel:
    return Kernel(
        "hole_filling.cu",
        name,
        (*arrays, np.int32, np.int32, np.int32),
        len(arrays),
        defines=(
            ("WORD", str(MASK_BITS)),
            ("SUBPIXEL_STEPS", str(SUBPIXEL_STEPS)),
            ("SLACK", str(OCCLUSION_SLACK)),
        ),
    )


KERNELS = {
    "across": _kernel("hole_masks_across", np.int16, np.uint32),
    "down": _kernel("hole_masks_down", np.int16, np.uint32),
    "fill": _kernel("hole_filling", np.int16, np.uint32, np.int16),
}


def hole_filling(filtered: Array, filled: Array, valid_masks: Array, min_disparity: int) -> None:
    """Launch the kernels one after the other."""
    height, width = filtered.shape
    scalars = height, width, min_disparity
    words, bands = -(-width // MASK_BITS), -(-height // MASK_BITS)
    columns = width + 2 * (MASK_BITS - 1)  # where diagonal lines begin
    KERNELS["across"](blocks(BLOCK, words, height), BLOCK, filtered, valid_masks, *scalars)
    KERNELS["down"](blocks(BLOCK, columns, bands), BLOCK, filtered, valid_masks, *scalars)
    images = filtered, valid_masks, filled
    KERNELS["fill"](blocks(BLOCK, width, height), BLOCK, *images, *scalars)
