"""Programs of the display shader for which its way through the code is decided beforehand."""

import re
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from wheatstone.viewer.display.picture.panes import Pane, Picture
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.resources import SHADERS

if TYPE_CHECKING:
    from wheatstone.viewer.display.screen.program import Branches


@pytest.fixture
def branches(offscreen: OffscreenContext) -> "Branches":
    from wheatstone.viewer.display.screen.program import Branches

    return Branches(0, False, (1, 0), *[(False, False)] * 5)


def test_what_decides_is_declared_alike_in_shader_and_program(branches: "Branches") -> None:
    source = (SHADERS / "image.glsl").read_text()
    deciding = source.split("#ifndef BRANCHES_KNOWN")[1].split("#endif")[0]
    declared = re.findall(r"^uniform \w+ (\w+)(\[2\])?;", deciding, re.M)
    pairs = {
        field.name: isinstance(getattr(branches, field.name), tuple) for field in fields(branches)
    }
    assert {name: bool(pair) for name, pair in declared} == pairs
    assert len(branches.uniforms) == 2 + 2 * 6


def test_constants_are_those_of_the_language(branches: "Branches") -> None:
    lines = branches.constants().splitlines()
    assert lines[1:5] == [
        "const int way = 0;",
        "const bool minified = false;",
        "const int kind[2] = int[2](1, 0);",
        "const bool photo[2] = bool[2](false, false);",
    ]


def test_so_many_programs_are_kept_those_used_last(
    branches: "Branches", monkeypatch: pytest.MonkeyPatch
) -> None:
    from OpenGL import GL

    from wheatstone.viewer.display.screen.program import DecidedPrograms

    monkeypatch.setattr("wheatstone.viewer.display.screen.program.MOST_PROGRAMS", 2)
    programs = DecidedPrograms(("quad.vert", "image.frag"), lambda program: None)
    used, numbers = [], set()
    for way in (0, 2, 0, 4, 0, 4, 2):  # the number of one that was deleted may be given again
        used.append(programs.used(replace(branches, way=way)))
        numbers.add(int(GL.glGetIntegerv(GL.GL_CURRENT_PROGRAM)))
    assert [used.index(program) for program in used] == [0, 1, 0, 3, 0, 3, 6]
    GL.glUseProgram(0)  # one in use is deleted later
    assert sum(map(GL.glIsProgram, numbers)) == 2
    programs.close()
    assert not any(map(GL.glIsProgram, numbers))


def test_a_picture_that_is_minified_and_one_that_is_not_take_turns(display: Display) -> None:
    levels = np.arange(64, dtype=np.uint8).reshape(8, 8)
    display.upload_image("g", levels)
    seen = {}
    for turn in range(2):
        for size in (8, 4):
            display.draw(Picture((Pane("g"),)), size, size)
            seen[turn, size] = display.read()[..., 0]
    means = levels.reshape(4, 2, 4, 2).astype(int).sum((1, 3)) + 2 >> 2
    for turn in range(2):
        assert np.array_equal(seen[turn, 8], levels) and np.array_equal(seen[turn, 4], means)
