"""The base of a race and a sweep: time variants one after the other."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from wheatstone.gpu.pipeline import Variant
from wheatstone.viewer.frames.worker import Worker
from wheatstone.viewer.panels.race.timed_run import Contest, Limits, TimedRun


class RunSeries(ABC):
    """A series of rounds, each timing one variant, so that no two hold memory at the same time.

    Attributes:
        heat: the current round; None between two and at the end.
        done: whether the series has ended.
    """

    def __init__(self, worker: Worker, absent: Mapping[str, str], limits: Limits) -> None:
        self.heat: TimedRun | None = None
        self.done, self._total = False, 1
        self._worker, self._absent, self._limits = worker, absent, limits

    @property
    def progress(self) -> float:
        """Return the finished share of the series, from 0 to 1."""
        left = self._left() + (1 - self.heat.progress if self.heat else 0)
        return 1 - left / self._total

    @abstractmethod
    def _left(self) -> int:
        """Count the remaining rounds."""

    @abstractmethod
    def _next(self) -> tuple[Contest, Variant] | None:
        """Return input and variant of the next round; None at the end."""

    @abstractmethod
    def _finished(self, heat: TimedRun) -> None:
        """Record the results of a finished round."""

    def step(self, budget: float) -> None:
        """Continue the series; on this thread for some milliseconds, one frame at least."""
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
            return  # so that the panel shows what runs before that takes time
        self.heat.step(budget)
        if self.heat.done:
            heat, self.heat = self.heat, None
            self._finished(heat)

    def cancel(self) -> None:
        """End the series, and keep its results."""
        if self.heat:
            self.heat.cancel()
        self.heat, self.done = None, True
