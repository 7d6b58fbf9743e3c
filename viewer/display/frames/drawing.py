"""The drawing of a session: its last computed frame or, before that, the left view."""

from dataclasses import fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.frames.source_findings import row_warning_place
from wheatstone.viewer.display.picture.caption import caption_height
from wheatstone.viewer.display.picture.combination import Remarks, before_b, combined, pending
from wheatstone.viewer.display.picture.panes import Pane, Picture
from wheatstone.viewer.display.picture.space import median_depth
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.findings import in_window
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.footage.planes import AnyView, Planes
from wheatstone.viewer.io.sources.frame import Frame, Pixels
from wheatstone.viewer.memo import Memo

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session

TEXTURE = "left view, as recorded"  # no image has this name
NOT_DRAWN = ("frame", "effects", "messages")  # fields of a state that change in many a pass
CHOICES = attrgetter(*(each.name for each in fields(ViewerState) if each.name not in NOT_DRAWN))
NOTE_AFTER = 0.3  # seconds until a picture says that another one is computed


def _at_once(view: AnyView) -> Pixels:
    return view.host[0] if isinstance(view, Planes) else view


class FrameDrawing:
    """The drawing of a session's results with OpenGL, whose context must be current.

    Attributes:
        shows: whether a frame of the source was computed.
        mode: the mode in which the last computed frame mixes A and B.
        before_b: whether A is shown although B, which is also chosen, is not computed yet.
    """

    def __init__(self, computed: "Session", display: Display) -> None:
        self._computed, self._display = computed, display
        self.begin_source()
        self._picture = Memo[Picture]()
        self._previewed: Frame | None = None  # whose left view is uploaded
        self._colored = False
        self._early: tuple[Frame | None, Picture, int, int] | None = None  # drawn of a left view

    def begin_source(self) -> None:
        """Forget the drawn frame, so that nothing is drawn before a frame of a new source."""
        self.shows = self.before_b = False
        self.mode = self._computed.state.mixing.mode

    def show(self, mode: str, *, before_b: bool) -> None:
        """Draw the newly computed frame from now on; see ``draw``.

        Args:
            mode: the mode in which it mixes A and B.
            before_b: only A is computed, and B follows.
        """
        self.shows, self.mode, self.before_b = True, mode, before_b

    @property
    def picture(self) -> Picture:
        """Return the picture (description of a drawing) of the last computed frame."""
        now = self._computed
        a, b = now.a.shown, now.b.shown
        rows = now.rows.warning if row_warning_place(now) == "caption" else ""
        remarks = Remarks(in_window(rows), self._pending, now.figures.words)
        if slow := now.slow_motion.picture(remarks.warning):
            return slow
        if self.before_b and a:
            of_a = a.picture(now.state, now.a.calibration)
            return before_b(now.state, a, of_a, self._left_view, remarks)
        calibrations, badge = (_calibration(now.a), _calibration(now.b)), now.checks.badge(a)
        looks = a.looks if a else None, b.looks if b else None
        shown = self.mode, badge, remarks.warning, remarks.pending, *remarks.figures
        made_of = *CHOICES(now.state), *looks, *calibrations, *shown
        return self._picture.of(
            made_of, lambda: combined(self._as_mixed, a, b, badge, calibrations, remarks)
        )

    @property
    def _as_mixed(self) -> ViewerState:
        """Return the viewer state, with the comparison mode that the last computed frame used."""
        state = self._computed.state
        return replace(state, mixing=replace(state.mixing, mode=self.mode))

    @property
    def _pending(self) -> str:
        """Return the reason why the user waits for another picture; empty if the wait is short."""
        now, progress = self._computed, self._computed.progress
        if not progress or not progress.is_new or progress.seconds < NOTE_AFTER:
            return ""
        return pending([now.a.shown, now.b.shown], now.wanted)

    @property
    def _left_view(self) -> Picture | None:
        """Return a picture of the chosen frame's original left view; None until it is fetched.

        Of a decoded video it is the brightness: to rectify it or to convert its colours takes time.
        """
        frame, state = self._frame_chosen, self._computed.state
        if not frame:
            return None
        if frame is not self._previewed:
            pixels = _at_once(frame.taken[0])
            self._display.upload_image(TEXTURE, pixels)
            self._previewed, self._colored = frame, pixels.ndim > 2
        pane = Pane(TEXTURE, colored=self._colored)
        return Picture((pane,), zoom=state.zoom, center=state.center)

    @property
    def _frame_chosen(self) -> Frame | None:
        return self._computed.frames.there(self._computed.state.frame)

    def draw(self, width: int, height: int, *, anything: bool = True) -> None:
        """Draw the first of these pictures at a size in pixels.

        The original left view, before there is any result; the moment of a stage in slow motion; A
        next to the left view, while B is computed for the first time; the results of A, of B, or of
        both as they are mixed. What was drawn last stays while none of them is there.

        Args:
            anything: whether a result of the source was shown before; without one, the left view is
                drawn, once it is fetched.
        """
        if anything and self.shows:
            self._choose_pivot()
            self._display.draw(self.picture, width, height)
            self._early = None
        elif not anything and (left := self._left_view):
            early = self._frame_chosen, left, width, height
            if self._early != early:  # drawn again, it would only slow down what computes
                self._display.draw(left, width, height)
            self._early = early

    def _choose_pivot(self) -> None:
        """Set the rotation centre of a 3D view to the median depth of its first frame."""
        state = self._computed.state
        for runner in (self._computed.a, self._computed.b):
            shown = runner.shown
            if state.cloud.pivot is None and shown and shown.view.cloud and runner.calibration:
                pane = shown.picture(state).panes[0]
                values = self._display.values(pane.image)
                pivot = median_depth(values, pane.scale, pane.invalid, runner.calibration)
                state.cloud = replace(state.cloud, pivot=pivot)

    def caption_height(self, width: int, height: int) -> int:
        """Return the height in pixels of the caption at the top of a picture of this size."""
        caption = self.picture.caption if self.shows else None
        return caption_height(caption, width, height, self._display.style)

    def close(self) -> None:
        if self._previewed:
            self._display.remove(TEXTURE)
            self._previewed = None


def _calibration(runner: Runner) -> Calibration | None:
    """Return the calibration of the frame that a run shows in 3D; None if it shows it in 2D."""
    return runner.calibration if runner.shown and runner.shown.view.cloud else None
