"""Scripts: what they mean, and what they do to a window that nobody sees."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import pytest

from tests.holding import hold
from tests.offscreen_app import raced
from tests.pictures import read
from tests.toy import TOY, ToyParams
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.script import ScriptStep, parse_script, read_script
from wheatstone.viewer.cli.script_player import finish, played_frames, settle
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.screenshot import read_recipe
from wheatstone.viewer.window.app import App, open_app

WIDTH, HEIGHT = 320, 240
Make = Callable[[], App]


def test_every_line_is_a_step() -> None:
    text = "key F3 Shift+D\n\n# a remark\n  drag 100,80 300,200\nscroll 3,2 -1.5\nsettle\n"
    assert parse_script(text) == [
        ScriptStep(1, "key", ("F3", "Shift+D")),
        ScriptStep(4, "drag", ("100,80", "300,200")),
        ScriptStep(5, "scroll", ("3,2", "-1.5")),
        ScriptStep(6, "settle", ()),
    ]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("jump 3", "unknown step 'jump'"),
        ("wait", r"wait must be 1 \(got 0\)"),
        ("wait now", "wait takes a number of frames"),
        ("wait 0", "wait takes a number of frames"),
        ("wait 999999999", r"1 to 100000 \(got '999999999'\)"),
        ("size 800", "a size is WxH in pixels"),
        ("size -1x5", "a size is WxH in pixels"),
        ("size 99999x5", "up to 16384 each"),
        ("click 3;4", "a place is X,Y in pixels"),
        ("scroll 3,4 up", "at most 100"),
        ("key Escape", r"unknown key 'Escape' \(did you mean 'Esc'\?\); docs/keys.md"),
        ("key M foo", r"unknown key 'foo'"),
        ("key shift+d", r"did you mean 'Shift\+D'"),
        ("wiat 3", r"did you mean 'wait'\?"),
        ("shot ../picture.png", "output folder"),
        ("shot /tmp/picture.png", "output folder"),
        ("key " + "x" * 5000, "unknown key"),
        ("scroll 3,4 1e9", "at most 100"),
        ("scroll 3,4 nan", "at most 100"),
        ("move nan,inf", "a place is X,Y in pixels"),
        ("settle now", "settle must be 0"),
        ("shot picture.jpg", r"\.png"),
    ],
)
def test_a_line_that_means_nothing_is_refused_with_its_number(line: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=f"^line 2: .*{complaint}") as raised:
        parse_script(f"settle\n{line}\n")
    assert len(str(raised.value)) < 500


@pytest.mark.parametrize(
    "text", ["settle\n" * 10_001, "wait 50001\n" * 2, "drag 1,1 2,2\n" * 9999 + "wait 50010\n"]
)
def test_a_script_has_bounds(text: str) -> None:
    with pytest.raises(ValueError, match=r"^line \d+: .*10000 steps"):
        parse_script(text)


def test_every_key_of_the_program_is_known() -> None:
    from wheatstone.gpu.pipelines import PIPELINES
    from wheatstone.viewer.panels.keys.actions import actions

    keys = {key for p in PIPELINES.values() for action in actions(p) for key in action.keys}
    for key in keys:
        parse_script(f"key {key}")
    parse_script("key Ctrl+Shift+P Enter Backspace Ctrl+Backspace Down PageUp Ctrl+A")


def test_scripts_of_the_documentation_are_right() -> None:
    scripts = sorted((Path(__file__).resolve().parent.parent / "docs" / "scripts").glob("*.txt"))
    assert scripts and all(read_script(path) for path in scripts)


@pytest.mark.timeout(60)
def test_a_script_is_a_regular_file_of_some_size(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"# \n" * 2**19)
    with pytest.raises(OSError, match="pipe: expected a regular file"):
        read_script(tmp_path / "pipe")
    with pytest.raises(ValueError, match="large: larger than 1 MiB"):
        read_script(tmp_path / "large")


@pytest.fixture
def program(offscreen: OffscreenContext) -> Iterator[Make]:
    """Makes the program in a window of 320x240, with the toy on the built-in scene."""
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow

    with ExitStack() as stack:

        def make() -> App:
            source = stack.enter_context(closing(open_source(SourceSpec(size=(96, 64)))))
            state = ViewerState(Run(TOY, "cpu", ToyParams()), paused=True)
            state.views["toy"] = "anaglyph"
            window = stack.enter_context(closing(OffscreenWindow(WIDTH, HEIGHT)))
            return open_app(stack, window, state, source)

        yield make


def run(app: App, text: str, folder: Path) -> None:
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow

    assert isinstance(app.window, OffscreenWindow)
    list(played_frames(app, app.window, parse_script(text), folder))


pytestmark = pytest.mark.opengl


def test_keys_and_mouse_reach_the_program(program: Make, tmp_path: Path) -> None:
    app = program()
    run(app, "settle\nkey M V Shift+V . .\nscroll 160,100 2\nsettle\nshot a.png", tmp_path)
    assert app.state.frame == 2 and app.state.zoom == pytest.approx(1.44)
    recipe = read_recipe(tmp_path / "a.png")
    assert recipe and recipe["view"]["frame"] == 2
    before = app.state.center
    run(app, "drag 160,100 190,100", tmp_path)
    assert app.state.center[0] < before[0] and app.state.center[1] == before[1]


def test_a_shot_shows_the_window_panels_and_all(program: Make, tmp_path: Path) -> None:
    app = program()
    run(app, "settle\nshot a.png\nkey H\nwait 2\nshot b.png\nkey H\nsettle\nshot c.png", tmp_path)
    first, second, third = (read(tmp_path / f"{name}.png") for name in "abc")
    assert first.shape == (HEIGHT, WIDTH, 3)
    assert not np.array_equal(first, second)
    picture = slice(0, HEIGHT - 40)  # without the status line and its frame rate
    assert np.array_equal(first[picture], third[picture])


def test_a_window_may_change_its_size_and_vanish(program: Make, tmp_path: Path) -> None:
    app = program()
    run(
        app,
        "settle\nsize 0x0\nwait 2\nsize 1x1\nwait 2\nsize 400x300\nsettle\nshot a.png",
        tmp_path,
    )
    assert read(tmp_path / "a.png").shape == (300, 400, 3)


def test_settling_waits_for_what_computes_in_the_background(
    program: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    import wheatstone.viewer.cli.script_player

    held = hold(monkeypatch)
    monkeypatch.setattr(wheatstone.viewer.cli.script_player, "LONGEST_WAIT", 3)
    app = program()
    app.state.views["toy"] = "marked"
    shown = []
    step = app.step

    def watched() -> None:
        step()
        shown.append(app.session.a.shown)
        if len(shown) == 8:
            held.release()

    monkeypatch.setattr(app, "step", watched)
    settle(app)
    assert len(shown) > 8 and not any(shown[:8]) and shown[-1]


def test_what_never_comes_to_rest_is_an_error(
    program: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    import wheatstone.viewer.cli.script_player

    monkeypatch.setattr(wheatstone.viewer.cli.script_player, "LONGEST_WAIT", 3)
    app = program()
    monkeypatch.setattr(type(app), "settled", property(lambda app: False))
    with pytest.raises(ValueError, match="not shown after 3 frames"):
        settle(app)


def racing(program: Make) -> App:
    app = program()
    app.state.open_panels, app.state.racing = {"race"}, "race"
    return app


def test_finish_waits_for_what_panels_find_out(program: Make) -> None:
    app = racing(program)
    finish(app)
    assert not app.state.racing
    phases = {standing.phase for standing in raced(app).standings}
    assert "done" in phases and not {"waiting", "running"} & phases


def test_finish_gives_up(program: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    app = racing(program)
    monkeypatch.setattr("wheatstone.viewer.cli.script_player.LONGEST_WORK", 0)
    with pytest.raises(ValueError, match="is not complete after 0 seconds"):
        finish(app)


def test_finish_waits_for_the_first_picture(
    program: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    held = hold(monkeypatch)
    app = program()
    app.state.views["toy"] = "marked"
    seen = []
    step = app.step

    def watched() -> None:
        step()
        seen.append(bool(app.session.a.shown))
        if len(seen) == 8:
            held.release()

    monkeypatch.setattr(app, "step", watched)
    run(app, "key F4\nkey Shift+F4\nfinish", tmp_path)
    assert not any(seen[:8]) and seen[-1]
    assert "done" in {standing.phase for standing in raced(app).standings}


def test_a_key_may_close_the_program_at_the_end(program: Make, tmp_path: Path) -> None:
    app = program()
    run(app, "settle\nkey Esc Esc", tmp_path)
    assert app.state.closing


@pytest.mark.parametrize(("text", "line"), [("key Esc Esc\nshot a.png", 3), ("key Q M", 2)])
def test_what_follows_a_key_that_closes_the_program_is_refused(
    program: Make, tmp_path: Path, text: str, line: int
) -> None:
    with pytest.raises(ValueError, match=f"^line {line}: a key closed the program before"):
        run(program(), f"settle\n{text}", tmp_path)
    assert list(tmp_path.iterdir()) == []


def palette(entry: str, text: str) -> str:
    return f"key Ctrl+Shift+P\ntext {entry}\nkey Enter\ntext {text}\nkey Enter\nwait 1\n"


def test_a_script_saves_settings_in_its_folder_only(
    program: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "out").symlink_to(tmp_path)
    monkeypatch.chdir(folder)
    app = program()
    run(app, "settle\n" + palette("save settings", "mine") + "\nsettle", folder)
    assert [path.name for path in folder.glob("*.toml")] == ["mine.toml"]
    for place in ("../theirs", str(tmp_path / "theirs"), "~/theirs", "out/theirs"):
        with pytest.raises(ValueError, match=r"^line \d+: .*a script can only write into"):
            run(app, "settle\n" + palette("save settings", place), folder)
    with pytest.raises(ValueError, match="a script can only write into"):
        run(app, "settle\nshot out/a.png", folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here"]


@pytest.mark.parametrize("address", ["/dev/video0", "rtsp://127.0.0.1:9/x", "lavfi:testsrc"])
def test_a_script_opens_no_camera_and_no_stream(
    program: Make, tmp_path: Path, address: str
) -> None:
    message = f"a script cannot open a camera or a stream: {address}"
    app = program()
    for effect in (("open", address), ("open source", f'[source]\nleft = "{address}"')):
        app.state.effects.append(effect)
        with pytest.raises(ValueError, match=f"line 1: {re.escape(message)}"):
            run(app, "wait 3\nsettle", tmp_path)


def test_a_script_changes_no_presets(program: Make, tmp_path: Path, own_settings: Path) -> None:
    app = program()
    app.state.effects.append(("save preset", "mine"))
    with pytest.raises(ValueError, match="line 1: a script cannot change presets"):
        run(app, "wait 3\nsettle", tmp_path)
    app.state.effects.append(("delete preset", "toy", "mine"))
    with pytest.raises(ValueError, match="line 1: a script cannot change presets"):
        run(app, "wait 3\nsettle", tmp_path)
    assert not own_settings.exists()
