"""OpenGL without a window: which device, several contexts, and what is said when there is none."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from wheatstone.viewer.display.screen.display import Display, Pane, Picture
from wheatstone.viewer.display.screen.offscreen import (
    EglDevice,
    OffscreenContext,
    egl_devices,
    preferred,
)
from wheatstone.viewer.display.screen.opengl import describe_gl

ROOT = Path(__file__).resolve().parent.parent


def device(index: int, ordinal: int | None = None, software: bool = False) -> EglDevice:
    return EglDevice(index, 0, ordinal, software, "")


def test_the_gpu_that_computes_comes_first_and_the_cpu_last() -> None:
    listed = [device(0, software=True), device(1), device(2, ordinal=0), device(3, ordinal=1)]
    assert [d.index for d in preferred(listed, 1)] == [3, 2, 1, 0]
    assert [d.index for d in preferred(listed, None)] == [2, 3, 1, 0]


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
    assert all(str(each).startswith("EGL device") for each in egl_devices())


def failing(script: str, **environment: str) -> str:
    command = [sys.executable, "-c", script]
    run = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True
    )
    assert run.returncode
    return run.stderr.strip().splitlines()[-1]


def test_another_platform_is_refused_in_one_line() -> None:
    module = "wheatstone.viewer.display.screen.offscreen"
    script = f"from {module} import OffscreenContext; OffscreenContext(None)"
    line = failing(script, PYOPENGL_PLATFORM="osmesa")
    assert line.endswith("PYOPENGL_PLATFORM is osmesa, but this needs egl: unset PYOPENGL_PLATFORM")


def test_a_missing_library_names_the_packages() -> None:
    script = (
        "from wheatstone.viewer.display.screen import opengl;"
        "opengl._LIBRARIES['egl'] = ('libNone.so.1',);opengl.bind('egl')"
    )
    assert "apt-get install libegl1" in failing(script, PYOPENGL_PLATFORM="")


def test_the_modules_load_without_opengl() -> None:
    script = (
        "import sys, wheatstone.viewer.display.screen.display;"
        "import wheatstone.viewer.display.screen.offscreen;"
        "import wheatstone.viewer.display.screen.overlay, wheatstone.viewer.display.screen.pixels;"
        "import wheatstone.viewer.display.screen.window;"
        "sys.exit(any(m in sys.modules for m in ('OpenGL', 'glfw', 'imgui_bundle')))"
    )
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT).returncode == 0


FRAMEBUFFER = """
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
with OffscreenContext(None):
    from OpenGL import GL
    from wheatstone.viewer.display.screen.framebuffer import Framebuffer
    GL.glBindTexture(0, 0)  # an error that nobody asks about
    Framebuffer().resize(64, 48)
    Framebuffer().resize(1 << 20, 1 << 20)
"""
COMPUTES = """
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
with OffscreenContext(None):
    from wheatstone.viewer.display.screen.opengl import has_compute_shaders, on_cpu
    from wheatstone.viewer.display.screen.painter import Painter
    assert on_cpu() and not Painter().computes
    raise SystemExit(f"computes: {has_compute_shaders()}")
"""


@pytest.mark.opengl
def test_what_has_no_room_is_reported_where_errors_are_asked_for_and_where_not(
    offscreen: OffscreenContext,
) -> None:
    message = (
        "OpenGL has no memory for a picture of 1048576x1048576; choose a smaller image or window"
    )
    assert failing(FRAMEBUFFER, WHEATSTONE_GL_CHECKS="").endswith(message)
    checked = FRAMEBUFFER.replace("    GL.glBindTexture(0, 0)", "    #")
    assert failing(checked, WHEATSTONE_GL_CHECKS="1").endswith(message)
    asked = "import OpenGL; raise SystemExit(f'asks: {OpenGL.ERROR_CHECKING}')"
    script = f"from wheatstone.viewer.display.screen.opengl import bind; bind('egl'); {asked}"
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
