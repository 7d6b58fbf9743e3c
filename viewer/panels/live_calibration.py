"""Calibration of a stereo rig from the frames of an open source, in the background."""

import time
from pathlib import Path

from wheatstone.viewer.display.frames.worker import Cancelled, Task, Worker
from wheatstone.viewer.io.cameras.board_views import BoardView, find_board, recognised
from wheatstone.viewer.io.cameras.boards import Board
from wheatstone.viewer.io.cameras.calibrating import FEWEST_VIEWS, Calibrator
from wheatstone.viewer.io.cameras.stereo_calibration import StereoCalibration
from wheatstone.viewer.io.cameras.view_collection import BoardCollector
from wheatstone.viewer.io.files.rig_file import write_rig
from wheatstone.viewer.io.footage.planes import pixels_of
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.words import plural

MOST_NAMED = 4  # pictures that were not taken for one reason
TRIED = 3  # pictures without the board searched that are searched for other boards


def unused_rig(folder: Path) -> Path:
    """Return the path of a rig file that does not exist yet: rig.toml, or rig-1.toml and so on."""
    names = (folder / f"rig{f'-{n}' if n else ''}.toml" for n in range(10_000))
    return next(path for path in names if not path.exists())


class LiveCalibration:
    """A calibration of a stereo rig from views of a board in the frames shown, computed on request.

    Args:
        moves: see ``BoardCollector``.
        length: number of frames of a source that does not move; each is searched once.
        recognises: whether pictures without the board are searched for other usual boards.

    Attributes:
        other: a usual board that the pictures show instead of the one searched; empty: none.
        considered: why the view of a frame was not taken, by its index; empty if it was taken.
        views: the corners found in these frames, unless the source moves.
        view: the corners found in the frame shown; of a source that moves, in the newest one
            searched; None without any.
        result: the calibration; None before there is one.
        error: why there is no calibration; empty if nothing went wrong.
    """

    def __init__(
        self,
        board: Board,
        worker: Worker,
        *,
        moves: bool,
        length: int = 0,
        recognises: bool = False,
    ) -> None:
        self.collector = BoardCollector(Calibrator(board), moves=moves)
        self.considered: dict[int, str] = {}
        self.views: dict[int, BoardView] = {}
        self.moves, self.length = moves, length
        self._recognises = recognises and not moves
        self.view: BoardView | None = None
        self.result: StereoCalibration | None = None
        self.path: Path | None = None
        self.error = self.other = ""
        self._board, self._worker = board, worker
        self._looking: Task[BoardView] | None = None
        self._fitting: Task[StereoCalibration] | None = None
        self._seen: Frame | None = None
        self._fit_began, self._rounds = 0.0, 0

    @property
    def busy(self) -> bool:
        """Return whether a calibration is being computed."""
        return self._fitting is not None

    @property
    def searched(self) -> bool:
        """Return whether all pictures were searched for the board; false for live sources."""
        return not self.moves and len(self.considered) == self.length

    @property
    def enough(self) -> bool:
        """Return whether enough views of the board were collected to calibrate."""
        return self.collector.count >= FEWEST_VIEWS

    def follow(self, frame: Frame | None) -> None:
        """Process finished tasks, then search a new frame for the board in the background."""
        self._take()
        free = not (self._looking or self._fitting or self.result)
        if frame and not self.moves:  # of another picture nothing is drawn over this one
            self.view = self.views.get(frame.index)
            if frame.index in self.considered:
                return
        if free and frame and frame is not self._seen and frame.is_pair:
            self._seen = frame
            self._looking = self._worker.submit("finding the board", lambda _: self._view(frame))

    def _view(self, frame: Frame) -> BoardView:
        """Search for the board in a frame as captured, before rectification."""
        left, right = (grey_levels(pixels_of(view)) for view in frame.taken if view is not None)
        pair = str(frame.index), left, right
        view = find_board(self._board, pair)
        if view.why and self._recognises and len(self.considered) < TRIED:
            self.other = recognised(pair)
        return view

    @property
    def taken(self) -> str:
        """Describe how many views of the board were collected, and how many pictures remain."""
        count = self.collector.count
        if self.moves:
            return f"{plural(count, 'view')} taken"
        left = self.length - len(self.considered)
        rest = f", {left} not searched yet" if left else ""
        return f"{count} of {plural(self.length, 'view')} taken{rest}"

    @property
    def not_taken(self) -> list[str]:
        """List the reasons why views of the board were not used, with the pictures' numbers."""
        numbers: dict[str, list[str]] = {}
        for index, why in sorted(self.considered.items()):
            if why:
                numbers.setdefault(why, []).append(str(index + 1))
        lines = []
        for why, views in numbers.items():
            some = f"picture{'s' * (len(views) > 1)} {', '.join(views[:MOST_NAMED])}"
            more = f" and {len(views) - MOST_NAMED} more" if views[MOST_NAMED:] else ""
            lines.append(f"not taken: {some}{more} ({why})")
        return lines

    @property
    def fit_progress(self) -> tuple[float, str, float] | None:
        """Return finished fraction, step and seconds of the calibration in progress, or None."""
        if not self._fitting:
            return None
        return self._fitting.progress, self._fitting.step, time.perf_counter() - self._fit_began

    def calibrate(self, path: Path) -> None:
        """Start to calibrate the rig from the collected views, and to write it to a file."""
        self.error = ""

        def job(task: Task[StereoCalibration]) -> StereoCalibration:
            self._rounds = 0

            def begin(text: str) -> None:
                self._rounds += 1
                task.report(1 - 1 / (1 + self._rounds), f"round {self._rounds}, {text}")

            calibration = self.collector.calibrator.result(begin)
            task.report(0.9, "writing the rig")
            write_rig(path, calibration)
            return calibration

        self._fit_began = time.perf_counter()
        self.path, self._fitting = path, self._worker.submit("calibrating", job)

    def _take(self) -> None:
        """Process the result of a finished task: a search for the board, or a calibration."""
        if self._looking and self._looking.done:
            looked, self._looking = self._looking, None
            try:
                self.view = looked.result()
                used = self.collector.consider(self.view)
                if self._seen and not self.moves:
                    self.considered[self._seen.index] = "" if used else self.collector.outcome
                    self.views[self._seen.index] = self.view
            except (Cancelled, MemoryError):
                self.collector.outcome = "the view was skipped"
        if self._fitting and self._fitting.done:
            fitted, self._fitting = self._fitting, None
            try:
                self.result = fitted.result()
            except (Cancelled, MemoryError, OSError, ValueError) as error:
                self.error = "cancelled" if isinstance(error, Cancelled) else str(error)

    def cancel_fit(self) -> None:
        """Cancel the calibration before its next fit; the collected views are kept."""
        if self._fitting:
            self._fitting.cancel()

    def close(self) -> None:
        """Cancel the running search for the board and the running calibration."""
        for task in (self._looking, self._fitting):
            if task:
                task.cancel()
