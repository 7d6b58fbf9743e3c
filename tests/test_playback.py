"""Which frame is due by the clock: none too late, and as few skipped as the source allows."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.panel_choices import Playing
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.playback import Playback
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.run.run import Run


@dataclass
class Film:
    rate: float = 10.0
    length: int = 6
    at_once: set[int] = field(default_factory=lambda: set(range(100)))
    times: NDArray[np.float64] | None = None
    live: "Camera | None" = None

    def ready(self, index: int) -> bool:
        return index in self.at_once


@dataclass
class Camera:
    """What goes on behind a live source: the frames that can be had."""

    oldest: int
    newest: int


def played(film: Film, seconds: float, **choice: object) -> tuple[ViewerState, int]:
    """A state, so many seconds after its frame came up, and by how many frames it moved."""
    state = ViewerState(Run(SGM, "cpu", SgmParams()), **choice)  # type: ignore[arg-type]
    playback = Playback(state)
    playback.turned -= seconds
    source: Source = film  # type: ignore[assignment]
    return state, playback.advance(source)


@pytest.mark.parametrize(("seconds", "frames"), [(0.05, 0), (0.15, 1), (0.35, 3), (0.85, 8)])
def test_the_frame_that_is_due_comes_up(seconds: float, frames: int) -> None:
    state, moved = played(Film(), seconds)
    assert moved == frames and state.frame == frames % 6


@pytest.mark.parametrize(("ready", "frame"), [({1}, 1), ({1, 2}, 2), ({4}, 0), ({0}, 0)])
def test_where_that_is_not_ready_the_last_before_it_comes_up(ready: set[int], frame: int) -> None:
    state, moved = played(Film(at_once=ready), 0.35)
    assert (state.frame, moved) == (frame, frame)


UNEVEN = np.array([0.0, 0.1, 0.5, 0.6, 1.0])
"""Seconds of five frames, 0.25 apart on average, so that the first follows at 1.25."""


@pytest.mark.parametrize(
    ("seconds", "moved"),
    [(0.05, 0), (0.15, 1), (0.49, 1), (0.51, 2), (1.01, 4), (1.2, 4), (1.26, 5), (1.8, 7)],
)
def test_time_stamps_say_which_frame_is_due(seconds: float, moved: int) -> None:
    film = Film(rate=4.0, length=5, times=UNEVEN)
    state, outputs = played(film, seconds)
    assert (outputs, state.frame) == (moved, moved % 5)


@pytest.mark.parametrize(("speed", "moved"), [(0.1, 0), (0.5, 1), (1.0, 2), (2.0, 4)])
def test_speed_counts_the_seconds_of_the_film(speed: float, moved: int) -> None:
    film = Film(rate=4.0, length=5, times=UNEVEN)
    assert played(film, 0.52, playing=Playing(speed=speed))[1] == moved


def test_played_on_from_any_frame_time_stamps_count_from_there() -> None:
    film = Film(rate=4.0, length=5, times=UNEVEN)
    state, moved = played(film, 0.11, frame=2)
    assert (state.frame, moved) == (3, 1)
    state, moved = played(film, 0.7, frame=3)  # 1.3 seconds: the first again, at 1.25
    assert (state.frame, moved) == (0, 2)


def test_without_a_loop_playing_pauses_at_the_end_and_begins_again() -> None:
    once = Playing(loop=False)
    state, moved = played(Film(), 9.0, playing=once, frame=3)
    assert (state.frame, moved, state.paused) == (5, 2, False)
    playback = Playback(state)
    film: Source = Film()  # type: ignore[assignment]
    playback.turned -= 0.15
    assert playback.advance(film) == 0 and state.paused
    playback.advance(film)
    state.paused = False
    playback.advance(film)
    assert state.frame == 0 and not state.paused


def test_a_stretch_ends_where_another_frame_than_the_next_is_chosen() -> None:
    state = ViewerState(Run(SGM, "cpu", SgmParams()), frame=2)
    playback, source = Playback(state), Film()
    playback.turned -= 0.35
    playback.advance(source)  # type: ignore[arg-type]
    assert state.frame == 5
    stretches = []
    for frame in (5, 6, 6, 8, 9, 3, 4):
        state.frame = frame
        playback.note_choice()
        stretches.append(playback.stretch)
    assert stretches == [0, 0, 0, 1, 1, 2, 2]


def test_what_is_paused_or_stands_does_not_move() -> None:
    assert played(Film(), 0.35, paused=True)[1] == 0
    assert played(Film(rate=0.0), 0.35)[1] == 0
    assert played(Film(), 0.35, picture_menu=True)[1] == 0


def test_a_time_between_two_frames_is_not_lost() -> None:
    state = ViewerState(Run(SGM, "cpu", SgmParams()))
    playback = Playback(state)
    playback.turned -= 0.19
    begun = playback.turned
    playback.advance(Film())  # type: ignore[arg-type]
    assert playback.turned == pytest.approx(begun + 0.1)


@pytest.mark.parametrize(("frame", "shown"), [(0, 9), (9, 9), (12, 9)])
def test_of_a_live_source_the_newest_frame_comes_up(frame: int, shown: int) -> None:
    state, moved = played(Film(live=Camera(2, 9)), 0.0, frame=frame)
    assert (state.frame, moved) == (shown, frame != shown)


@pytest.mark.parametrize(("frame", "shown"), [(0, 2), (5, 5), (12, 9), (-1, 2)])
def test_while_a_live_source_is_paused_a_frame_stays_that_is_kept(frame: int, shown: int) -> None:
    state, _ = played(Film(live=Camera(2, 9)), 0.0, frame=frame, paused=True)
    assert state.frame == shown
