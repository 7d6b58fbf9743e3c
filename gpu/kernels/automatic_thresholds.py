"""Choose edge thresholds from the image on the GPU."""

from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import TEXTURE, Kernel, blocks, c_type
from wheatstone.gpu.pipeline import Array
from wheatstone.gpu.pipelines.canny.params import GAIN, HISTOGRAM_BINS, least_magnitude

BLOCK = (256,)
BLOCKS = 512


def _kernel(name: str, value: Any, rule: str, arrays: tuple[Any, ...], scalars: int) -> Kernel:
    return Kernel(
        "automatic_thresholds.cu",
        f"automatic_thresholds_{name}",
        arrays + (np.int32,) * scalars,
        len(arrays),
        defines=(("VALUE", c_type(value)), ("RULE", rule), ("BINS", str(HISTOGRAM_BINS))),
    )


def _kernels(value: Any, rule: str) -> dict[str, Kernel]:
    return {
        "begin": _kernel("begin", value, rule, (np.int32,), 0),
        "count": _kernel("count", value, rule, (value, np.int32), 4),
        "texture": _kernel("texture", value, rule, (TEXTURE, np.int32), 4),
        "choose": _kernel("choose", value, rule, (np.int32, np.int32), 2),
    }


KERNELS = {
    (np.dtype(value), rule, name): kernel
    for value, rule in (
        (np.uint8, "median"),
        (np.uint16, "median"),
        (np.int32, "otsu"),
        (np.int32, "quantile"),
    )
    for name, kernel in _kernels(value, rule).items()
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
