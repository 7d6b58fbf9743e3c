"""Measure variants: times of frames and stages, bytes moved, and memory bandwidth of the device.

``Execution`` reads the clocks; this module computes the statistics.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median

import numpy as np

from wheatstone.gpu.clock import (
    UNSETTLED,
    device_milliseconds,
    recorded_milliseconds,
    wall_milliseconds,
)
from wheatstone.gpu.device import Device
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.image import nbytes
from wheatstone.gpu.pipeline import Stage
from wheatstone.gpu.recording import call_steps

NOISY = 0.1  # spread from which times are called noisy
FEWEST = 3  # frames from which there is a spread
COPIED = 256 << 20  # bytes; more than caches hold
COPIES = 10
SHORT = 0.05  # milliseconds of a frame, below which the clock's own share tells
CHAINED, LAUNCHES = 64, 12  # frames in one graph, and how often that is launched


@dataclass(frozen=True)
class Times:
    """The statistics of the times of several frames, in milliseconds."""

    frames: int
    median: float
    p5: float
    p95: float
    fastest: float
    slowest: float

    @property
    def spread(self) -> float | None:
        """Return the 5th to 95th percentile range divided by the median; None for few frames."""
        return (self.p95 - self.p5) / self.median if self.frames >= FEWEST and self.median else None

    @property
    def noisy(self) -> bool:
        """Return whether the spread exceeds ``NOISY``."""
        return (self.spread or 0) > NOISY


@dataclass(frozen=True)
class Measurement:
    """The measurements of one variant at one size with one set of parameters.

    Attributes:
        device: compute time by the device's own clock: on a GPU between the marks of a frame's CUDA
            graph.
        wall: time of the call, until the device is done.
        stages: compute time by stage, from separate frames; empty if not requested.
        nbytes: bytes by stage, as declared: see ``declared_bytes``.
        chained: milliseconds of one of many consecutive frames on a GPU: see
            ``chained_milliseconds``; None for frames that are not short.
        nothing: milliseconds that the clock of that GPU measures for almost no work.
    """

    device: Times
    wall: Times
    stages: Mapping[str, Times] = field(default_factory=dict)
    nbytes: Mapping[str, int] = field(default_factory=dict)
    chained: float | None = None
    nothing: float | None = None


def summarize(samples: Sequence[float]) -> Times:
    """Compute statistics of samples; percentiles interpolate between neighbouring samples.

    Args:
        samples: milliseconds, at least one.
    """
    p5, p95 = np.percentile(samples, (5, 95))
    low, high = min(samples), max(samples)
    return Times(len(samples), median(samples), float(p5), float(p95), low, high)


def lap(execution: Execution) -> tuple[float, float]:
    """Run one frame; return its time on the device and the call's wall time, in milliseconds.

    The call's time ends when the device is done.
    """
    device = execution.device

    def call() -> None:
        execution.run()
        device.synchronize()

    device.synchronize()
    wall = wall_milliseconds(call)
    return execution.milliseconds(wait=True) or 0.0, wall


def replayed(execution: Execution) -> bool:
    """Return whether all frames after the first are replayed as CUDA graphs."""
    return execution.variant.recorded and not execution.device.on_host


def time_frames(
    execution: Execution, repeat: int, seconds: float = math.inf, least: int = 1
) -> tuple[Times, Times]:
    """Measure device and call times of a prepared variant that has computed its first frame.

    Some frames are discarded first: one on the CPU, on a GPU as many launches as graphs need to
    settle. Where there is time for few frames, at most half of them are discarded.

    Args:
        repeat: largest number of frames that count.
        seconds: no frame begins after this time.
        least: smallest number of frames that count, however long they take.
    """
    first = UNSETTLED if replayed(execution) else 1
    laps = [lap(execution)]
    spent = laps[0][1]
    counted = laps
    while len(laps) < first + repeat and (spent < seconds * 1e3 or len(counted) < least):
        laps.append(lap(execution))
        spent += laps[-1][1]
        counted = laps[min(first, len(laps) // 2) :]
    device, wall = zip(*counted[-repeat:], strict=True)
    return summarize(device), summarize(wall)


def time_stages(
    execution: Execution, repeat: int, seconds: float = math.inf, least: int = 1
) -> dict[str, Times]:
    """Measure the times of each stage, without the first frame unless it is the only one."""
    laps: list[dict[str, float]] = []
    counted, spent = laps, 0.0
    while len(laps) <= repeat and (spent < seconds * 1e3 or len(counted) < least):
        execution.run(stages=True)
        laps.append(execution.stage_milliseconds())
        spent += sum(laps[-1].values())
        counted = laps[1:] or laps
    return {stage: summarize([times[stage] for times in counted]) for stage in counted[0]}


def measure(
    execution: Execution,
    repeat: int,
    seconds: float = math.inf,
    *,
    stages: bool = False,
    least: int = 1,
) -> Measurement:
    """Measure all times of a prepared variant that has computed its first frame.

    Args:
        repeat, seconds, least: as for ``time_frames``.
        stages: whether stages are also timed.
    """
    device, wall = time_frames(execution, repeat, seconds, least)
    by_stage = time_stages(execution, repeat, seconds, least) if stages else {}
    measurement = Measurement(device, wall, by_stage, declared_bytes(execution))
    if not replayed(execution) or device.median >= SHORT:
        return measurement
    nothing = nothing_milliseconds(execution.device)
    return replace(measurement, chained=chained_milliseconds(execution), nothing=nothing)


def chained_milliseconds(
    execution: Execution, frames: int = CHAINED, steps: int | None = None
) -> float:
    """Measure the time per frame of many frames in one CUDA graph, in milliseconds.

    Two marks enclose all frames, so the launch of one is hidden behind the frame before it.

    Args:
        steps: number of a frame's steps that are called, from the first on; all if absent.
    """

    def queue_all() -> None:
        for _ in range(frames):
            call_steps(execution.steps[:steps], execution.images, lambda done: None)

    return min(recorded_milliseconds(execution.device, queue_all, LAUNCHES)) / frames


def nothing_milliseconds(device: Device) -> float:
    """Measure the time of a recorded one-byte copy, a lower bound of frame times, in ms."""
    with device.active():
        source, target = device.zeros((1,), "uint8"), device.zeros((1,), "uint8")
        device.copy(target, source)
    copy = partial(device.copy, target, source)
    return median(recorded_milliseconds(device, copy, 5 * LAUNCHES))


def declared_bytes(execution: Execution) -> dict[str, int]:
    """Count the bytes that each stage reads and writes per frame: each image whole, once per call.

    Repeated or omitted reads of a kernel are not known here, nor are savings by caches.
    """
    totals: dict[str, int] = {}
    for step in execution.steps:
        moved = sum(_image_bytes(execution, name) for name in set(step.images))
        totals[step.stage.name] = totals.get(step.stage.name, 0) + moved
    return totals


def _image_bytes(execution: Execution, name: str) -> int:
    image = execution.pipeline.image(name)
    shape = image.shape(execution.computed_rows, execution.width, execution.params)
    return nbytes(shape, execution.dtype(name))


def declared_operations(execution: Execution) -> dict[str, int | None]:
    """Count the operations of each stage in a frame; None where unknown.

    ``Stage.operations`` defines which operations count.
    """
    runs = Counter(step.stage for step in execution.steps)
    return {stage.name: _operations(execution, stage, count) for stage, count in runs.items()}


def _operations(execution: Execution, stage: Stage, runs: int) -> int | None:
    """Count a step's operations in a frame; a fused step counts as the stages it replaces."""
    params, size = execution.params, (execution.computed_rows, execution.width)
    if stage.operations:
        return runs * stage.operations(params, *size)
    names = stage.counts or stage.covers
    if execution.variant.peer or not names:
        return None
    total = 0
    for part in execution.pipeline.stages:
        if part.name in names and part.when(params):
            if part.operations is None:
                return None
            turns = len(part.each(params)) if part.each else 1
            total += turns * part.operations(params, *size)
    return total


def copy_bandwidth(device: Device) -> float:
    """Measure the rate of a copy within a device's memory: GB/s, read and written.

    On the CPU that is one thread's copy, which several threads may exceed.
    """
    free = device.free_bytes()
    size = COPIED if free is None else max(1, min(COPIED, free // 4))
    with device.active():
        source, target = device.zeros((size,), "uint8"), device.zeros((size,), "uint8")
        source.fill(1)  # memory that was never written is not there yet
        device.copy(target, source)
    times = (
        device_milliseconds(device, lambda: device.copy(target, source)) for _ in range(COPIES)
    )
    return 2 * size / median(times) / 1e6
