"""A variant timed on one frame beside the display: prepared, run, its memory given back.

What the GPU computes is queued by the display's thread, some frames for every one it presents; what
the CPU computes runs on the worker's thread.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpu import Unavailable
from gpu.analysis.measurement import Times, lap, summarize
from gpu.execution import check_fit, prepare
from gpu.parameters import Params
from gpu.pipeline import Pipeline, Variant
from viewer.frames.worker import Cancelled, Task, Worker
from viewer.measuring.inputs import upload_views
from viewer.measuring.variants import Images, results_of

BESIDE = 50.0  # milliseconds of a job on the worker's thread, so that other jobs get their turn


@dataclass(frozen=True)
class Contest:
    """What variants are timed on: ``views`` are (height, width) grey levels, by name."""

    pipeline: Pipeline
    params: Params
    height: int
    width: int
    views: Mapping[str, NDArray[np.uint8]]


@dataclass(frozen=True)
class Limits:
    """How long one variant is timed: until either is reached, but for one frame at least."""

    frames: int
    seconds: float


class TimedRun:
    """One variant's turn.

    Attributes:
        images: its results, once there is a frame.
        why: what kept it from running; empty if nothing did.
    """

    def __init__(
        self, contest: Contest, variant: Variant, limits: Limits, worker: Worker, absent: str = ""
    ) -> None:
        self.contest, self.variant, self.why = contest, variant, absent
        self.images: Images | None = None
        self._limits, self._worker = limits, worker
        self._laps: list[tuple[float, float]] = []  # milliseconds on the device and of the call
        self._bites = self._run()
        self._task: Task[bool] | None = None
        self._done = bool(absent)
        self._cancelled = False

    @property
    def done(self) -> bool:
        """Whether it has ended and its arrays are given back."""
        return self._done

    @property
    def frames(self) -> int:
        """Frames that count so far."""
        return len(self._laps)

    @property
    def times(self) -> Times | None:
        """Times on the device of the frames that count so far; None before there is one."""
        return summarize([device for device, _ in self._laps]) if self._laps else None

    @property
    def progress(self) -> float:
        """How much is done, from 0 to 1."""
        spent = sum(wall for _, wall in self._laps) / 1e3 / self._limits.seconds
        return min(max(len(self._laps) / self._limits.frames, spent), 1.0)

    def step(self, budget: float) -> None:
        """Go on, on the display's thread for so many milliseconds, or see how the worker is."""
        if self._done:
            return
        if self.variant.on_gpu:
            self._done = self._bite(budget)
        elif self._task is None:
            name = f"timing {self.variant.name}"
            self._task = self._worker.submit(name, lambda task: self._bite(BESIDE))
        elif self._task.done:
            task, self._task = self._task, None
            try:
                self._done = task.result()
            except Cancelled:
                self._done = True

    def _bite(self, budget: float) -> bool:
        """Run at least one frame; whether that was the last."""
        ends = time.perf_counter() + budget / 1e3
        try:
            for _ in self._bites:
                if time.perf_counter() >= ends:
                    return self._cancelled
        except (Unavailable, ValueError, RuntimeError, MemoryError) as error:
            self.why = str(error) or "out of memory"
        return True

    def _run(self) -> Iterator[None]:
        """All of it, frame by frame; the arrays live as long as this does."""
        one = self.contest
        check_fit(one.pipeline, self.variant.name, one.params, one.height, one.width)
        execution = prepare(one.pipeline, self.variant.name, one.params, one.height, one.width)
        upload_views(execution, one.views)
        execution.run()  # compiles, if it has to
        self.images = results_of(execution)
        yield
        if not execution.device.on_host and self.variant.recorded:
            lap(execution)  # records its graph
            yield
        while self.progress < 1 and not self._cancelled:
            self._laps.append(lap(execution))
            yield

    def cancel(self) -> None:
        """End after the frame that runs; what it holds is given back then."""
        self._cancelled = True
        if self._task:
            self._task.cancel()
        else:
            self._bites.close()  # type: ignore[attr-defined]
        self._done = True


class RunSeries(ABC):
    """Heats one after the other, so that no two hold memory at once.

    Attributes:
        heat: the one that runs; None between two and at the end.
        done: whether it has ended.
    """

    def __init__(self, worker: Worker, absent: Mapping[str, str], limits: Limits) -> None:
        self.heat: TimedRun | None = None
        self.done, self._total = False, 1
        self._worker, self._absent, self._limits = worker, absent, limits

    @property
    def progress(self) -> float:
        """How much is done, from 0 to 1."""
        left = self._left() + (1 - self.heat.progress if self.heat else 0)
        return 1 - left / self._total

    @abstractmethod
    def _left(self) -> int:
        """How many heats are still to come."""

    @abstractmethod
    def _next(self) -> tuple[Contest, Variant] | None:
        """What runs next; None at the end."""

    @abstractmethod
    def _finished(self, heat: TimedRun) -> None:
        """Take over what a heat found out."""

    def step(self, budget: float) -> None:
        """Go on; on the display's thread for about so many milliseconds, a frame at least."""
        if self.done:
            return
        if self.heat is None:
            chosen = self._next()
            if chosen is None:
                self.done = True
                return
            contest, variant = chosen
            absent = self._absent.get(variant.device, "")
            self.heat = TimedRun(contest, variant, self._limits, self._worker, absent)
            return  # so that it is seen what runs before that takes time
        self.heat.step(budget)
        if self.heat.done:
            heat, self.heat = self.heat, None
            self._finished(heat)

    def cancel(self) -> None:
        """End; what was found out stays."""
        if self.heat:
            self.heat.cancel()
        self.heat, self.done = None, True
