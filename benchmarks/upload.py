"""Time the upload of a pair in colour from host memory to the grey levels that kernels read.

Prints a Markdown table. Every frame is a new one, as of a camera, so none is in the GPU's memory.
`queued` is what the thread that computes is held up: grey levels, the copy to page-locked memory,
and asking for the transfers, which then run beside it; `there` includes the transfers. `beside` is
what a frame takes longer, one after the other, than a frame of the same kernels whose inputs stay:
that part of uploading that is not hidden behind the frame before.
"""

import time
from collections.abc import Callable
from itertools import count
from statistics import median

import numpy as np

from benchmarks.runner import Count, Size
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.run.inputs import SharedInputs

SIZES = ((1280, 720), (1920, 1080), (3840, 2160))
PAIRS = 4  # of pixels, over and over, in frames of their own
WARM = 10  # frames that do not count
HEADER = ("Pair", "queued, ms", "there, ms", "computing, ms", "beside, ms")


def frames_of(width: int, height: int) -> Callable[[], Frame]:
    """Make what gives a new frame at every call."""
    random, numbers = np.random.default_rng(1), count()
    shape = PAIRS, 2, height, width, 3
    pairs = random.integers(0, 256, shape, np.uint8)

    def frame() -> Frame:
        index = next(numbers)
        left, right = pairs[index % PAIRS]
        return Frame(left, right, index)

    return frame


def row(size: tuple[int, int], frames: int) -> tuple[str, ...]:
    """Measure a size."""
    width, height = size
    execution = prepare(SGM, "fast", SGM.preset("fast"), height, width)
    inputs, frame = SharedInputs(height, width), frames_of(width, height)
    inputs.share(execution)

    def upload() -> None:
        inputs.upload(execution, frame())

    def stay() -> None:
        pass

    for _ in range(WARM):
        upload()
        execution.run()
    queued, there = [], []
    for _ in range(frames):
        execution.device.synchronize()
        begin = time.perf_counter()
        upload()
        queued.append(time.perf_counter() - begin)
        execution.device.synchronize()
        there.append(time.perf_counter() - begin)
    computing, both = (one_after_the_other(execution, way, frames) for way in (stay, upload))
    took = median(queued), median(there), computing, max(both - computing, 0.0)
    return f"{width}x{height}", *(f"{1e3 * seconds:.2f}" for seconds in took)


def one_after_the_other(execution: Execution, bring: Callable[[], None], frames: int) -> float:
    """Seconds a frame, none of which is waited for before the next is brought."""
    execution.device.synchronize()
    begin = time.perf_counter()
    for _ in range(frames):
        bring()
        execution.run()
    execution.device.synchronize()
    return (time.perf_counter() - begin) / frames


def main(*, size: tuple[Size, ...] = SIZES, frames: Count = 100) -> bool:
    """Print a row for each size."""
    print(markdown(HEADER, [row(each, frames) for each in size]))
    return True
