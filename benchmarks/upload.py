"""Time the upload of pairs in colour from host memory, and their conversion to grey levels.

Prints a Markdown table. Every frame is new, as from a camera, so that none is in the GPU's memory.
`queued` is the time that an upload takes on the computing thread: conversion to grey levels, the
copy to page-locked memory, and the start of the transfers, which then run in the background;
`complete` includes the transfers. `computing` is the time per frame of consecutive frames without
uploads, and `added` is how much longer consecutive frames with uploads take: the part of an upload
that is not hidden behind the previous frame.
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
PAIRS = 4  # distinct pairs of images, which new frames use in turn
WARM = 10  # frames that are not timed
HEADER = ("Pair", "queued, ms", "complete, ms", "computing, ms", "added, ms")


def frames_of(width: int, height: int) -> Callable[[], Frame]:
    """Return a function that returns a new frame of noise at every call."""
    random, numbers = np.random.default_rng(1), count()
    shape = PAIRS, 2, height, width, 3
    pairs = random.integers(0, 256, shape, np.uint8)

    def frame() -> Frame:
        index = next(numbers)
        left, right = pairs[index % PAIRS]
        return Frame(left, right, index)

    return frame


def row(size: tuple[int, int], frames: int) -> tuple[str, ...]:
    """Measure one size; return the cells of its table row."""
    width, height = size
    execution = prepare(SGM, "fast", SGM.preset("fast"), height, width)
    inputs, frame = SharedInputs(height, width), frames_of(width, height)
    inputs.share(execution)

    def upload() -> None:
        inputs.upload(execution, frame())

    def upload_nothing() -> None:
        pass

    for _ in range(WARM):
        upload()
        execution.run()
    queued, complete = [], []
    for _ in range(frames):
        execution.device.synchronize()
        begin = time.perf_counter()
        upload()
        queued.append(time.perf_counter() - begin)
        execution.device.synchronize()
        complete.append(time.perf_counter() - begin)
    computing, both = (
        consecutive_seconds(execution, before, frames) for before in (upload_nothing, upload)
    )
    took = median(queued), median(complete), computing, max(both - computing, 0.0)
    return f"{width}x{height}", *(f"{1e3 * seconds:.2f}" for seconds in took)


def consecutive_seconds(execution: Execution, before: Callable[[], None], frames: int) -> float:
    """Return the seconds per frame of consecutive frames, which are queued without waiting.

    Args:
        before: called before each frame, such as its upload.
    """
    execution.device.synchronize()
    begin = time.perf_counter()
    for _ in range(frames):
        before()
        execution.run()
    execution.device.synchronize()
    return (time.perf_counter() - begin) / frames


def main(*, size: tuple[Size, ...] = SIZES, frames: Count = 100) -> bool:
    """Measure each size and print a table."""
    print(markdown(HEADER, [row(each, frames) for each in size]))
    return True
