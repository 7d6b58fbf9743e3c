"""Playback by the clock: the frame to show, slow motion, and result A or B in blink mode."""

import time
from dataclasses import replace

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.io.footage.feed import Feed
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.times import frames_due, seconds_until

FARTHEST = 100  # frames ahead that are looked at where the one that is due is not ready


class Playback:
    """The clock that advances playback, slow motion, and the alternation of A and B in blink mode.

    Attributes:
        stretch: number of the stretch played; a new one begins where the user chooses a frame that
            is not the next.
    """

    def __init__(self, state: ViewerState) -> None:
        self._state = state
        self.turned = self.began = time.perf_counter()  # when the frame came up; the start
        self._unfolded = self.began  # when the slow motion moved on last
        self._unfolds = False  # whether the slow motion played when looked at last
        self.stretch, self._at = 0, state.frame  # the frame seen last
        self._rested = False  # whether the frame was chosen, or paused at

    def hold(self) -> None:
        """Restart the clock at the frame and slow-motion step shown, to ignore waiting time."""
        self.turned = self._unfolded = time.perf_counter()

    def note_choice(self) -> None:
        """Begin a new frame sequence if the user jumped to another frame than the next one."""
        self.stretch += self._state.frame - self._at not in (0, 1)
        self._at = self._state.frame

    def blink(self) -> None:
        """Select whether result A or B is visible at this moment, if blink mode is on."""
        mixing = self._state.mixing
        if mixing.mode == "blink":
            halves = int((time.perf_counter() - self.began) / (mixing.period / 2))
            if mixing.turn != (turn := "ab"[halves % 2]):
                self._state.mix(turn=turn)

    def unfold(self) -> None:
        """Advance the slow motion if it plays; at its end, stop, or start again in a loop."""
        state, now = self._state, time.perf_counter()
        passed, self._unfolded = now - self._unfolded, now
        chosen = state.unfolding
        if not (chosen.plays and watched(state)):
            self._unfolds = False
            return
        if not self._unfolds and chosen.moment >= 1.0:
            chosen = chosen.at(0.0)
        moment = chosen.moment + (passed if self._unfolds else 0.0) / chosen.seconds
        self._unfolds = True
        if moment >= 1.0 and state.playing.loop:
            moment %= 1.0
        state.unfolding = replace(chosen.at(moment), plays=moment < 1.0)

    def advance(self, source: Source) -> int:
        """Move to the frame that is due, or the nearest ready one; return the number of steps.

        The frame stays while the user looks at it, while no frame is ready, and at the end unless
        playback loops. Of a live source the newest frame is due; while the user looks at the chosen
        one, that one, as long as it is kept.
        """
        state, now = self._state, time.perf_counter()
        if source.live:
            return self._follow(source.live)
        if self._stays or not source.rate:
            self._rested, self.turned = True, now
            return 0
        due = frames_due(source, state.frame, (now - self.turned) * state.playing.speed)
        if not state.playing.loop:
            due = self._bounded(source, due, now)
        nearest = range(min(due, source.length, FARTHEST), 0, -1)
        ready = (frames for frames in nearest if self._comes(source, frames))
        moved = due if self._comes(source, due) else next(ready, 0)
        if moved:
            took = seconds_until(source, state.frame, moved) / state.playing.speed
            self.turned = self.turned + took if moved == due else now
            state.frame = self._at = (state.frame + moved) % source.length
            self._rested = False
        return moved

    @property
    def _stays(self) -> bool:
        """Whether the frame must not change: paused, in slow motion, or a pixel's menu is open."""
        state = self._state
        return bool(state.paused or watched(state) or state.in_picture_menu)

    def _comes(self, source: Source, frames: int) -> bool:
        """Return whether the frame that is some steps ahead exists and is ready."""
        return frames > 0 and source.ready(self._state.frame + frames)

    def _bounded(self, source: Source, due: int, now: float) -> int:
        """Limit the steps to the last frame, and pause there; restart if played from the end."""
        state = self._state
        left = source.length - 1 - state.frame % source.length
        if left:
            return min(due, left)
        if self._rested:
            state.frame = self._at = 0
            self.turned, self._rested = now, False
        elif due:
            state.paused = True
            state.hint("end of the sequence; Space plays it again")
        return 0

    def _follow(self, live: Feed) -> int:
        """Move to a live source's newest frame or, while paused, the nearest one available.

        Return 1 if the frame changed, else 0.
        """
        state, before = self._state, self._state.frame
        kept = min(max(before, live.oldest), live.newest)
        state.frame = kept if self._stays else live.newest
        self._at = state.frame
        return int(state.frame != before)
