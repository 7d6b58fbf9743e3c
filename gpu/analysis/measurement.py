"""Measure what a variant costs: times of frames, bytes they move, and what the device could move.

The executor reads the clocks; here their times become medians.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from statistics import median

import numpy as np

from wheatstone.gpu.clock import UNSETTLED
from wheatstone.gpu.device import Device
from wheatstone.gpu.execution import (
    Execution,
    device_milliseconds,
    recorded_milliseconds,
    wall_milliseconds,
)
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
    """Hold statistics of the milliseconds of a number of frames."""

    frames: int
    median: float
    p5: float
    p95: float
    fastest: float
    slowest: float

    @property
    def spread(self) -> float | None:
        """Compute the range of the 5th to 95th percentile over the median; None for few frames."""
        return (self.p95 - self.p5) / self.median if self.frames >= FEWEST and self.median else None

    @property
    def noisy(self) -> bool:
        """Tell whether the spread exceeds ``NOISY``."""
        return (self.spread or 0) > NOISY


@dataclass(frozen=True)
class Measurement:
    """Hold what was measured of one variant at one size with one set of parameters.

    Attributes:
        device: compute time by the device's own clock: on a GPU from mark to mark of the CUDA graph
            that a frame is.
        wall: time of the call, until the device is done.
        stages: compute time by stage, from frames of their own; empty if not asked for.
        nbytes: bytes by stage, as declared: see ``declared_bytes``.
        chained: milliseconds of a frame among its like on a GPU: see ``chained_milliseconds``; None
            of frames that are not short.
        nothing: milliseconds that the clock of that GPU reads around next to nothing.
    """

    device: Times
    wall: Times
    stages: Mapping[str, Times] = field(default_factory=dict)
    nbytes: Mapping[str, int] = field(default_factory=dict)
    chained: float | None = None
    nothing: float | None = None


def summarize(samples: Sequence[float]) -> Times:
    """Find median and percentiles, which interpolate between neighbouring samples.

    Args:
        samples: milliseconds, at least one.
    """
    p5, p95 = np.percentile(samples, (5, 95))
    low, high = min(samples), max(samples)
    return Times(len(samples), median(samples), float(p5), float(p95), low, high)


def lap(execution: Execution) -> tuple[float, float]:
    """Run one frame: milliseconds on the device, and of the call until the device is done."""
    device = execution.device

    def call() -> None:
        execution.run()
        device.synchronize()

    device.synchronize()
    wall = wall_milliseconds(call)
    return execution.milliseconds(wait=True) or 0.0, wall


def replayed(execution: Execution) -> bool:
    """Tell whether frames are launches of CUDA graphs, but for the first."""
    return execution.variant.recorded and not execution.device.on_host


def time_frames(
    execution: Execution, repeat: int, seconds: float = math.inf, least: int = 1
) -> tuple[Times, Times]:
    """Time the device and the calls of an execution that has run its first frame.

    Others come before those that count: one on the CPU, on a GPU as many launches as graphs need to
    settle. Where there is time for few frames, at most half of them do not count.

    Args:
        repeat: frames that count, at most.
        seconds: no frame begins after this much time.
        least: frames that count, however long they take.
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
    """Compute times by stage, in order; the first frame counts only if there is no other."""
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
    """Measure all times of an execution that has run its first frame.

    Args:
        repeat, seconds, least: as ``time_frames`` takes them.
        stages: whether stages are timed, too.
    """
    device, wall = time_frames(execution, repeat, seconds, least)
    by_stage = time_stages(execution, repeat, seconds, least) if stages else {}
    found = Measurement(device, wall, by_stage, declared_bytes(execution))
    if not replayed(execution) or device.median >= SHORT:
        return found
    nothing = nothing_milliseconds(execution.device)
    return replace(found, chained=chained_milliseconds(execution), nothing=nothing)


def chained_milliseconds(
    execution: Execution, frames: int = CHAINED, steps: int | None = None
) -> float:
    """Time a frame among its like: many in one graph between two marks, divided by their number.

    Nobody looks at what is between two frames, so that a launch hides behind the frame before it.

    Args:
        steps: how many of a frame's steps are called, from the first on; all if absent.
    """

    def queue_all() -> None:
        for _ in range(frames):
            call_steps(execution.steps[:steps], execution.images, lambda done: None)

    return min(recorded_milliseconds(execution.device, queue_all, LAUNCHES)) / frames


def chained_steps(execution: Execution, frames: int = CHAINED) -> dict[str, float]:
    """Tell by how much each step makes frames among their like longer, in milliseconds.

    That is what they take longer than frames that end before it: a step needs what earlier ones
    left, and no launch shows that hides behind them.
    """
    count = len(execution.steps)
    ends = [0.0] + [chained_milliseconds(execution, frames, k) for k in range(1, count + 1)]
    names = [step.stage.name for step in execution.steps]
    return {name: end - begin for name, (begin, end) in zip(names, pairwise(ends), strict=True)}


def nothing_milliseconds(device: Device) -> float:
    """Time a copy of one byte, recorded as a frame is: what any frame reads at least."""
    with device.active():
        source, target = device.zeros((1,), "uint8"), device.zeros((1,), "uint8")
        device.copy(target, source)
    copy = partial(device.copy, target, source)
    return median(recorded_milliseconds(device, copy, 5 * LAUNCHES))


def declared_bytes(execution: Execution) -> dict[str, int]:
    """Count the bytes that the steps of a stage move: each image whole, once for each step.

    What a kernel reads twice, or leaves out, is not known here, nor is what caches save.
    """
    found: dict[str, int] = {}
    for step in execution.steps:
        moved = sum(_image_bytes(execution, name) for name in set(step.images))
        found[step.stage.name] = found.get(step.stage.name, 0) + moved
    return found


def _image_bytes(execution: Execution, name: str) -> int:
    image = execution.pipeline.image(name)
    shape = image.shape(execution.height, execution.width, execution.params)
    return nbytes(shape, execution.dtype(name))


def declared_operations(execution: Execution) -> dict[str, int | None]:
    """Count the operations of the steps of every stage in a frame; None where unknown.

    ``Stage.operations`` says what counts.
    """
    runs = Counter(step.stage for step in execution.steps)
    return {stage.name: _operations(execution, stage, count) for stage, count in runs.items()}


def _operations(execution: Execution, stage: Stage, runs: int) -> int | None:
    """Count a step's operations in a frame: if fused, those of the stages whose work it does."""
    params, size = execution.params, (execution.height, execution.width)
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
    """Measure a plain copy in a device's memory, in gigabytes a second, read and written.

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
