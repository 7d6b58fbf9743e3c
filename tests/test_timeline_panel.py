"""The time line: what it says, and a window in which a video plays and is dragged."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.offscreen_app import do, keys, running_app, settle
from tests.painted_videos import number_in, painted, uneven, write_video
from tests.toy import TOY, ToyParams
from wheatstone.viewer.choices.panel_choices import Playing
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.times import frame_at
from wheatstone.viewer.panels import panel
from wheatstone.viewer.panels.panel import arrange
from wheatstone.viewer.panels.timeline import (
    TimelinePanel,
    frame_of,
    marks,
    share_of,
    slots,
    timeline_words,
)
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.command_line import command_line
from wheatstone.viewer.window.app import App

SIZE = (640, 400)


class Film:
    """Five frames at uneven times, the last of which lasts as long as they do on average."""

    length, rate, damaged = 5, 4.0, 0
    times = np.array([0.0, 0.1, 0.5, 0.6, 1.0])


FILM: Any = Film()


def test_places_on_the_line_are_those_in_time() -> None:
    assert [share_of(FILM, index) for index in range(3)] == pytest.approx([0, 0.08, 0.4])
    assert [frame_of(FILM, share) for share in (-1, 0, 0.09, 0.39, 0.41, 1, 2)] == [
        *(0, 0, 1, 1, 2, 4, 4)
    ]
    assert slots(FILM, 90, 25) == (1, 1, 3, 4)  # at 0.156, 0.469, 0.781 and 1.094 seconds


def test_round_times_stand_apart() -> None:
    listed = list(marks(FILM, 400, 10))  # five of 80 pixels at most
    assert [text for _, text in listed] == ["0:00.00", "0:00.50", "0:01.00"]
    assert [share for share, _ in listed] == pytest.approx([0, 0.4, 0.8])


def test_the_words_tell_time_and_damage() -> None:
    state = ViewerState(Run(TOY, "cpu", ToyParams()), frame=7)
    words = timeline_words(state, FILM)
    assert (words.times, words.frame) == ("0:00.50 / 0:01.25", "frame 2 of 5")
    assert words.damaged == ""
    film: Any = Film()
    film.damaged = 3
    assert timeline_words(state, film).damaged == "3 damaged frames so far"


def test_it_takes_the_whole_foot_of_the_window() -> None:
    places = arrange([panel("stages"), panel("inspector"), panel("timeline")], 1280, 768, 1.0)
    foot, below = places.panels["timeline"], places.panels["stages"]
    assert (foot.x, foot.width, foot.y + foot.height) == (0, 1280, 768)
    assert below.y + below.height == foot.y == places.picture.height + below.height


def shown(app: App) -> int:
    frame = app.session.a.frame
    assert frame is not None
    return number_in(frame.left)


def dragged(app: App, begin: float, *ends: float) -> None:
    """Press the button on the time line, move, and release it; in shares of the line."""
    area = arrange(app.layout.open, SIZE[0], SIZE[1] - 32, 1.0).panels["timeline"]
    padding = 12
    places = [padding + share * (area.width - 2 * padding) for share in (begin, *ends)]
    y = area.y + area.height / 2
    do(app, Event("move", x=places[0], y=y))
    do(app, Event("press", x=places[0], y=y, button=0))
    for x in places[1:]:
        do(app, Event("move", x=x, y=y))
    do(app, Event("release", x=places[-1], y=y, button=0))


def test_a_video_plays_is_dragged_and_has_thumbnails(offscreen: object, tmp_path: Path) -> None:
    pytest.importorskip("av", reason="video needs PyAV")
    path = write_video(tmp_path / "a.mkv", count=100, stamp=uneven)
    words = ("invert", str(path), "--variant", "cpu", "--fresh")
    with running_app(*words, size=SIZE) as app:
        source = app.session.source
        assert "timeline" in app.state.open_panels and shown(app) == 0
        dragged(app, 0.1, 0.5, 0.75)
        settle(app)
        assert source.times is not None
        expected = frame_at(source, 0.75 * (source.times[-1] + 1 / source.rate))
        assert abs(app.state.frame - expected) <= 1 and shown(app) == app.state.frame
        assert app.state.paused
        keys(app, "Ctrl+.")
        settle(app)
        assert shown(app) == app.state.frame == 99
        keys(app, ",")
        settle(app)
        assert shown(app) == 98
        body = app.layout.body("timeline")
        assert isinstance(body, TimelinePanel)
        end = time.monotonic() + 5
        while body.busy and time.monotonic() < end:
            app.step()
        picture = app.window.read()[-140:-32]  # type: ignore[attr-defined]
        assert picture.reshape(-1, 3).std(axis=0).max() > 30  # thumbnails are seen


def test_playing_follows_the_time_stamps(offscreen: object, tmp_path: Path) -> None:
    pytest.importorskip("av", reason="video needs PyAV")
    path = write_video(tmp_path / "a.mkv", count=100, stamp=uneven)
    words = ("invert", str(path), "--variant", "cpu", "--no-loop", "--speed", "2", "--fresh")
    with running_app(*words, size=SIZE) as app:
        source = app.session.source
        assert app.state.playing == Playing(2.0, loop=False)
        app.state.paused, begun, seen = False, time.perf_counter(), []
        while not app.state.paused and time.perf_counter() - begun < 20:
            app.step()
            seen.append(app.state.frame)
            assert shown(app) == app.state.frame or app.session.progress
        took = time.perf_counter() - begun
    assert source.times is not None
    assert seen[-1] == 99 and seen == sorted(seen)
    assert took > 0.9 * source.times[-1] / 2


def test_a_still_has_no_time_line_and_a_scene_has_one_without_thumbnails(
    offscreen: object, tmp_path: Path
) -> None:
    from PIL import Image

    Image.fromarray(painted(3)).save(tmp_path / "a.png")
    with running_app("invert", str(tmp_path / "a.png"), "--variant", "cpu", "--fresh") as app:
        app.state.open_panels.add("timeline")
        app.step()
        assert app.layout.body("timeline") is None
    with running_app("invert", "--scene-size", "96x64", "--variant", "cpu", size=SIZE) as app:
        assert "timeline" not in app.state.open_panels
        keys(app, "F10")
        dragged(app, 0.2, 0.5)
        settle(app)
        assert abs(app.state.frame - app.session.source.length / 2) <= 1


def test_a_video_that_is_dropped_opens_with_its_time_line_and_can_be_opened_again(
    offscreen: object, tmp_path: Path
) -> None:
    pytest.importorskip("av", reason="video needs PyAV")
    path = write_video(tmp_path / "a.mp4", count=12)
    with running_app("invert", "--scene-size", "96x64", "--variant", "cpu", size=SIZE) as app:
        do(app, Event("drop", paths=(str(path),)))
        settle(app)
        assert "timeline" in app.state.open_panels and app.session.source.length == 12
        spec = app.session.source.spec
        assert spec == SourceSpec(str(path))
        words = command_line(app.state, spec)
        assert words[3] == str(path)
        bad = tmp_path / "b.mp4"
        bad.write_text("no video")
        do(app, Event("drop", paths=(str(bad),)))
        settle(app)
        assert "b.mp4: not a video" in app.state.message
        assert app.session.source.length == 12
