"""Fixtures for tests that draw: an OpenGL context without a window, and an X display for one."""

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.programs import x_server
from wheatstone.gpu import Unavailable
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.display.screen.opengl import bound_platform


@pytest.fixture(scope="module")
def offscreen() -> Iterator[OffscreenContext]:
    """A current OpenGL context; skips where OpenGL is not installed."""
    try:
        context = OffscreenContext(None)
    except Unavailable as reason:
        if bound_platform() == "glx":
            raise  # not the machine's fault: a test imported OpenGL before it was bound
        pytest.skip(str(reason))
    with context:
        yield context


@pytest.fixture(params=[False, True], ids=["drawn", "computed"])
def display(offscreen: OffscreenContext, request: pytest.FixtureRequest) -> Iterator[Display]:
    """A display that draws panes as triangles, and one whose panes a compute shader paints.

    Here the first has programs whose branches are decided, the second one that decides.
    """
    from wheatstone.viewer.display.screen.opengl import has_compute_shaders

    if request.param and not has_compute_shaders():
        pytest.skip("this OpenGL has no compute shaders")
    made = Display(computes=request.param)
    yield made
    made.close()


@pytest.fixture(scope="session")
def x_display() -> Iterator[dict[str, str]]:
    """The environment of programs that open a window, on an Xvfb of this test run.

    Where there is no Xvfb but a display, that display.
    """
    if not shutil.which("Xvfb"):
        if "DISPLAY" in os.environ:
            yield {k: v for k, v in os.environ.items() if k != "PYOPENGL_PLATFORM"}
            return
        pytest.skip("Xvfb is missing: apt-get install xvfb")
    with x_server(1280, 900) as environment:
        yield environment
