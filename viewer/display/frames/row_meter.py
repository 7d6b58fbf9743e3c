"""A meter of the vertical offset, in rows, between the views of the frame shown."""

import math
import time
from collections.abc import Callable

from wheatstone.viewer.display.frames.worker import Cancelled, Task, Worker
from wheatstone.viewer.io.cameras.rows import RowError, measure_rows
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_views

MEASURE_EVERY = 1.0  # seconds between two measurements


class RowMeter:
    """Measures the row offset of one source's frames in the background.

    Args:
        warn: called once with a warning if a pair is not rectified.
        frame: returns the frame shown; None while no pipeline shown reads a right view.
    """

    def __init__(
        self, worker: Worker, warn: Callable[[str], None], frame: Callable[[], Frame | None]
    ) -> None:
        self._newest: RowError | None = None
        self._worker, self._warn, self._frame = worker, warn, frame
        self._warned = False
        self._measured: Frame | None = None
        self._began = float("-inf")
        self._task: Task[RowError] | None = None

    @property
    def newest(self) -> RowError | None:
        """The newest measurement; None before the first one and while no right view is read."""
        return self._newest if self._frame() else None

    @property
    def warning(self) -> str:
        """The warning that the pair shown is not rectified; empty if it is."""
        newest = self.newest
        return newest.warning if newest else ""

    @property
    def waits(self) -> bool:
        """Whether the first measurement of the source is still to come."""
        frame = self._frame()
        return bool(frame and frame.is_pair and not self._newest)

    @property
    def due(self) -> float:
        """Time when a frame that waits will be measured; infinite if none waits."""
        frame = self._frame()
        waits = frame and frame.is_pair and frame is not self._measured and not self._task
        return self._began + MEASURE_EVERY if waits else math.inf

    def follow(self) -> None:
        """Collect a finished measurement; start to measure a new frame if it is due."""
        if not (frame := self._frame()):
            return
        self._take()
        waited = time.perf_counter() - self._began >= MEASURE_EVERY
        if not self._task and waited and frame is not self._measured and frame.is_pair:
            self._began, self._measured = time.perf_counter(), frame
            self._task = self._worker.submit("measuring rows", lambda _: rows_of_frame(frame))

    def measure(self) -> None:
        """Measure the frame on the calling thread, without a time limit."""
        frame = self._frame()
        if frame and frame.is_pair:
            self._measured = frame
            self._note(rows_of_frame(frame))

    def close(self) -> None:
        """Cancel the measurement in progress."""
        if self._task:
            self._task.cancel()

    def _take(self) -> None:
        if not self._task or not self._task.done:
            return
        task, self._task = self._task, None
        try:
            self._note(task.result())
        except (Cancelled, MemoryError):
            self._note(RowError(0))

    def _note(self, found: RowError) -> None:
        self._newest = found
        if found.warning and not self._warned:
            self._warned = True
            self._warn(found.warning)


def rows_of_frame(frame: Frame) -> RowError:
    """Measure the row offset between the views of a frame that has both."""
    grey = grey_views(frame)
    return measure_rows(grey["left"], grey["right"])
