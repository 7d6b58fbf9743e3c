"""Compute runs: prepare a variant once for each image size, then compute frame after frame."""

import threading
from collections import OrderedDict, deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np

from wheatstone.gpu.compilations import loadings
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.viewer.run.inputs import host_inputs
from wheatstone.viewer.run.result import Result
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.sources.frame import Frame, Source

AHEAD = 2  # frames that are read while one is computed


class Engine:
    """Compute runs on frames, and keep the executions prepared for them.

    Several threads may call it. They take turns, because a device computes one frame at a time.

    Args:
        kept: how many prepared executions are kept for further frames.
    """

    def __init__(self, kept: int = 2) -> None:
        self._kept = kept
        self._turn = threading.RLock()
        self._executions: OrderedDict[tuple[Run, int, int], Execution] = OrderedDict()

    def compute(self, run: Run, frame: Frame) -> Result:
        """Compute a run on a frame.

        Raises:
            ValueError: the frame lacks a view, the parameters do not fit the image size, or the
                variant does not keep an image of ``run.keep``.
            Unavailable: the variant's device is absent or has too little memory.
        """
        inputs = host_inputs(run.pipeline, frame)
        with self._turn:
            execution = self.prepared(run, *frame.shape)
            if missing := sorted(execution.inputs_read - inputs.keys()):
                remedy = "name it with --right, or give --layout if one image holds both views"
                name = run.pipeline.name
                raise ValueError(f"{name} needs a {missing[0]} view, and there is none: {remedy}")
            execution.upload(**inputs)
            loaded = loadings()
            execution.run()
            if loadings() > loaded:  # the time of a frame is that of one without compiling
                execution.run()
            images = {name: np.array(execution.download(name)) for name in run.images}
            milliseconds = execution.milliseconds(wait=True) or 0.0
        scaled = replace(run, scale=frame.calibration_or_assumed.scale)
        return Result(scaled, frame, images, milliseconds)

    def compute_all(self, run: Run, source: Source) -> Iterator[Result]:
        """Compute a run on every frame of a source, in order; frames are read in the background.

        Raises:
            OSError, ValueError, Unavailable: as ``compute``, or a frame cannot be read.
        """
        with ThreadPoolExecutor(1, "wheatstone-read") as reader:
            numbers = iter(range(source.length))
            reading = deque(reader.submit(source.frame, n) for n in islice(numbers, AHEAD))
            while reading:
                frame = reading.popleft().result()
                reading.extend(reader.submit(source.frame, n) for n in islice(numbers, 1))
                yield self.compute(run, frame)

    def prepared(self, run: Run, height: int, width: int) -> Execution:
        """Return the execution of a run for an image size in pixels; prepare it if necessary."""
        key = run, height, width
        with self._turn:
            if key in self._executions:
                self._executions.move_to_end(key)
                return self._executions[key]
            while len(self._executions) >= self._kept:  # gives its memory back first
                self._executions.popitem(last=False)
            execution = prepare(run.pipeline, run.variant, run.params, height, width, run.images)
            self._executions[key] = execution
            return execution


@cache
def shared_engine() -> Engine:
    """Return the engine that all runs in this process share."""
    return Engine()
