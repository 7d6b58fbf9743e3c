"""Choose edge pixels by two thresholds and hysteresis on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.params import (
    GAIN,
    HISTOGRAM_BINS,
    STRONG,
    WEAK,
    least_magnitude,
)

MANUAL_THRESHOLDS = declare("manual_thresholds", "", (np.int32,))


def manual_thresholds(levels: Array, low: int, high: int, convention: str) -> None:
    """Launch the kernel that writes the two thresholds given as parameters."""
    weak, strong = least_magnitude(low, convention), least_magnitude(high, convention)
    MANUAL_THRESHOLDS((1,), (1,), levels, weak, strong)


AUTOMATIC_THRESHOLDS_BLOCK = (256,)
BLOCKS = 512

PARTS: dict[str, tuple[tuple[Any, ...], int]] = {  # arrays without the values, and scalars
    "begin": ((np.int32,), 0),
    "count": ((np.int32,), 4),
    "texture": ((TEXTURE, np.int32), 4),
    "choose": ((np.int32, np.int32), 2),
}
RULES = (
    *((np.uint8, "median"), (np.uint16, "median")),
    *((np.int32, "otsu"), (np.int32, "quantile")),
)
AUTOMATIC_THRESHOLDS_KERNELS = {
    (np.dtype(value), rule, part): declare(
        "automatic_thresholds",
        part,
        (*(value,) * (part == "count"), *arrays),
        scalars,
        VALUE=value,
        RULE=rule,
        BINS=HISTOGRAM_BINS,
    )
    for value, rule in RULES
    for part, (arrays, scalars) in PARTS.items()
}


def automatic_thresholds(
    blurred: Array,
    magnitude: Array,
    suppressed: Array,
    levels: Array,
    histogram: Array,
    thresholds: str,
    aperture: int,
    convention: str,
) -> None:
    """Launch the kernels that count values in a histogram and choose the thresholds from it."""
    counted = {"median": blurred, "otsu": suppressed, "quantile": magnitude}[thresholds]
    width = 1 if thresholds == "median" else GAIN[aperture]
    lowest = 1 if thresholds == "otsu" else 0
    rule, threads = (counted.dtype, thresholds), (HISTOGRAM_BINS // 2,)
    grid = (min(BLOCKS, *blocks(AUTOMATIC_THRESHOLDS_BLOCK, counted.shape[0] * counted.shape[1])),)
    memory = "texture" if hasattr(counted, "object") else "count"
    AUTOMATIC_THRESHOLDS_KERNELS[*rule, "begin"]((1,), threads, histogram)
    AUTOMATIC_THRESHOLDS_KERNELS[*rule, memory](
        grid, AUTOMATIC_THRESHOLDS_BLOCK, counted, histogram, *counted.shape, width, lowest
    )
    beyond = least_magnitude(0, convention)
    AUTOMATIC_THRESHOLDS_KERNELS[*rule, "choose"](
        (1,), threads, histogram, levels, GAIN[aperture], beyond
    )


BLOCK = (32, 16)
EDGE_SEEDS = declare("edge_seeds", "", (np.int32, np.int32, np.uint8), 3, STRONG=STRONG, WEAK=WEAK)


def edge_seeds(suppressed: Array, levels: Array, seeds: Array, convention: str) -> None:
    """Launch the kernel that marks strong and weak local maxima."""
    height, width = seeds.shape
    margin = 0 if convention == "opencv" else 1
    grid = blocks(BLOCK, width, height)
    EDGE_SEEDS(grid, BLOCK, suppressed, levels, seeds, height, width, margin)


def _hysteresis_kernel(name: str, *arrays: Any) -> Kernel:
    macros = {"STRONG": STRONG, "BLOCK_X": BLOCK[0], "BLOCK_Y": BLOCK[1]}
    return declare("hysteresis", name, arrays, **macros)


HYSTERESIS_KERNELS = {
    "label_global": _hysteresis_kernel("label_global", np.uint8, np.int32, np.uint8),
    "label_shared": _hysteresis_kernel("label_shared", np.uint8, np.int32, np.uint8),
    "join_global": _hysteresis_kernel("join_global", np.int32),
    "join_shared": _hysteresis_kernel("join_shared", np.int32),
    "mark": _hysteresis_kernel("mark", np.uint8, np.int32, np.uint8),
    "select": _hysteresis_kernel("select", np.uint8, np.int32, np.uint8, np.uint8),
}


def hysteresis(seeds: Array, edges: Array, strength: Array, labels: Array, memory: str) -> None:
    """Launch the kernels that label connected pixels and select the edges."""
    height, width = seeds.shape
    grid, size = blocks(BLOCK, width, height), (height, width)
    HYSTERESIS_KERNELS[f"label_{memory}"](grid, BLOCK, seeds, labels, edges, *size)
    HYSTERESIS_KERNELS[f"join_{memory}"](grid, BLOCK, labels, *size)
    HYSTERESIS_KERNELS["mark"](grid, BLOCK, seeds, labels, edges, *size)
    HYSTERESIS_KERNELS["select"](grid, BLOCK, seeds, labels, edges, strength, *size)
