"""Timing of a variant on one frame in the background: preparation, runs, release of memory.

The display's thread queues the GPU's work, some frames for every one it presents; the worker's
thread does the CPU's work.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.measurement import Times, lap, replayed, summarize
from wheatstone.gpu.clock import UNSETTLED
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline, Variant
from wheatstone.viewer.display.frames.worker import Cancelled, Task, Worker
from wheatstone.viewer.run.engine import first_frame
from wheatstone.viewer.run.measuring.variants import Images, results_of
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import spoken

FIRST = 0.7  # share of a round's progress that is its first frame, which compiles
JOB_MS = 50.0  # milliseconds of a job on the worker's thread, so that other jobs get their turn


@dataclass(frozen=True)
class Contest:
    """The input on which variants are timed: pipeline, parameters, grey views (H, W) by name."""

    pipeline: Pipeline
    params: Params
    views: Mapping[str, NDArray[np.uint8]]


@dataclass(frozen=True)
class Limits:
    """The limits of timing one variant: most frames and most seconds; one frame is always timed."""

    frames: int
    seconds: float


class TimedRun:
    """The timing of one variant in a race or a sweep.

    Attributes:
        images: the variant's results, once there is a frame.
        why: why it could not run; empty if it could.
        step_now: what is done now, in a few words.
    """

    def __init__(
        self, contest: Contest, variant: Variant, limits: Limits, worker: Worker, absent: str = ""
    ) -> None:
        self.contest, self.variant, self.why = contest, variant, absent
        self.step_now, self._started = "starting", 0.0
        self.images: Images | None = None
        self._limits, self._worker = limits, worker
        self._laps: list[tuple[float, float]] = []  # milliseconds on the device and of the call
        self._bites = self._run()
        self._task: Task[bool] | None = None
        self._reports_to: Task[bool] | None = None  # while the worker times it
        self._done = bool(absent)
        self._cancelled = False

    @property
    def done(self) -> bool:
        """Return whether the variant's timing has ended and its memory is released."""
        return self._done

    @property
    def frames(self) -> int:
        """Return the number of frames timed so far."""
        return len(self._laps)

    @property
    def times(self) -> Times | None:
        """Summarise the times on the device so far; None before the first frame."""
        return summarize([device for device, _ in self._laps]) if self._laps else None

    @property
    def progress(self) -> float:
        """Return the finished share of the variant's timing, from 0 to 1."""
        spent = sum(wall for _, wall in self._laps) / 1e3 / self._limits.seconds
        timed = min(max(len(self._laps) / self._limits.frames, spent), 1.0)
        return self._started * FIRST + timed * (1 - FIRST)

    def step(self, budget: float) -> None:
        """Time a CUDA variant for ``budget`` milliseconds; a CPU variant runs in the background."""
        if self._done:
            return
        if self.variant.on_gpu:
            self._done = self._bite(budget)
        elif self._task is None:
            name = f"timing {self.variant.name}"
            self._task = self._worker.submit(name, lambda task: self._bite(JOB_MS, task))
        elif self._task.done:
            task, self._task = self._task, None
            try:
                self._done = task.result()
            except Cancelled:
                self._done = True

    def _bite(self, budget: float, task: Task[bool] | None = None) -> bool:
        """Time frames for ``budget`` milliseconds, at least one; return whether all are timed."""
        self._reports_to = task
        ends = time.perf_counter() + budget / 1e3
        try:
            for _ in self._bites:
                if time.perf_counter() >= ends:
                    return self._cancelled
        except (Unavailable, ValueError, RuntimeError, MemoryError) as error:
            self.why = str(error) or "out of memory"
        return True

    def _run(self) -> Iterator[None]:
        one = self.contest
        tell = None if self.variant.on_gpu else self._tell
        run = Run(one.pipeline, self.variant.name, one.params, bands=1)
        execution = first_frame(run, one.views, tell)
        self.images = results_of(execution)
        yield
        for _ in range(UNSETTLED if replayed(execution) else 0):
            lap(execution)
            yield
        self._started = 1.0
        while self.progress < 1 and not self._cancelled:
            self.step_now = f"frame {self.frames + 1}"
            self._laps.append(lap(execution))
            yield

    def _tell(self, stage: str, share: float) -> None:
        """Record the current stage and progress while the first frame is compiled and computed."""
        self._started, self.step_now = share, spoken(stage)
        if self._reports_to:
            self._reports_to.report(self.progress, self.step_now)

    def cancel(self) -> None:
        """End the timing after the current frame, and then release its arrays."""
        self._cancelled = True
        if self._task:
            self._task.cancel()
        else:
            self._bites.close()  # type: ignore[attr-defined]
        self._done = True


class RunSeries(ABC):
    """A series of timings, one variant at a time, so that only one occupies memory.

    Args:
        waiting: the timings to come: a place of the sweep, 0 in a race, and a variant.

    Attributes:
        current: the timing in progress; None between two timings and at the end.
    """

    def __init__(
        self,
        waiting: list[tuple[float, Variant]],
        worker: Worker,
        absent: Mapping[str, str],
        limits: Limits,
    ) -> None:
        self.current: TimedRun | None = None
        self.done, self._waiting = False, waiting
        self._worker, self._absent, self._limits = worker, absent, limits
        self._total, self._began = self._able(), time.perf_counter()

    @property
    def progress(self) -> float:
        """Return the finished share of the series, from 0 to 1."""
        now = 1 - self.current.progress if self.current and not self.current.why else 0
        return 1 - (self._able() + now) / max(self._total, 1)

    @property
    def seconds(self) -> float:
        """Return the seconds since the series began."""
        return time.perf_counter() - self._began

    @property
    def step_words(self) -> str:
        """Describe the current timing: "cpu, 2 of 3, frame 4"; empty between two variants."""
        if not self.current:
            return ""
        place = f"{self._total - self._able()} of {self._total}"
        return f"{self.current.variant.name}, {place}, {self.current.step_now}"

    def _able(self) -> int:
        """Count the waiting timings of variants whose device is present."""
        return sum(not self._absent.get(variant.device) for _, variant in self._waiting)

    @abstractmethod
    def _next(self) -> tuple[Contest, Variant] | None:
        """Return the input and the variant of the next timing; None after the last one."""

    @abstractmethod
    def _finished(self, timed: TimedRun) -> None:
        """Record the results of a variant's finished timing."""

    def step(self, budget: float) -> None:
        """Continue the series; a GPU variant is timed for ``budget`` milliseconds per call."""
        if self.done:
            return
        if self.current is None:
            chosen = self._next()
            if chosen is None:
                self.done = True
                return
            contest, variant = chosen
            absent = self._absent.get(variant.device, "")
            self.current = TimedRun(contest, variant, self._limits, self._worker, absent)
            return  # so that the panel shows what runs before that takes time
        self.current.step(budget)
        if self.current.done:
            timed, self.current = self.current, None
            self._finished(timed)

    def cancel(self) -> None:
        """End the series of timings, and keep its results."""
        if self.current:
            self.current.cancel()
        self.current, self.done = None, True
