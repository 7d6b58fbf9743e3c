"""Calibrate a rig from live frames: find boards and fit the rig in the background."""

from pathlib import Path

from wheatstone.viewer.cameras.board_views import BoardView, find_board
from wheatstone.viewer.cameras.boards import Board
from wheatstone.viewer.cameras.calibrating import FEWEST_VIEWS, Calibrator
from wheatstone.viewer.cameras.collecting import BoardCollector
from wheatstone.viewer.cameras.stereo_calibration import StereoCalibration
from wheatstone.viewer.files.rig_file import write_rig
from wheatstone.viewer.footage.planes import pixels_of
from wheatstone.viewer.frames.worker import Cancelled, Task, Worker
from wheatstone.viewer.sources.frame import Frame
from wheatstone.viewer.sources.grey import grey_levels


class LiveCalibration:
    """Find a board in the frames shown, and calibrate on request.

    Args:
        moves: see ``BoardCollector``.

    Attributes:
        collector: collects the views.
        found: the calibration; None before there is one.
        path: the file it is written to.
        error: why there is no calibration; empty if nothing went wrong.
    """

    def __init__(self, board: Board, worker: Worker, *, moves: bool) -> None:
        self.collector = BoardCollector(Calibrator(board), moves=moves)
        self.found: StereoCalibration | None = None
        self.path: Path | None = None
        self.error = ""
        self._board, self._worker = board, worker
        self._looking: Task[BoardView] | None = None
        self._fitting: Task[StereoCalibration] | None = None
        self._seen: Frame | None = None

    @property
    def busy(self) -> bool:
        """Return whether the rig is being fitted."""
        return self._fitting is not None

    @property
    def looking(self) -> bool:
        """Return whether the board is being searched for."""
        return self._looking is not None

    @property
    def enough(self) -> bool:
        """Return whether there are enough views to calibrate."""
        return self.collector.count >= FEWEST_VIEWS

    def follow(self, frame: Frame | None) -> None:
        """Take finished results, then search a new frame for the board."""
        self._take()
        free = not (self._looking or self._fitting or self.found)
        if free and frame and frame is not self._seen and frame.is_pair:
            self._seen = frame
            self._looking = self._worker.submit("finding the board", lambda _: self._view(frame))

    def _view(self, frame: Frame) -> BoardView:
        """Find the board in a frame as it was captured, before rectification."""
        left, right = (grey_levels(pixels_of(view)) for view in frame.taken if view is not None)
        return find_board(self._board, (str(frame.index), left, right))

    def calibrate(self, path: Path) -> None:
        """Start to fit the rig to the views, and to write it to a file."""
        self.error = ""

        def job(_: Task[StereoCalibration]) -> StereoCalibration:
            """Fit the rig and write it."""
            found = self.collector.calibrator.result()
            write_rig(path, found)
            return found

        self.path, self._fitting = path, self._worker.submit("calibrating", job)

    def _take(self) -> None:
        """Take the results of finished tasks."""
        if self._looking and self._looking.done:
            looked, self._looking = self._looking, None
            try:
                self.collector.consider(looked.result())
            except (Cancelled, MemoryError):
                self.collector.said = "not looked at"
        if self._fitting and self._fitting.done:
            fitted, self._fitting = self._fitting, None
            try:
                self.found = fitted.result()
            except (Cancelled, MemoryError, OSError, ValueError) as error:
                self.error = str(error) or "cancelled"

    def close(self) -> None:
        """Cancel the tasks in progress."""
        for task in (self._looking, self._fitting):
            if task:
                task.cancel()
