"""A meter of the vertical offset, in rows, between the left and right view of the frame shown."""

import math
import time
from collections.abc import Callable

from wheatstone.viewer.display.frames.worker import Cancelled, Task, Worker
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.rows import RowError, measure_rows
from wheatstone.viewer.io.sources.disparity_survey import (
    DisparitySurvey,
    pair_warnings,
    survey_disparities,
)
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.memo import Memo

Measured = tuple[RowError, DisparitySurvey | None]
MEASURE_EVERY = 1.0  # seconds between two measurements


class RowMeter:
    """A meter of the row offset between both views of a source's frames, run in the background.

    Args:
        warn: called once with each kind of warning about a pair.
        frame: returns the frame shown; None while no pipeline shown reads a right view.
        searched: returns the first disparity searched and their number; None: none are searched.
        exchange: the layout that exchanges the views; empty: none does.
    """

    def __init__(
        self,
        worker: Worker,
        warn: Callable[[str], None],
        frame: Callable[[], Frame | None],
        searched: Callable[[], tuple[int, int] | None] = lambda: None,
        exchange: str = "",
    ) -> None:
        self._newest: RowError | None = None
        self._survey: DisparitySurvey | None = None
        self._searched, self._exchange = searched, exchange
        self._warnings = Memo[tuple[str, ...]]()
        self._announced = set[str]()
        self._worker, self._warn, self._frame = worker, warn, frame
        self._measured: Frame | None = None
        self._began = float("-inf")
        self._task: Task[Measured] | None = None

    @property
    def newest(self) -> RowError | None:
        """The newest row offset; None before the first one and while no right view is read."""
        return self._newest if self._frame() else None

    @property
    def measured(self) -> Frame | None:
        """The frame whose row offset is the newest; None while another frame is being measured."""
        return None if self._task else self._measured

    @property
    def warning(self) -> str:
        """The warning that the pair shown is not rectified; empty if it is."""
        newest = self.newest
        return newest.warning if newest else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings that the result for the pair shown may be wrong; see ``pair_warnings``."""
        if not (frame := self._frame()):
            return ()
        rows, survey, searched = self._newest, self._survey, self._searched()
        return self._warnings.of(
            (rows, survey, frame, *(searched or ())),
            lambda: pair_warnings(rows, survey, searched, self._exchange, frame.truth),
        )

    @property
    def waits(self) -> bool:
        """Whether the source shows pairs of which none has been measured yet."""
        frame = self._frame()
        return bool(frame and frame.is_pair and not self._newest)

    @property
    def due(self) -> float:
        """The time when the next frame will be measured; infinite if no frame waits."""
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
            known = self._survey
            self._task = self._worker.submit("measuring rows", lambda _: _measure(frame, known))

    def measure(self) -> None:
        """Measure the row offset of the frame shown on the calling thread, without a time limit."""
        frame = self._frame()
        if frame and frame.is_pair:
            self._measured = frame
            self._note(_measure(frame, self._survey))

    def close(self) -> None:
        """Cancel the running measurement of row offsets."""
        if self._task:
            self._task.cancel()

    def _take(self) -> None:
        if not self._task or not self._task.done:
            return
        task, self._task = self._task, None
        self._began = time.perf_counter()  # a slow measurement is not repeated at once
        try:
            self._note(task.result())
        except (Cancelled, MemoryError):
            self._note((RowError(0), self._survey))

    def _note(self, measured: "Measured") -> None:
        row_error, self._survey = measured
        self._newest = row_error
        for warning in self.warnings:
            kind = warning.name if isinstance(warning, Finding) else warning
            if kind not in self._announced:
                self._announced.add(kind)
                self._warn(warning)


def _measure(frame: Frame, known: DisparitySurvey | None) -> Measured:
    """Measure the row offset of a frame; also measure its disparities unless they are known."""
    grey = grey_views(frame)
    rows = measure_rows(grey["left"], grey["right"], calibrated=frame.is_rectified_by_rig)
    return rows, known or survey_disparities(grey["left"], grey["right"])
