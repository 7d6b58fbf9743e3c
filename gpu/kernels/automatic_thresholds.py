"""Choose edge thresholds from the image on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, blocks, declare
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.params import GAIN, HISTOGRAM_BINS, least_magnitude

BLOCK = (256,)
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
KERNELS = {
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
    grid = (min(BLOCKS, *blocks(BLOCK, counted.shape[0] * counted.shape[1])),)
    memory = "texture" if hasattr(counted, "object") else "count"
    KERNELS[*rule, "begin"]((1,), threads, histogram)
    KERNELS[*rule, memory](grid, BLOCK, counted, histogram, *counted.shape, width, lowest)
    beyond = least_magnitude(0, convention)
    KERNELS[*rule, "choose"]((1,), threads, histogram, levels, GAIN[aperture], beyond)
