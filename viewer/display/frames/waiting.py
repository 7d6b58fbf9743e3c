"""Waiting for a slow source or frame: progress for the user, and cancelling with Esc."""

from contextlib import suppress
from dataclasses import replace

from wheatstone.gpu import Unavailable
from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.display.frames.background_tasks import BackgroundTasks
from wheatstone.viewer.display.frames.frame_job import FrameProgress
from wheatstone.viewer.display.frames.last_shown import LastShown, Selection
from wheatstone.viewer.display.frames.session import Session

KEYS = 9  # variants that have a key, 1 to 9
NOTICE_AFTER = 0.3  # seconds of waiting until the user is told what for


class Waiting:
    """The source or frame that the user waits for: its progress, and cancelling it."""

    def __init__(self, session: Session, background: BackgroundTasks, last: LastShown) -> None:
        self._session, self._state = session, session.state
        self._background, self._last = background, last
        self._on_its_way: FrameProgress | None = None
        self._slow: FrameProgress | None = None  # of the frame before, if it let the user wait
        self._given_up: Selection | None = None  # before the first picture

    @property
    def notice(self) -> FrameProgress | None:
        """The progress of a slow source or frame; None while nothing is slow."""
        if opening := _is_slow(self._background.opening):
            return opening
        if self.gave_up:
            return None
        session = self._session
        progress = session.progress
        if progress and not (self._last.anything or session.frames.progress):
            progress = replace(progress, step=f"showing the left view; {progress.step}")
        moves = not (self._state.paused or watched(self._state))
        if self._slow and moves and self._last.same_selection:
            return progress or self._slow  # from frame to frame it stays
        return _is_slow(progress)

    @property
    def writing(self) -> FrameProgress | None:
        """The progress of a file that is being written slowly; None without one."""
        return _is_slow(self._background.writing)

    @property
    def gave_up(self) -> bool:
        """Whether the user cancelled the first picture, by Esc, before it was shown."""
        if self._last.anything:
            return False
        return self._given_up == Selection.of(self._state)

    @property
    def advice(self) -> str:
        """Advice for the user after cancelling the first picture; empty in all other cases."""
        if not self.gave_up:
            return ""
        slot, absent = self._state.slot, self._state.absent
        others = [
            str(number)
            for number, variant in enumerate(slot.pipeline.offered[:KEYS], 1)
            if variant.name != slot.variant and not absent.get(variant.device)
        ]
        choose = f"; {' or '.join(others)}: by another variant" if others else ""
        return f"{slot.name} was cancelled. F5: compute it again{choose}"

    def show_left_view(self) -> None:
        """Fetch the frame whose left view stays on screen after the result was cancelled."""
        with suppress(OSError, ValueError, Unavailable):  # then nothing can be shown of it
            self._session.frames.fetch([self._state.frame], 0.0)

    def begin_source(self) -> None:
        """Forget that the user cancelled a picture, because a new source is opened."""
        self._given_up = None

    def note_unfinished(self) -> None:
        """Record the progress of a frame that is still being computed in the background."""
        self._on_its_way = self._session.progress

    def note_computed(self) -> None:
        """Record that the frame being computed in the background is complete."""
        self._slow, self._on_its_way = _is_slow(self._on_its_way), None

    def give_up(self) -> bool:
        """Cancel the slow source or frame; return whether there was one."""
        if given_up := self._background.cancel():
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
        state, same = self._state, self._last.same
        self._last.go_back()
        if same:
            state.paused = True
            state.hint("cancelled and paused; Space resumes")
        else:
            state.hint(f"cancelled; back to {state.slot.name}")


def _is_slow(progress: FrameProgress | None) -> FrameProgress | None:
    slow = progress and progress.is_new and progress.seconds > NOTICE_AFTER
    return progress if slow else None
