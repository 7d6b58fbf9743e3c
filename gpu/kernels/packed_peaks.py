"""Find peaks on the GPU in two launches."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array
from gpu.pipelines.ncc.params import Region, first_pixel

THREADS, PIXELS = 256, 8  # of a block, and of a thread
CHOOSERS = 1024  # threads of the one block that chooses


def _kernel(name: str, types: tuple[type[np.generic], ...], arrays: int) -> Kernel:
    threads = (("THREADS", str(THREADS)), ("CHOOSERS", str(CHOOSERS)))
    return Kernel("packed_peaks.cu", f"packed_peaks_{name}", types, arrays, threads)


KERNELS = {
    "list": _kernel(
        "list", (np.float32, np.int64, np.int32, np.int32, np.int32, np.float32), arrays=3
    ),
    "choose": _kernel(
        "choose",
        (np.float32, np.int64, np.int32, np.float32, np.int32, *(np.int32,) * 8),
        arrays=5,
    ),
}


def packed_peaks(
    scores: Array,
    listed_keys: Array,
    listed: Array,
    peaks: Array,
    boxes: Array,
    template: Region,
    convention: str,
    count: int,
    threshold: float,
) -> None:
    """Launch the kernels."""
    list_keys(scores, listed_keys, listed, threshold)
    choose(scores, listed_keys, listed, peaks, boxes, template, convention, count)


def list_keys(scores: Array, listed_keys: Array, listed: Array, threshold: float) -> None:
    """List the pixels that can be peaks behind those in the list, of which there should be none."""
    height, width = scores.shape
    grid = blocks((THREADS * PIXELS,), height * width)
    KERNELS["list"](grid, (THREADS,), scores, listed_keys, listed, height, width, threshold)


def choose(
    scores: Array,
    listed_keys: Array,
    listed: Array,
    peaks: Array,
    boxes: Array,
    template: Region,
    convention: str,
    count: int,
) -> None:
    """Choose peaks from the list, which is empty then."""
    arrays = (scores, listed_keys, listed, peaks, boxes)
    place = (*scores.shape, *template[2:], *first_pixel(template, convention))
    KERNELS["choose"]((1,), (CHOOSERS,), *arrays, *place, count, peaks.shape[0])
