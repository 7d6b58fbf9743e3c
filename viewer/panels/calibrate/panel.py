"""The panel that calibrates a rig: the user shows a board, views are taken automatically."""

from wheatstone.viewer.cameras.boards import DICTIONARY, board_of, length
from wheatstone.viewer.cameras.coverage import Coverage
from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.panels.calibrate.calibrate_words import ADVICE, NO_PAIR, lines_of, unused_rig
from wheatstone.viewer.panels.calibrate.live_calibration import LiveCalibration
from wheatstone.viewer.panels.panel import PanelContext
from wheatstone.viewer.panels.widgets import AMBER, draw_pairs, draw_wrapped
from wheatstone.viewer.screen.dear_imgui import imgui
from wheatstone.viewer.screen.style import Ink

CELL = 1.1  # side of a cell of the coverage, in sizes of the font
BARE, COVERED = Ink("bare"), tuple(Ink(f"covered {n}") for n in (1, 2, 3))
"""Colours of cells without a corner, and with few, more and many corners."""
MANY = 12  # corners in a cell from which it is brightest


class CalibratePanel:
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
        """Return whether a rig is being fitted."""
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
            said = context.state.calibrating
            board = board_of(said.board, length(said.square), None, DICTIONARY)
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
        imgui.separator_text(f"{running.collector.count} views")
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
        if imgui.small_button("start anew" if self.running else "start"):
            self.begin(context)
        if self.running:
            imgui.same_line()
            if imgui.small_button("stop"):
                self.stop()

    def _draw_result(self, context: PanelContext, running: LiveCalibration) -> None:
        if running.busy:
            imgui.text_disabled("calibrating ...")
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
        """Cancel the calibration in progress and discard the views."""
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
