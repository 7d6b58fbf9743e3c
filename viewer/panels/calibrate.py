"""The panel that calibrates a rig: the user shows a board, views are taken automatically."""

from pathlib import Path

from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.display.frames.worker import Cancelled, Task, Worker
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.io.cameras.board_views import BoardView, find_board
from wheatstone.viewer.io.cameras.boards import DICTIONARY, Board, board_of, length
from wheatstone.viewer.io.cameras.calibrating import FEWEST_VIEWS, Calibrator
from wheatstone.viewer.io.cameras.coverage import Coverage
from wheatstone.viewer.io.cameras.stereo_calibration import StereoCalibration
from wheatstone.viewer.io.cameras.view_collection import BoardCollector
from wheatstone.viewer.io.files.rig_file import write_rig
from wheatstone.viewer.io.footage.planes import pixels_of
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.panels.board_marks import draw_corners
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import AMBER, draw_pairs, draw_wrapped
from wheatstone.viewer.words import plural

ADVICE = (
    "Show the board to both cameras, near and far, tilted, and in every part of both images; hold "
    "it still until its view is taken. About 20 views make a good calibration. "
    "The command wheatstone calibrate prints a board."
)
NO_PAIR = "A rig has two cameras: open a pair, or a camera that sends both views."


def lines_of(found: StereoCalibration) -> list[tuple[str, str, str]]:
    """List the results of a calibration: name, value and explanation of each."""
    rig, rows = found.rig, found.rows
    known, spread = found.deviations, " and ".join(f"{each:.2f}" for each in found.spreads)
    return [
        ("views", f"{len(found.used)} used, {len(found.dropped)} dropped", "Outliers are dropped."),
        ("stereo error", f"{found.rms.stereo:.3f} px", "Of all corners, root mean square."),
        ("rows, median", f"{rows.median:.3f} px", "How far rows are apart after rectification."),
        ("rows, largest", f"{rows.largest:.3f} px", "Anywhere in the image."),
        (
            "focal lengths",
            f"{rig.left.matrix[0, 0]:.1f} and {rig.right.matrix[0, 0]:.1f} px",
            "Left, right.",
        ),
        ("focal lengths, +-", f"{spread} px", "Standard deviations; more views make them smaller."),
        (
            "baseline",
            f"{rig.baseline * 1e3:.2f} +- {known.baseline * 1e3:.2f} mm",
            "From one camera to the other, with its standard deviation.",
        ),
    ]


def unused_rig(folder: Path) -> Path:
    """Return a path for a rig file that does not exist yet: rig.toml, else with a number."""
    names = (folder / f"rig{f'-{n}' if n else ''}.toml" for n in range(10_000))
    return next(path for path in names if not path.exists())


class LiveCalibration:
    """Find a board in the frames shown, and calibrate on request.

    Args:
        moves: see ``BoardCollector``.

    Attributes:
        view: the corners found in the newest frame that was searched; None before the first.
        found: the calibration; None before there is one.
        error: why there is no calibration; empty if nothing went wrong.
    """

    def __init__(self, board: Board, worker: Worker, *, moves: bool) -> None:
        self.collector = BoardCollector(Calibrator(board), moves=moves)
        self.view: BoardView | None = None
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

        def job(task: Task[StereoCalibration]) -> StereoCalibration:
            found = self.collector.calibrator.result(lambda text: task.report(0.5, text))
            task.report(0.9, "writing the rig")
            write_rig(path, found)
            return found

        self.path, self._fitting = path, self._worker.submit("calibrating", job)

    def _take(self) -> None:
        """Take the results of finished tasks."""
        if self._looking and self._looking.done:
            looked, self._looking = self._looking, None
            try:
                self.view = looked.result()
                self.collector.consider(self.view)
            except (Cancelled, MemoryError):
                self.collector.said = "the view was skipped"
        if self._fitting and self._fitting.done:
            fitted, self._fitting = self._fitting, None
            try:
                self.found = fitted.result()
            except (Cancelled, MemoryError, OSError, ValueError) as error:
                self.error = "cancelled" if isinstance(error, Cancelled) else str(error)

    def cancel_fit(self) -> None:
        """Cancel the fit before its next round; the views are kept."""
        if self._fitting:
            self._fitting.cancel()

    def close(self) -> None:
        """Cancel the tasks in progress."""
        for task in (self._looking, self._fitting):
            if task:
                task.cancel()


CELL = 1.1  # side of a cell of the coverage, in sizes of the font
BARE, COVERED = Ink("bare"), tuple(Ink(f"covered {n}") for n in (1, 2, 3))
"""Colours of cells without a corner, and with few, more and many corners."""
MANY = 12  # corners in a cell from which it is brightest


class CalibratePanel(Body):
    """The body of the panel that calibrates.

    Attributes:
        running: the calibration in progress; None before the first start.
    """

    def __init__(self) -> None:
        self.running: LiveCalibration | None = None
        self.error = ""
        self._pair = True

    @property
    def busy(self) -> bool:
        return bool(self.running and self.running.busy)

    def update(self, context: PanelContext) -> None:
        """Search the frame shown for the board."""
        frame = context.session.frame_shown
        self._pair = not frame or frame.is_pair
        if self.running:
            self.running.follow(frame)

    def begin(self, context: PanelContext) -> None:
        """Start again, with the chosen board."""
        self.stop()
        try:
            chosen = context.state.calibrating
            board = board_of(chosen.board, length(chosen.square), None, DICTIONARY)
        except ValueError as error:
            self.error = str(error)
            return
        self.error = ""
        moves = context.session.source.live is not None
        self.running = LiveCalibration(board, context.session.worker, moves=moves)

    def stop(self) -> None:
        """Discard the views."""
        if self.running:
            self.running.close()
        self.running = None

    def draw(self, context: PanelContext) -> None:
        """Draw the fields for the board, the views, their coverage, and the result."""
        self._draw_board(context)
        running = self.running
        if self.error or not self._pair:
            draw_wrapped(self.error or NO_PAIR, AMBER)
        if not running:
            draw_wrapped(ADVICE)
            return
        if running.view:
            draw_corners(context, running.view)
        imgui.separator_text(plural(running.collector.count, "view"))
        draw_wrapped(running.collector.said or "looking for the board ...")
        left, right = running.collector.coverage()
        _draw_coverage(left)
        imgui.same_line(0, imgui.get_font_size())
        _draw_coverage(right)
        self._draw_result(context, running)

    def _draw_board(self, context: PanelContext) -> None:
        for name in ("board", "square"):
            imgui.set_next_item_width(imgui.get_font_size() * 8)
            changed, typed = imgui.input_text(name, getattr(context.state.calibrating, name))
            if changed:
                choose(context.state, f"calibrating.{name}", typed)
        if imgui.small_button("start again" if self.running else "start"):
            self.begin(context)
        if self.running:
            imgui.same_line()
            if imgui.small_button("stop"):
                self.stop()

    def _draw_result(self, context: PanelContext, running: LiveCalibration) -> None:
        if running.busy:
            imgui.text_disabled("calibrating ...")
            if imgui.small_button("cancel"):
                running.cancel_fit()
        elif running.found:
            assert running.path
            draw_pairs("calibrated", lines_of(running.found))
            if running.found.rows.why_bad:
                draw_wrapped(f"{running.found.rows.why_bad}; {ADVICE}", AMBER)
            draw_wrapped(f"written to {running.path.name}")
            if imgui.small_button("use it"):
                context.state.effects.append(("calibrate by", str(running.path)))
        elif running.enough and imgui.small_button("calibrate"):
            self._calibrate(context.state.bounds, running)
        if running.error:
            draw_wrapped(running.error, AMBER)

    def _calibrate(self, bounds: Bounds, running: LiveCalibration) -> None:
        """Calibrate from the views and write the rig file, if writing is allowed."""
        try:
            bounds.refuse_if_read_only()
        except ValueError as error:
            running.error = str(error)
        else:
            running.calibrate(unused_rig(bounds.folder))

    def close(self) -> None:
        self.stop()


def _draw_coverage(found: Coverage) -> None:
    """Draw the coverage of an image as cells, brighter with more corners."""
    side, corner = imgui.get_font_size() * CELL, imgui.get_cursor_screen_pos()
    rows, columns = found.counts.shape
    pen = imgui.get_window_draw_list()
    for (row, column), count in (
        ((r, c), int(found.counts[r, c])) for r in range(rows) for c in range(columns)
    ):
        shade = min(count * len(COVERED) // MANY, len(COVERED) - 1)
        at = corner.x + column * side, corner.y + row * side
        end = at[0] + side - 1, at[1] + side - 1
        pen.add_rect_filled(at, end, imgui.get_color_u32(COVERED[shade] if count else BARE))
    imgui.dummy((columns * side, rows * side))
