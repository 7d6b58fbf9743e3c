"""What lets the user wait, a source that opens or a frame that computes, and how Esc ends it."""

from contextlib import suppress
from dataclasses import replace

from wheatstone.gpu import Unavailable
from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.frames.beside import BackgroundTasks
from wheatstone.viewer.frames.frame_job import FrameProgress
from wheatstone.viewer.frames.last_shown import LastShown
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.picture.selection import Selection

KEYS = 9  # variants that have a key, 1 to 9
NOTICE_AFTER = 0.3  # seconds of waiting until the user is told what for


class Waiting:
    """Tells what the user waits for, and gives it up if he does not want to.

    Args:
        beside: opens sources.
        last: what was shown last, to go back to.
    """

    def __init__(self, session: Session, beside: BackgroundTasks, last: LastShown) -> None:
        self._session, self._state = session, session.state
        self._beside, self._last = beside, last
        self._on_its_way: FrameProgress | None = None
        self._slow: FrameProgress | None = None  # of the frame before, if it let the user wait
        self._given_up: Selection | None = None  # before the first picture

    @property
    def notice(self) -> FrameProgress | None:
        """Tell how far what lets the user wait is: a source or a frame; None while nothing does."""
        if opening := _is_slow(self._beside.opening):
            return opening
        if self.gave_up:
            return None
        session = self._session
        progress = session.progress
        if progress and not (self._last.anything or session.frames.progress):
            progress = replace(progress, said=f"the left view; {progress.said}")
        moves = not (self._state.paused or watched(self._state))
        if self._slow and moves and self._last.same_selection:
            return progress or self._slow  # from frame to frame it stays
        return _is_slow(progress)

    @property
    def gave_up(self) -> bool:
        """Tell whether the user gave up what is chosen before there was a first picture."""
        if self._last.anything:
            return False
        return self._given_up == Selection.of(self._state)

    @property
    def advice(self) -> str:
        """Say what the user can do after giving up the first picture; empty in all other cases."""
        if not self.gave_up:
            return ""
        slot, absent = self._state.slot, self._state.absent
        others = [
            str(number)
            for number, variant in enumerate(slot.pipeline.variants[:KEYS], 1)
            if variant.name != slot.variant and not absent.get(variant.device)
        ]
        choose = f"; {' or '.join(others)}: by another variant" if others else ""
        return f"{slot.name} was cancelled. F5: compute it again{choose}"

    def show_left_view(self) -> None:
        """Fetch the frame whose left view stays on screen after the user gave up the result."""
        with suppress(OSError, ValueError, Unavailable):  # then nothing can be shown of it
            self._session.frames.fetch([self._state.frame], 0.0)

    def begin_source(self) -> None:
        """Forget what was given up of the source before."""
        self._given_up = None

    def note_unfinished(self) -> None:
        """Note how far the frame on its way is."""
        self._on_its_way = self._session.progress

    def note_computed(self) -> None:
        """Note that the frame is there."""
        self._slow, self._on_its_way = _is_slow(self._on_its_way), None

    def give_up(self) -> bool:
        """Cancel the source or the frame that lets the user wait; tell whether one did."""
        if given_up := self._beside.cancel():
            self._state.hint(f"cancelled: {given_up}")
            return True
        if not self.notice:
            return False
        self._session.cancel()
        if self._last.anything:
            self._go_back()
        else:
            self._given_up = Selection.of(self._state)
            self._state.hint(self.advice)
        return True

    def _go_back(self) -> None:
        """Choose what was shown last, and say so; pause what plays too slowly."""
        state, same = self._state, self._last.same
        self._last.go_back()
        if same:
            state.paused = True
            state.hint("cancelled and paused; Space plays on")
        else:
            state.hint(f"cancelled; back to {state.slot.name}")


def _is_slow(progress: FrameProgress | None) -> FrameProgress | None:
    """Pass on a frame's progress if the frame lets the user wait for another picture."""
    slow = progress and progress.anew and progress.seconds > NOTICE_AFTER
    return progress if slow else None
