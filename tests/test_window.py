"""The window, in processes of its own: PyOpenGL binds to one window system a process."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import glfw
import numpy as np
import pytest

from wheatstone.viewer.display.screen.display import Display, Pane, Picture
from wheatstone.viewer.display.screen.keys import key_name, typed_name
from wheatstone.viewer.display.screen.offscreen import OffscreenContext

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = Path(__file__).with_name("window_script.py")

SHIFT, CONTROL, ALT = glfw.MOD_SHIFT, glfw.MOD_CONTROL, glfw.MOD_ALT


@pytest.mark.parametrize(
    ("key", "label", "modifiers", "name"),
    [
        (glfw.KEY_Q, "q", 0, "Q"),
        (glfw.KEY_Q, "a", 0, "A"),  # AZERTY
        (glfw.KEY_Q, "й", 0, "Q"),  # Cyrillic
        (glfw.KEY_LEFT_BRACKET, "[", SHIFT, "Shift+["),
        (glfw.KEY_LEFT_BRACKET, "ü", 0, "["),  # German: the place counts
        (glfw.KEY_1, "&", CONTROL, "Ctrl+1"),  # AZERTY
        (glfw.KEY_KP_5, "5", 0, "5"),
        (glfw.KEY_S, "s", CONTROL | ALT | SHIFT, "Ctrl+Alt+Shift+S"),
        (glfw.KEY_F11, None, 0, "F11"),
        (glfw.KEY_EQUAL, "=", CONTROL, "Ctrl+Plus"),
        (glfw.KEY_EQUAL, "=", CONTROL | SHIFT, "Ctrl+Plus"),
        (glfw.KEY_RIGHT_BRACKET, "+", CONTROL, "Ctrl+Plus"),  # German
        (glfw.KEY_KP_SUBTRACT, "-", CONTROL, "Ctrl+Minus"),
        (glfw.KEY_0, "0", CONTROL, "Ctrl+0"),
        (glfw.KEY_ESCAPE, None, 0, "Esc"),
        (glfw.KEY_SPACE, None, 0, "Space"),
        (glfw.KEY_LEFT_SHIFT, None, SHIFT, ""),
        (glfw.KEY_UNKNOWN, None, 0, ""),
    ],
)
def test_keys_are_named_by_their_label(
    key: int, label: str | None, modifiers: int, name: str
) -> None:
    assert key_name(key, label, modifiers) == name


@pytest.mark.parametrize(
    ("name", "character", "typed"),
    [
        ("Q", "q", "Q"),
        ("8", "[", "["),  # German: AltGr+8
        ("7", "{", "Shift+["),  # German: AltGr+7
        ("Shift+[", "{", "Shift+["),
        ("Shift+&", "1", "1"),  # AZERTY
        ("Shift+1", "!", "Shift+1"),
        ("Shift+M", "M", "Shift+M"),
        ("Q", "й", "Q"),
        ("Space", " ", "Space"),
        ("Plus", "+", "Plus"),
        ("Shift+1", "+", "Plus"),  # Swiss
        ("-", "_", "Minus"),
        ("Ctrl+1", "1", "Ctrl+1"),
    ],
)
def test_what_a_key_types_counts_where_the_label_misleads(
    name: str, character: str, typed: str
) -> None:
    assert typed_name(name, character) == typed


def run_window(task: str, environment: dict[str, str], *arguments: str) -> dict[str, Any]:
    command = [sys.executable, str(SCRIPT), task, *arguments]
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT), environment.get("PYTHONPATH", "")])
    run = subprocess.run(
        command, env=environment | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=120
    )
    if "Failed to get EGL display" in run.stderr:
        pytest.skip("this driver opens no EGL window on this X server")
    assert run.returncode == 0, run.stderr
    return dict(json.loads(run.stdout))


@pytest.mark.window
@pytest.mark.opengl
@pytest.mark.parametrize("platform", ["", "egl"])
def test_the_window_shows_the_bytes_of_the_offscreen_picture(
    platform: str, x_display: dict[str, str], offscreen: OffscreenContext, tmp_path: Path
) -> None:
    values = np.random.default_rng(3).integers(-16, 1024, (47, 61), np.int16)
    np.save(tmp_path / "values.npy", values)
    run_window("draw", x_display | {"PYOPENGL_PLATFORM": platform}, str(tmp_path))
    display = Display()
    display.upload_image("v", values)
    display.draw(Picture((Pane("v", 1 / 16, 0, 63, -16, "turbo"),), zoom=1.5), 321, 199)
    assert np.array_equal(np.load(tmp_path / "seen.npy"), display.read())
    display.close()


@pytest.mark.window
def test_keys_pressed_arrive_by_name(x_display: dict[str, str]) -> None:
    if not shutil.which("xdotool"):
        pytest.skip("xdotool is missing: apt-get install xdotool")
    pressed = ["q", "ctrl+1", "bracketleft", "shift+bracketright", "F11", "space", "Tab", "Escape"]
    answer = run_window("keys", x_display, *pressed)
    names = ["Q", "Ctrl+1", "[", "Shift+]", "F11", "Space", "Tab", "Esc"]
    assert answer["keys"] == names


@pytest.mark.window
def test_full_screen_covers_the_screen_and_goes_back(x_display: dict[str, str]) -> None:
    answer = run_window("fullscreen", x_display)
    assert answer["sizes"] == [[321, 199], answer["screen"], [321, 199]]
    assert answer["screen"] != [321, 199]


@pytest.mark.window
def test_a_window_that_is_enlarged_stays_on_the_screen(x_display: dict[str, str]) -> None:
    answer = run_window("enlarged", x_display)
    for place, size, screen in zip(*(answer[k] for k in ("place", "size", "screen")), strict=True):
        assert size > 199 and place >= 0 and place + size <= screen


@pytest.mark.window
def test_losing_the_focus_of_a_full_screen_ends_nothing(x_display: dict[str, str]) -> None:
    if not shutil.which("xdotool"):
        pytest.skip("xdotool is missing: apt-get install xdotool")
    answer = run_window("focus_lost", x_display)
    calm, *loud = answer["said"]
    assert calm == "vanishes: False"  # nothing was said before
    assert "Iconification of full screen windows requires" in loud[0]
    assert answer["filled"] == [True] * 4 and answer["size"] == [321, 199]


@pytest.mark.window
def test_a_screen_that_cannot_be_filled_is_reported(x_display: dict[str, str]) -> None:
    answer = run_window("no_screen", x_display)
    assert answer["said"] == ["no screen is available for full screen"]
    assert not answer["worked"]


@pytest.mark.window
def test_panels_are_drawn_and_leave_the_picture_to_the_display(x_display: dict[str, str]) -> None:
    answer = run_window("panels", x_display)
    assert answer["changed inside the panel"] > 100
    assert answer["changed outside the panel"] == 0
    assert answer["wants mouse"] == [False, True]


@pytest.mark.parametrize(
    ("display", "message"),
    [
        (
            "",
            "no display (DISPLAY and WAYLAND_DISPLAY are unset); a window opens from",
        ),
        (":7777", "the display cannot be opened: X11: Failed to open display :7777"),
    ],
)
def test_no_display_is_reported_in_one_line(display: str, message: str) -> None:
    environment = os.environ | {"DISPLAY": display, "WAYLAND_DISPLAY": ""}
    script = "from wheatstone.viewer.display.screen.window import Window; Window(8, 8, 'x')"
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    line = run.stderr.strip().splitlines()[-1]
    assert line.partition(": ")[2].startswith(message)
