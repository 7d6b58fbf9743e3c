"""The panel that calibrates a rig of two cameras from automatically taken views of a board."""

from collections.abc import Iterator

from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.display.picture.drawn_picture import DrawnPicture
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.style import Ink, number
from wheatstone.viewer.io.cameras.board_corners import Corners
from wheatstone.viewer.io.cameras.board_views import BoardView, Coverage
from wheatstone.viewer.io.cameras.boards import DICTIONARY, USUAL_BOARDS, board_of, length
from wheatstone.viewer.io.cameras.calibrating import FEWEST_VIEWS
from wheatstone.viewer.io.cameras.stereo_calibration import StereoCalibration
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.panels.live_calibration import LiveCalibration, unused_rig
from wheatstone.viewer.panels.marks import CASING, MarkedPane, clipped, place_of
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import (
    AMBER,
    INKS,
    draw_pairs,
    draw_progress,
    draw_tip,
    draw_wrapped,
)
from wheatstone.viewer.words import plural

BEGIN = "Open a folder of board pictures, left and right, or show a board to live cameras."
GOOD = (
    "About 20 views, near and far, tilted, in every part of both images, make a good calibration."
)
LIVE = f"Hold the board still until its view is taken. {GOOD}"
COUNTS = "Chessboards count inner corners: 9x6 has 10 x 7 squares. ChArUco boards count squares."
SQUARE = "Measured side of a square with its unit, such as 30mm."
PLAIN = Ink("text")
PICTURES = "views"
"""The view that shows the left and the right picture."""
NO_PAIR = "A rig has two cameras: open a pair, or a camera that sends both views."


def lines_of(calibration: StereoCalibration) -> list[tuple[str, str, str]]:
    """List the results of a camera calibration: name, value and explanation of each."""
    rig, rows = calibration.rig, calibration.rows
    known, spread = (
        calibration.deviations,
        " and ".join(f"{each:.2f}" for each in calibration.spreads),
    )
    return [
        (
            "views",
            f"{len(calibration.used)} used, {len(calibration.dropped)} dropped",
            "Outliers are dropped.",
        ),
        ("stereo error", f"{calibration.rms.stereo:.3f} px", "Of all corners, root mean square."),
        ("rows, median", f"{rows.median:.3f} px", "Row offset after rectification."),
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
            "Distance between the cameras, with its standard deviation.",
        ),
    ]


CELL = 1.1  # side of a cell of the coverage, in sizes of the font
BARE, COVERED = Ink("bare"), tuple(Ink(f"covered {n}") for n in (1, 2, 3))
"""Colours of cells without a corner, and with few, more and many corners."""
MANY = 12  # corners in a cell from which it is brightest


class CalibratePanel(Body):
    """The contents of the panel that calibrates a rig of two cameras.

    Attributes:
        running: the calibration in progress; None before the first start.
    """

    def __init__(self) -> None:
        self.running: LiveCalibration | None = None
        self.error = ""
        self._pair = True
        self._before: Source | None = None  # the one shown while a folder of boards is chosen
        self._at_once = False  # whether to calibrate as soon as all pictures are searched
        self._view = ""  # the one shown before the pictures of boards

    @property
    def busy(self) -> bool:
        return bool(self.running and self.running.busy)

    def update(self, context: PanelContext) -> None:
        """Search the frame on screen for the corners of the board."""
        frame = context.session.frame_shown
        self._pair = not frame or frame.is_pair
        if self._before and context.session.source is not self._before:
            self._before, self._at_once = None, True
            self._show_pictures(context.state)
            self.begin(context, recognises=True)
        if not self.running:
            return
        self.running.follow(frame)
        if self.running.other:
            choose(context.state, "calibrating.board", self.running.other)
            self.begin(context)
        elif self._at_once and self.running.searched and self.running.enough:
            self._at_once = False
            self._calibrate(context.state.bounds, self.running)

    def choose_folder(self, context: PanelContext) -> None:
        """Open a dialog to choose a folder of board pictures, from which to calibrate the rig."""
        self._before = context.session.source
        context.state.request("open a folder")

    def choose_pair(self, state: ViewerState, path: str) -> None:
        """Open a dialog to choose a pair, which is then rectified by a calibration."""
        state.rig = path
        state.request("open a file", "pair")
        if self._view:
            state.choose_view(state.slot, self._view)

    def begin(self, context: PanelContext, *, recognises: bool = False) -> None:
        """Restart the calibration with the chosen board; ``recognises``: also try usual boards."""
        self.stop()
        try:
            chosen = context.state.calibrating
            board = board_of(chosen.board, length(chosen.square), None, DICTIONARY)
        except ValueError as error:
            self.error = str(error)
            return
        self.error = ""
        moves = context.session.source.live is not None
        length_now = context.session.source.length
        self.running = LiveCalibration(
            board,
            context.session.worker,
            moves=moves,
            length=length_now,
            recognises=recognises,
        )
        if not moves and length_now > 1:
            context.state.paused = False  # so that every picture passes

    def _show_pictures(self, state: ViewerState) -> None:
        """Show the newest views with their detected corners until a pair in the list is chosen."""
        pipeline = state.slot.pipeline
        if any(view.name == PICTURES for view in pipeline.views):
            self._view = state.views.get(pipeline.name, pipeline.views[0].name)
            state.choose_view(state.slot, PICTURES)

    def stop(self) -> None:
        """Stop the calibration and discard its views of the board."""
        if self.running:
            self.running.close()
        self.running = None

    def draw(self, context: PanelContext) -> None:
        """Draw the panel: the result, the fields for the board, its views and their coverage."""
        running, live = self.running, context.session.source.live is not None
        if running:
            self._draw_result(context, running)
        else:
            draw_wrapped(BEGIN)
            if imgui.button("Open folder of board pictures..."):
                self.choose_folder(context)
        self._draw_board(context)
        if self.error or not self._pair:
            draw_wrapped(self.error or NO_PAIR, AMBER)
        if not running:
            draw_wrapped(LIVE if live else GOOD)
            return
        if running.view:
            draw_corners(context, running.view)
        imgui.separator_text(running.taken)
        notes = [running.collector.outcome] if running.moves else running.not_taken
        for line in notes:
            draw_wrapped(line or "looking for the board ...")
        if not running.collector.count and len(running.considered) >= FEWEST_VIEWS:
            draw_wrapped(f"Is this a {context.state.calibrating.board} board?", AMBER)
        left, right = running.collector.coverage()
        _draw_coverage(left)
        imgui.same_line(0, imgui.get_font_size())
        _draw_coverage(right)
        if running.result:
            draw_pairs("calibrated", lines_of(running.result))

    def _draw_board(self, context: PanelContext) -> None:
        chosen = context.state.calibrating
        for name, tip in (("board", COUNTS), ("square", SQUARE)):
            imgui.set_next_item_width(imgui.get_font_size() * 8)
            changed, typed = imgui.input_text(f"##{name}", getattr(chosen, name))
            draw_tip(tip)
            if changed:
                choose(context.state, f"calibrating.{name}", typed)
            imgui.same_line(0, imgui.get_style().item_inner_spacing.x)
            if name == "board":
                self._draw_boards(context)
                imgui.same_line(0, imgui.get_style().item_inner_spacing.x)
            imgui.text(name)
        draw_wrapped(COUNTS)
        if imgui.small_button("Start again" if self.running else "Start"):
            self.begin(context)
        if self.running:
            imgui.same_line()
            if imgui.small_button("Stop"):
                self.stop()

    def _draw_boards(self, context: PanelContext) -> None:
        """Draw the list of usual boards; restart the calibration if another board is chosen."""
        if not imgui.begin_combo("##boards", "", int(imgui.ComboFlags_.no_preview)):
            return
        for board in USUAL_BOARDS:
            if imgui.selectable(board, board == context.state.calibrating.board)[0]:
                choose(context.state, "calibrating.board", board)
                if self.running:
                    self.begin(context)
        imgui.end_combo()

    def _draw_result(self, context: PanelContext, running: LiveCalibration) -> None:
        if progress := running.fit_progress:
            draw_progress(*progress, even=False)  # the number of rounds is not known
            if imgui.button("Cancel"):
                running.cancel_fit()
        elif running.result:
            self._draw_calibrated(context, running, running.result)
        elif running.enough:
            if imgui.button(f"Calibrate from {plural(running.collector.count, 'view')}"):
                self._calibrate(context.state.bounds, running)
        if running.error:
            draw_wrapped(running.error, AMBER)

    def _draw_calibrated(
        self, context: PanelContext, running: LiveCalibration, calibration: StereoCalibration
    ) -> None:
        """Draw the calibration's quality, the path of its file, and the button that uses it."""
        assert running.path
        path = running.path.resolve()
        used = context.session.source.spec.calibration == str(path)
        views, error = plural(len(calibration.used), "view"), calibration.rms.stereo
        draw_wrapped(f"Calibrated by {views}: stereo error {error:.3f} px.", PLAIN)
        if not running.moves:
            square = context.state.calibrating.square
            draw_wrapped(f"Lengths assume squares of {square}: change it, and start again.")
        if calibration.dropped and not running.moves:
            noun = "view" if len(calibration.dropped) == 1 else "views"
            numbers = ", ".join(str(int(each.view.name) + 1) for each in calibration.dropped)
            draw_wrapped(f"dropped because of much larger errors: {noun} {numbers}")
        if calibration.rows.why_bad:
            draw_wrapped(f"{calibration.rows.why_bad}; {GOOD}", AMBER)
        draw_wrapped(f"written to {path}")
        if used:
            draw_wrapped("In use: the pictures are rectified by it.", INKS["success"])
        else:
            self._draw_uses(context.state, str(path))
        if context.state.bounds.root is None:
            if imgui.button("Open folder"):
                context.state.request("show file", str(path.parent))

    def _draw_uses(self, state: ViewerState, path: str) -> None:
        """Draw buttons that apply a calibration to another pair or to the pictures shown."""
        if imgui.button("Use it on a pair..."):
            self.choose_pair(state, path)
        if imgui.button("Use it on these pictures"):
            state.effects.append(("calibrate by", path))

    def _calibrate(self, bounds: Bounds, running: LiveCalibration) -> None:
        """Calibrate from the views of the board, and write the rig file if writing is allowed."""
        try:
            bounds.refuse_if_read_only()
        except ValueError as error:
            running.error = str(error)
        else:
            running.calibrate(unused_rig(bounds.folder))

    def close(self) -> None:
        self.stop()


def _draw_coverage(coverage: Coverage) -> None:
    """Draw how well corners cover an image, as cells that are brighter with more corners."""
    side, corner = imgui.get_font_size() * CELL, imgui.get_cursor_screen_pos()
    rows, columns = coverage.counts.shape
    pen = imgui.get_window_draw_list()
    for (row, column), count in (
        ((r, c), int(coverage.counts[r, c])) for r in range(rows) for c in range(columns)
    ):
        shade = min(count * len(COVERED) // MANY, len(COVERED) - 1)
        at = corner.x + column * side, corner.y + row * side
        end = at[0] + side - 1, at[1] + side - 1
        pen.add_rect_filled(at, end, imgui.get_color_u32(COVERED[shade] if count else BARE))
    imgui.dummy((columns * side, rows * side))


RADIUS = 4  # of a corner's ring, in units of an unscaled screen
CORNER_COLOR = number("place")


def draw_corners(context: PanelContext, view: BoardView) -> None:
    """Draw the board's corners over every image on screen that shows a view as it was taken."""
    frame = context.session.frame_shown
    prefix = "raw_" if frame and frame.raw else ""
    for side, corners in (("left", view.left), ("right", view.right)):
        for pane in panes_of(context.session.display.drawn, f"{prefix}{side}"):
            with clipped(context, pane):
                _draw(context, pane, corners)


def panes_of(drawn: DrawnPicture, image: str) -> Iterator[MarkedPane]:
    """Yield the places on screen that show an image with a given name."""
    cells = zip(drawn.arrangement.cells, drawn.images, strict=True)
    for place, (cell, images) in enumerate(cells):
        names = (name.removeprefix("B ") for name in images)
        if not drawn.in_space(place) and image in names:
            box = cell.x, cell.y, cell.x + cell.width, cell.y + cell.height
            yield MarkedPane(place, box)


def _draw(context: PanelContext, pane: MarkedPane, corners: Corners) -> None:
    """Draw rings around the board's corners in an image, joined in the order of their numbers."""
    canvas, scale = imgui.get_background_draw_list(), context.scale
    places = [place_of(context, pane, row + 0.5, column + 0.5) for column, row in corners.places]
    for color, thick in ((CASING, 3 * scale), (CORNER_COLOR, scale)):
        if len(places) > 1:
            canvas.add_polyline([imgui.ImVec2(*place) for place in places], color, thick, 0)
        for place in places:
            canvas.add_circle(place, RADIUS * scale, color, 0, thick)
