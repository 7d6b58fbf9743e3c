"""The program waits while nothing changes; what changes by itself is drawn without any event."""

import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from benchmarks.idle import cpu_seconds, set_state
from tests.offscreen_app import running_app, settle
from tests.patience import wait_until
from tests.test_app import running
from tests.test_watched_files import later, paint
from tests.test_window import run_window
from wheatstone.viewer.choices.panel_choices import RecordingChoice
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.lesson.panel import REST, seconds_of_rest
from wheatstone.viewer.settings.screenshot import read_recipe
from wheatstone.viewer.window.app import App
from wheatstone.viewer.window.pace import LINGERS, NEVER, WATCHES, Pace

WORDS = ("invert", "--scene-size", "64x48", "--variant", "cpu")


def run(app: App, seconds: float) -> list[float]:
    """Run the program's own loop for some seconds; list when a picture was shown."""
    shown: list[float] = []
    window: Any = app.window
    window.swap = lambda: shown.append(time.monotonic())
    end = Timer(seconds, setattr, (app.state, "closing", True))
    end.start()
    app.run()
    end.join()
    app.state.closing = False
    return shown


def calm(app: App) -> None:
    """Run the program until only an event can need a frame."""
    while app.pace.seconds() != NEVER:
        run(app, 0.3)


def soon(seconds: float, what: Callable[..., object], *words: object) -> None:
    Timer(seconds, what, words).start()


def test_frames_go_on_for_a_moment_after_something_happened_and_then_at_the_time_due() -> None:
    rests, due = [False], [NEVER]
    pace = Pace(lambda: rests[0], lambda: due)
    assert pace.seconds() == 0.0
    rests[0] = True
    assert pace.seconds() == 0.0  # what comes late
    time.sleep(LINGERS)
    assert pace.seconds() == NEVER
    due[0] = time.perf_counter() + 10
    assert 9 < pace.seconds() <= 10
    due[0] -= 10
    assert pace.seconds() == 0.0
    pace.begin(happened=False)
    assert pace.seconds() == NEVER  # that frame shows it
    due.append(time.perf_counter() + 5)
    assert 4 < pace.seconds() <= 5
    pace.begin(happened=True)
    assert pace.seconds() == 0.0


@pytest.mark.opengl
def test_nothing_is_drawn_while_nothing_changes_and_a_key_is_answered_at_once(
    offscreen: OffscreenContext,
) -> None:
    with running_app(*WORDS) as app:
        app.state.open_panels |= {"stages", "inspector", "parameters", "histogram"}
        calm(app)
        used = time.process_time()
        assert run(app, 1.0) == []
        assert time.process_time() - used < 0.2
        before = app.state.colormap
        pressed: list[float] = []

        def press() -> None:
            pressed.append(time.monotonic())
            app.window.add([Event("key", key="M")])  # type: ignore[attr-defined]

        soon(0.5, press)
        shown = run(app, 1.0)
        assert app.state.colormap != before
        assert shown[0] > pressed[0] - WATCHES


@pytest.mark.opengl
def test_a_message_vanishes_by_itself(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS) as app:
        calm(app)
        app.state.leaving = time.monotonic() + 1.5
        app.window.add([Event("focus")])  # type: ignore[attr-defined]
        shown = run(app, 2.5)
        late = [moment for moment in shown if moment > app.state.leaving]
        assert 1 <= len(late) <= 3
        assert not [m for m in shown if app.state.leaving - 0.7 < m < app.state.leaving]


@pytest.mark.opengl
def test_a_file_that_changes_and_a_late_result_are_drawn(
    offscreen: OffscreenContext, tmp_path: Path
) -> None:
    for side in ("left", "right"):
        paint(tmp_path / f"{side}.png", 40)
    named = (str(tmp_path / "left.png"), str(tmp_path / "right.png"))
    with running_app("invert", *named, "--variant", "cpu") as app:
        calm(app)
        soon(0.2, paint, tmp_path / "left.png", 90)
        soon(0.3, later, tmp_path / "left.png")
        assert run(app, 3.0)
        assert app.state.message == "left.png changed: reloaded"
        assert int(app.session.frames.frame(0).left[0, 0]) == 90
        took: list[float] = []
        calm(app)
        app.background.open(
            "late", lambda: time.sleep(0.9), lambda _: took.append(time.monotonic())
        )
        shown = run(app, 2.0)
        assert took and shown[-1] > took[0]


@pytest.mark.opengl
def test_the_text_cursor_blinks_and_a_button_held_down_repeats(offscreen: OffscreenContext) -> None:
    from imgui_bundle import imgui
    from OpenGL import GL

    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow
    from wheatstone.viewer.display.screen.overlay import Overlay

    GL.glUseProgram(0)  # that of an overlay closed before cannot be used again
    with closing(OffscreenWindow(200, 100)) as window, closing(Overlay()) as overlay:

        def frame(*events: Event) -> bytes:
            GL.glClear(GL.GL_COLOR_BUFFER_BIT)
            with overlay.frame(200, 100, 1.0, events):
                imgui.set_next_window_pos((0, 0))
                imgui.begin("panel")
                if not overlay.typing and not events:
                    imgui.set_keyboard_focus_here()
                imgui.input_text("##field", "")
                imgui.end()
            return window.read().tobytes()

        assert overlay.due == NEVER
        for _ in range(4):
            frame()
        seen = []
        for _ in range(4):
            waits = overlay.due - time.perf_counter()
            assert 0 < waits < 1.2
            time.sleep(waits)
            seen.append(frame())
        assert seen[0] != seen[1] != seen[2] and seen[1] == seen[3]
        frame(Event("press", x=150, y=90))
        assert overlay.due <= time.perf_counter()
        frame(Event("release", x=150, y=90))
        frame(Event("move", x=151, y=90))
        assert overlay.due == NEVER


@pytest.mark.opengl
def test_a_minimised_window_draws_and_plays_nothing_unless_it_is_recorded(
    offscreen: OffscreenContext, tmp_path: Path
) -> None:
    with running_app(*WORDS) as app:
        window: Any = app.window
        app.state.paused = False
        assert len(run(app, 1.0)) > 5
        minimised = property(lambda self: True)
        hidden = type("HiddenWindow", (type(window),), {"minimised": minimised})
        shown_as, window.__class__ = type(window), hidden
        run(app, 0.2)
        frame, used = app.state.frame, time.process_time()
        assert run(app, 1.0) == []
        assert app.state.frame == frame
        assert time.process_time() - used < 0.3
        app.session.recordings.begin(tmp_path / "pairs", RecordingChoice())
        assert run(app, 1.0)
        assert app.state.frame != frame
        app.session.recordings.end()()
        assert len(list((tmp_path / "pairs").rglob("*.png"))) > 2
        window.__class__ = shown_as
        frame = app.state.frame
        assert len(run(app, 0.5)) > 2
        settle(app)


@pytest.mark.opengl
def test_a_live_source_is_only_decoded_while_somebody_sees_it(offscreen: OffscreenContext) -> None:
    pytest.importorskip("av", reason="live sources need PyAV")
    address = r"lavfi:nullsrc=size=64x48:rate=30,format=gray,geq=lum=mod(N\,256)"
    with running_app("invert", address, "--variant", "cpu") as app:
        live = app.session.source.live
        assert live
        app.state.paused = False
        run(app, 1.0)
        app.session.hold()
        time.sleep(0.3)
        received = live.counters.received
        time.sleep(0.5)
        assert live.counters.received == received
        run(app, 1.0)
        assert live.counters.received > received and live.counters.lost == 0
        app.state.paused = True
        while app.pace.seconds() == 0:
            run(app, 0.3)
        assert 1 <= len(run(app, 2.2)) <= 4  # the age of the picture goes on


def test_a_drawing_of_a_lesson_moves_rests_and_moves_again() -> None:
    assert seconds_of_rest(3.0, 4.0) == 0.0
    assert seconds_of_rest(4.5, 4.0) == pytest.approx(4 * REST - 0.5)
    assert seconds_of_rest(5.1, 4.0) == 0.0


@pytest.mark.window
def test_a_real_window_waits_repeats_keys_and_sleeps_while_minimised(
    x_display: dict[str, str], tmp_path: Path
) -> None:
    with running(x_display, tmp_path, *WORDS, "--size", "400x300") as program:

        def sleeps() -> bool:
            before = cpu_seconds(program.process.pid)
            time.sleep(1.0)
            return cpu_seconds(program.process.pid) - before < 0.05

        program.press("space")
        before = read_recipe(program.shot(1))
        wait_until(sleeps)  # once the scene has rendered its frames ahead
        program.xdotool("keydown", "period", "sleep", "1.5", "keyup", "period")
        after = read_recipe(program.shot(2))
        assert before and after
        assert after["view"]["frame"] - before["view"]["frame"] > 3
        command = ["xdotool", "search", "--onlyvisible", "--name", "Wheatstone"]
        output = subprocess.run(command, env=x_display, check=True, capture_output=True)
        program.press("space")
        set_state(x_display["DISPLAY"], int(output.stdout.split()[0]), minimised=True)
        wait_until(sleeps)
        set_state(x_display["DISPLAY"], int(output.stdout.split()[0]), minimised=False)
        playing = read_recipe(program.shot(3))
        assert playing and playing["view"]["frame"] != after["view"]["frame"]
        assert program.quit("q") == (0, "")


@pytest.mark.window
def test_a_window_that_comes_into_sight_again_is_drawn_again(x_display: dict[str, str]) -> None:
    if not shutil.which("xdotool"):
        pytest.skip("xdotool is missing: apt-get install xdotool")
    assert run_window("seen_again", x_display)["kinds"].count("refresh")
