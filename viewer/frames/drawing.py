"""What is drawn of a session: the frame computed last, and before the first one its left view."""

from collections.abc import Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Protocol

from wheatstone.viewer.cameras.calibration import Calibration
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.frames.checks import Checks
from wheatstone.viewer.frames.frame_job import FrameProgress
from wheatstone.viewer.frames.frames import SessionFrames
from wheatstone.viewer.frames.preview import Preview
from wheatstone.viewer.frames.row_meter import RowMeter
from wheatstone.viewer.frames.runner import Runner
from wheatstone.viewer.frames.slot_figures import JudgedSlots
from wheatstone.viewer.frames.slow_motion import SlowMotion
from wheatstone.viewer.picture.caption import caption_height
from wheatstone.viewer.picture.combined import Remarks, before_b, combined
from wheatstone.viewer.picture.names import pending
from wheatstone.viewer.picture.panes import Picture
from wheatstone.viewer.picture.shown import Shown
from wheatstone.viewer.picture.space import median_depth
from wheatstone.viewer.remembered import Remembered
from wheatstone.viewer.screen.display import Display
from wheatstone.viewer.sources.frame import Frame

NOT_DRAWN = ("frame", "errands", "messages")  # fields of a state that change in many a pass
CHOICES = attrgetter(*(each.name for each in fields(ViewerState) if each.name not in NOT_DRAWN))
SAID_AFTER = 0.3  # seconds until a picture says that another one is computed


class ComputedFrame(Protocol):
    """What was computed last: a session, as far as its drawing knows one.

    Attributes:
        mixed: how A and B were mixed in it.
        shows: whether there is a frame of the source.
        b_to_come: whether it is A alone, and B is computed next.
    """

    state: ViewerState
    frames: SessionFrames
    a: Runner
    b: Runner
    checks: Checks
    rows: RowMeter
    figures: JudgedSlots
    slow_motion: SlowMotion
    mixed: str
    shows: bool
    b_to_come: bool

    @property
    def wanted(self) -> Sequence[Shown]:
        """List what the slots shall show, A before B."""

    @property
    def progress(self) -> FrameProgress | None:
        """Tell how far the frame on its way is; None without one."""


class FrameDrawing:
    """Draws what a session computed; an OpenGL context must be current.

    Args:
        display: has the textures of what was computed.
    """

    def __init__(self, computed: ComputedFrame, display: Display) -> None:
        self._computed, self._display = computed, display
        self._preview, self._picture = Preview(display), Remembered[Picture]()
        self._early: tuple[Frame, Picture, int, int] | None = None  # drawn of a left view

    @property
    def picture(self) -> Picture:
        """What is drawn of the frame computed last."""
        now = self._computed
        a, b = now.a.shown, now.b.shown
        said = Remarks(now.rows.warning, self._pending, now.figures.words)
        if slow := now.slow_motion.picture(said.warning):
            return slow
        if now.b_to_come and a:
            of_a = a.picture(now.state, now.a.calibration)
            return before_b(now.state, a, of_a, self._left_view, said)
        calibrations, badge = (_calibration(now.a), _calibration(now.b)), now.checks.badge(a)
        looks = a.looks if a else None, b.looks if b else None
        told = now.mixed, badge, said.warning, said.pending, *said.figures
        made_of = *CHOICES(now.state), *looks, *calibrations, *told
        return self._picture.of(
            made_of, lambda: combined(self._as_mixed, a, b, badge, calibrations, said)
        )

    @property
    def _as_mixed(self) -> ViewerState:
        """The state with the mode computed last: until another is found possible, that is drawn."""
        state, mode = self._computed.state, self._computed.mixed
        return replace(state, mixing=replace(state.mixing, mode=mode))

    @property
    def _pending(self) -> str:
        """Say what lets the user wait for another picture; empty if nothing does for long."""
        now, progress = self._computed, self._computed.progress
        if not progress or not progress.anew or progress.seconds < SAID_AFTER:
            return ""
        return pending([now.a.shown, now.b.shown], now.wanted)

    @property
    def _left_view(self) -> Picture | None:
        """The picture of the left view of the frame chosen; None before that is fetched."""
        frame = self._frame_chosen
        return self._preview.picture(frame, self._computed.state) if frame else None

    @property
    def _frame_chosen(self) -> Frame | None:
        """The frame chosen; None before it is fetched."""
        return self._computed.frames.there(self._computed.state.frame)

    def draw(self, width: int, height: int) -> None:
        """Draw the frame computed last into the display's framebuffer, in pixels of that size.

        Before there is a frame of the source, what was drawn last stays.
        """
        if self._computed.shows:
            self._choose_pivot()
            self._display.draw(self.picture, width, height)
            self._early = None

    def draw_left_view(self, width: int, height: int) -> None:
        """Draw the left view of the frame chosen, as taken, if that frame is there."""
        frame, picture = self._frame_chosen, self._left_view
        if frame and picture:
            early = frame, picture, width, height
            if self._early != early:  # drawn again, it would only slow down what computes
                self._display.draw(picture, width, height)
            self._early = early

    def _choose_pivot(self) -> None:
        """Let a view in space turn about the median depth of the frame that it shows first."""
        state = self._computed.state
        for runner in (self._computed.a, self._computed.b):
            shown = runner.shown
            if state.cloud.pivot is None and shown and shown.view.cloud and runner.calibration:
                pane = shown.picture(state).panes[0]
                values = self._display.values(pane.image)
                pivot = median_depth(values, pane.scale, pane.invalid, runner.calibration)
                state.cloud = replace(state.cloud, pivot=pivot)

    def caption_height(self, width: int, height: int) -> int:
        """Count the pixels that the caption takes at the top of a picture of this size."""
        caption = self.picture.caption if self._computed.shows else None
        return caption_height(caption, width, height, self._display.manner)

    def close(self) -> None:
        """Give back the texture of the left view."""
        self._preview.close()


def _calibration(runner: Runner) -> Calibration | None:
    """Look up the calibration of a view in space; no other view is drawn by one."""
    return runner.calibration if runner.shown and runner.shown.view.cloud else None
