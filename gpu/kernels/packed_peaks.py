"""Find peaks on the GPU in two launches."""

import numpy as np

from gpu.kernels.kernel import Kernel, blocks
from gpu.pipeline import Array
from gpu.pipelines.ncc.params import Region, first_pixel
from gpu.pipelines.ncc.parts import WINDOWS, without_tensor_cores

THREADS = 256
BLOCK = (WINDOWS[0], 32)  # pixels
CHOOSERS = 1024  # threads of the one block that chooses


def _kernel(name: str, types: tuple[type[np.generic], ...], arrays: int) -> Kernel:
    threads = (("THREADS", str(THREADS)), ("CHOOSERS", str(CHOOSERS)))
    return Kernel("packed_peaks.cu", f"packed_peaks_{name}", types, arrays, threads)


KERNELS = {
    "list": _kernel(
        "list",
        (np.float32, np.int32, np.int64, np.int32, np.int32, np.int32, np.float32, np.int32),
        arrays=4,
    ),
    "choose": _kernel(
        "choose",
        (np.float32, np.int64, np.int32, np.float32, np.int32, *(np.int32,) * 8),
        arrays=5,
    ),
}


def packed_peaks(
    scores: Array,
    highest: Array,
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
    list_keys(scores, highest, listed_keys, listed, template, threshold)
    choose(scores, listed_keys, listed, peaks, boxes, template, convention, count)


def list_keys(
    scores: Array,
    highest: Array,
    listed_keys: Array,
    listed: Array,
    template: Region,
    threshold: float,
) -> None:
    """List the pixels that can be peaks behind those in the list, of which there should be none."""
    height, width = scores.shape
    told = not without_tensor_cores(template)  # plain kernels do not say what is highest
    arrays = (scores, highest, listed_keys, listed)
    grid = blocks(BLOCK, width, height)
    KERNELS["list"](grid, (THREADS,), *arrays, height, width, threshold, int(told))


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
