"""Windows, each in a process of its own, and OpenGL without a window."""

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

from wheatstone.viewer.screen.display import Display, Pane, Picture
from wheatstone.viewer.screen.keys import key_name, typed_name
from wheatstone.viewer.screen.offscreen import EglDevice, OffscreenContext, egl_devices, preferred
from wheatstone.viewer.screen.opengl import describe_gl

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
def test_losing_the_focus_of_a_full_screen_ends_nothing(x_display: dict[str, str]) -> None:
    if not shutil.which("xdotool"):
        pytest.skip("xdotool is missing: apt-get install xdotool")
    answer = run_window("focus_lost", x_display)
    calm, *loud = answer["said"]
    assert calm == "vanishes: False"  # nothing was said before
    assert "Iconification of full screen windows requires" in loud[0]
    assert answer["filled"] == [True] * 4 and answer["size"] == [321, 199]


@pytest.mark.window
def test_a_screen_that_cannot_be_filled_is_said(x_display: dict[str, str]) -> None:
    answer = run_window("no_screen", x_display)
    assert answer["said"] == ["no screen is connected that the window could fill"]
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
        ("", "no display (DISPLAY and WAYLAND_DISPLAY are unset): use `wheatstone render`"),
        (":7777", "the display does not open: X11: Failed to open display :7777"),
    ],
)
def test_no_display_is_said_in_one_line(display: str, message: str) -> None:
    environment = os.environ | {"DISPLAY": display, "WAYLAND_DISPLAY": ""}
    script = "from wheatstone.viewer.screen.window import Window; Window(8, 8, 'x')"
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    line = run.stderr.strip().splitlines()[-1]
    assert line.partition(": ")[2].startswith(message)


def device(index: int, ordinal: int | None = None, software: bool = False) -> EglDevice:
    return EglDevice(index, 0, ordinal, software, "")


def test_the_gpu_that_computes_comes_first_and_the_cpu_last() -> None:
    found = [device(0, software=True), device(1), device(2, ordinal=0), device(3, ordinal=1)]
    assert [d.index for d in preferred(found, 1)] == [3, 2, 1, 0]
    assert [d.index for d in preferred(found, None)] == [2, 3, 1, 0]


@pytest.mark.opengl
def test_contexts_follow_each_other(offscreen: OffscreenContext) -> None:
    pictures = []
    for _ in range(3):
        with OffscreenContext(None) as context:
            assert context.device
            display = Display()
            display.upload_image("v", np.arange(12, dtype=np.uint8).reshape(3, 4))
            display.draw(Picture((Pane("v"),)), 40, 30)
            pictures.append(display.read())
            display.close()
    assert np.array_equal(pictures[0], pictures[2])
    offscreen.make_current()
    assert describe_gl()["renderer"]


@pytest.mark.opengl
def test_the_context_is_new_enough(offscreen: OffscreenContext) -> None:
    version = describe_gl()["version"].split()[0]
    assert tuple(int(number) for number in version.split(".")[:2]) >= (3, 3)


@pytest.mark.opengl
def test_devices_describe_themselves(offscreen: OffscreenContext) -> None:
    assert all(str(found).startswith("EGL device") for found in egl_devices())


def failing(script: str, **environment: str) -> str:
    command = [sys.executable, "-c", script]
    run = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True
    )
    assert run.returncode
    return run.stderr.strip().splitlines()[-1]


def test_another_platform_is_refused_in_one_line() -> None:
    script = (
        "from wheatstone.viewer.screen.offscreen import OffscreenContext; OffscreenContext(None)"
    )
    line = failing(script, PYOPENGL_PLATFORM="osmesa")
    assert line.endswith("PYOPENGL_PLATFORM is osmesa, but this needs egl: unset PYOPENGL_PLATFORM")


def test_a_missing_library_names_the_packages() -> None:
    script = (
        "from wheatstone.viewer.screen import opengl;"
        "opengl._LIBRARIES['egl'] = ('libNone.so.1',);opengl.bind('egl')"
    )
    assert "apt-get install libegl1" in failing(script, PYOPENGL_PLATFORM="")


def test_the_modules_load_without_opengl() -> None:
    script = (
        "import sys, viewer.screen.display, viewer.screen.offscreen;"
        "import wheatstone.viewer.screen.overlay, wheatstone.viewer.screen.pixels;"
        "import wheatstone.viewer.screen.window;"
        "sys.exit(any(m in sys.modules for m in ('OpenGL', 'glfw', 'imgui_bundle')))"
    )
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT).returncode == 0


FRAMEBUFFER = """
from wheatstone.viewer.screen.offscreen import OffscreenContext
with OffscreenContext(None):
    from OpenGL import GL
    from wheatstone.viewer.screen.framebuffer import Framebuffer
    GL.glBindTexture(0, 0)  # an error that nobody asks about
    Framebuffer().resize(64, 48)
    Framebuffer().resize(1 << 20, 1 << 20)
"""
COMPUTES = """
from wheatstone.viewer.screen.offscreen import OffscreenContext
with OffscreenContext(None):
    from wheatstone.viewer.screen.opengl import has_compute_shaders, on_cpu
    from wheatstone.viewer.screen.painter import Painter
    assert on_cpu() and not Painter().computes
    raise SystemExit(f"computes: {has_compute_shaders()}")
"""


@pytest.mark.opengl
def test_what_has_no_room_is_said_where_errors_are_asked_for_and_where_not(
    offscreen: OffscreenContext,
) -> None:
    said = "OpenGL has no room for a picture of 1048576x1048576; choose a smaller image or window"
    assert failing(FRAMEBUFFER, WHEATSTONE_GL_CHECKS="").endswith(said)
    checked = FRAMEBUFFER.replace("    GL.glBindTexture(0, 0)", "    #")
    assert failing(checked, WHEATSTONE_GL_CHECKS="1").endswith(said)
    asked = "import OpenGL; raise SystemExit(f'asks: {OpenGL.ERROR_CHECKING}')"
    script = f"from wheatstone.viewer.screen.opengl import bind; bind('egl'); {asked}"
    assert failing(script, WHEATSTONE_GL_CHECKS="", WHEATSTONE_DEBUG="") == "asks: False"
    assert failing(script, WHEATSTONE_GL_CHECKS="", WHEATSTONE_DEBUG="1") == "asks: True"


@pytest.mark.opengl
def test_older_opengl_has_compute_shaders_by_extension(offscreen: OffscreenContext) -> None:
    if "Mesa" not in describe_gl()["version"]:
        pytest.skip("only Mesa poses as an older version")
    old = {"MESA_GL_VERSION_OVERRIDE": "3.3"}
    assert failing(COMPUTES, **old) == "computes: True"
    without = {"MESA_EXTENSION_OVERRIDE": "-GL_ARB_compute_shader"}
    assert failing(COMPUTES, **old, **without) == "computes: False"
