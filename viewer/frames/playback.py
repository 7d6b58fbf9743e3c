"""Which frame is due, and whose turn it is in a blink, by the clock."""

import time
from dataclasses import replace

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.sources.frame import Live, Source
from wheatstone.viewer.sources.times import frames_due, seconds_until

FARTHEST = 100  # frames ahead that are looked at where the one that is due is not ready


class Playback:
    """Moves a state's frame and turn on as time passes."""

    def __init__(self, state: ViewerState) -> None:
        self._state = state
        self.turned = self.began = time.perf_counter()  # when the frame came up; the start
        self._unfolded = self.began  # when the slow motion moved on last
        self._unfolds = False  # whether the slow motion played when looked at last
        self._rested = False  # whether the frame was chosen, or paused at

    def hold(self) -> None:
        """Stay at the frame and the moment shown, however long nobody asks for another."""
        self.turned = self._unfolded = time.perf_counter()

    def blink(self) -> None:
        """Show A or B, whichever has its turn in a blink now."""
        mixing = self._state.mixing
        if mixing.mode == "blink":
            halves = int((time.perf_counter() - self.began) / (mixing.period / 2))
            if mixing.turn != (turn := "ab"[halves % 2]):
                self._state.mix(turn=turn)

    def unfold(self) -> None:
        """Move the slow motion on, if it plays; at its end it rests, or begins anew in a loop.

        Who plays on from the end begins anew.
        """
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
        """Move to the frame that is due, or as near to it as is ready; by how many frames it moved.

        The frame stays while paused or in slow motion, while none is ready, and at the end if that
        ends it all. Of a live source the newest frame is due; while paused, the one chosen, as long
        as it is kept.
        """
        state, now = self._state, time.perf_counter()
        if source.live:
            return self._follow(source.live)
        if state.paused or watched(state) or not source.rate:
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
            state.frame = (state.frame + moved) % source.length
            self._rested = False
        return moved

    def _comes(self, source: Source, frames: int) -> bool:
        """Tell whether so many frames on there is one that is ready."""
        return frames > 0 and source.ready(self._state.frame + frames)

    def _bounded(self, source: Source, due: int, now: float) -> int:
        """Count by how many frames to move without passing the end; pause there, and say so.

        Who plays on from the end begins again.
        """
        state = self._state
        left = source.length - 1 - state.frame % source.length
        if left:
            return min(due, left)
        if self._rested:
            state.frame, self.turned, self._rested = 0, now, False
        elif due:
            state.paused = True
            state.hint("the end; Space plays from the beginning")
        return 0

    def _follow(self, live: Live) -> int:
        """Move to the newest frame of a live source, or to the one kept that is nearest."""
        state, before = self._state, self._state.frame
        stays = state.paused or watched(state)
        state.frame = min(max(before, live.oldest), live.newest) if stays else live.newest
        return int(state.frame != before)
