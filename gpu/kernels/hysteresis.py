"""Keep the weak edge pixels that are connected to strong ones on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import Kernel, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.params import STRONG

BLOCK = (32, 16)


def _kernel(name: str, *arrays: Any) -> Kernel:
    macros = {"STRONG": STRONG, "BLOCK_X": BLOCK[0], "BLOCK_Y": BLOCK[1]}
    return declare("hysteresis", name, arrays, **macros)


KERNELS = {
    "label_global": _kernel("label_global", np.uint8, np.int32, np.uint8),
    "label_shared": _kernel("label_shared", np.uint8, np.int32, np.uint8),
    "join_global": _kernel("join_global", np.int32),
    "join_shared": _kernel("join_shared", np.int32),
    "mark": _kernel("mark", np.uint8, np.int32, np.uint8),
    "select": _kernel("select", np.uint8, np.int32, np.uint8, np.uint8),
}


def hysteresis(seeds: Array, edges: Array, strength: Array, labels: Array, memory: str) -> None:
    """Launch the kernels that label connected pixels and select the edges."""
    height, width = seeds.shape
    grid, size = blocks(BLOCK, width, height), (height, width)
    KERNELS[f"label_{memory}"](grid, BLOCK, seeds, labels, edges, *size)
    KERNELS[f"join_{memory}"](grid, BLOCK, labels, *size)
    KERNELS["mark"](grid, BLOCK, seeds, labels, edges, *size)
    KERNELS["select"](grid, BLOCK, seeds, labels, edges, strength, *size)
