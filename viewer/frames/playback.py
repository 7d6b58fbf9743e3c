"""Which frame is due, and whose turn it is in a blink, by the clock."""

import time

from viewer.choices.state import ViewerState
from viewer.sources.frame import Live, Source


class Playback:
    """Moves a state's frame and turn on as time passes."""

    def __init__(self, state: ViewerState) -> None:
        self._state = state
        self.turned = self.began = time.perf_counter()  # when the frame came up; the start

    def blink(self) -> None:
        """Show A or B, whichever has its turn in a blink now."""
        mixing = self._state.mixing
        if mixing.mode == "blink":
            halves = int((time.perf_counter() - self.began) / (mixing.period / 2))
            if mixing.turn != (turn := "ab"[halves % 2]):
                self._state.mix(turn=turn)

    def advance(self, source: Source) -> int:
        """Move to the frame that is due, or at least to the next; by how many frames it moved.

        The frame stays while paused or while neither is ready. Of a live source the newest frame
        is due; while paused, the one chosen, as long as it is kept.
        """
        state, now = self._state, time.perf_counter()
        if source.live:
            return self._follow(source.live)
        if state.paused or not source.rate:
            self.turned = now
            return 0
        due = int((now - self.turned) * source.rate)
        for frames in dict.fromkeys((due, min(due, 1))):
            if frames and source.ready(state.frame + frames):
                state.frame = (state.frame + frames) % source.length
                self.turned = self.turned + due / source.rate if frames == due else now
                return frames
        return 0

    def _follow(self, live: Live) -> int:
        """Move to the newest frame of a live source, or to the one kept that is nearest."""
        state, before = self._state, self._state.frame
        state.frame = min(max(before, live.oldest), live.newest) if state.paused else live.newest
        return int(state.frame != before)
