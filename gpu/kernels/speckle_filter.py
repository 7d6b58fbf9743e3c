"""Reject small islands of disparity on the GPU."""

from dataclasses import replace
from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import Kernel, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

BLOCK = (32, 16)


def _kernel(name: str, *arrays: Any, scalars: int) -> Kernel:
    macros = {"BLOCK_X": BLOCK[0], "BLOCK_Y": BLOCK[1]}
    kernel = declare("speckle_filter", "", arrays, scalars, **macros)
    return replace(kernel, name=f"speckle_{name}")


KERNELS = {
    "label": _kernel("label", np.int16, np.int32, np.int32, scalars=4),
    "join": _kernel("join", np.int16, np.int32, scalars=4),
    "count": _kernel("count", np.int32, np.int32, scalars=2),
    "select": _kernel("select", np.int16, np.int32, np.int32, np.int16, scalars=4),
}


def speckle_filter(
    consistent: Array,
    filtered: Array,
    islands: Array,
    island_sizes: Array,
    min_disparity: int,
    speckle_size: int,
    speckle_range: int,
) -> None:
    """Launch the kernels that label and count islands, then the one that selects the large ones."""
    height, width = consistent.shape
    grid, size = blocks(BLOCK, width, height), (height, width)
    invalid, step = (min_disparity - 1) * SUBPIXEL_STEPS, speckle_range * SUBPIXEL_STEPS
    KERNELS["label"](grid, BLOCK, consistent, islands, island_sizes, *size, invalid, step)
    KERNELS["join"](grid, BLOCK, consistent, islands, *size, invalid, step)
    KERNELS["count"](grid, BLOCK, islands, island_sizes, *size)
    images = consistent, islands, island_sizes, filtered
    KERNELS["select"](grid, BLOCK, *images, *size, invalid, speckle_size)
