"""Shader programs, compiled from the files in ``shaders``."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from wheatstone.viewer.resources import SHADERS

Uniform = bool | int | float | tuple[int, ...] | NDArray[np.float64]


STAGES = {
    ".vert": GL.GL_VERTEX_SHADER,
    ".frag": GL.GL_FRAGMENT_SHADER,
    ".comp": GL.GL_COMPUTE_SHADER,
}
"""The kind of a shader, by its file's suffix."""
INCLUDE = re.compile(r'#include "([\w.]+)"')
_GROUP = (32, 8)  # pixels of a work group, as in the shaders
MOST_PROGRAMS = 48  # kept; of the others the one unused for longest is deleted


class ShaderProgram:
    """A linked shader program: a vertex and a fragment shader, or one compute shader.

    Args:
        names: files in ``shaders``. Lines ``#include "FILE"`` are replaced by the named files.
        constants: lines inserted into the last file after its first line, which has the version.

    Raises:
        RuntimeError: the shaders do not compile or link; the message shows file, line and source.
    """

    def __init__(self, *names: str, constants: str = "") -> None:
        self._program = GL.glCreateProgram()
        shaders = [_compiled(name, constants if name == names[-1] else "") for name in names]
        for shader in shaders:
            GL.glAttachShader(self._program, shader)
        GL.glLinkProgram(self._program)
        for shader in shaders:
            GL.glDeleteShader(shader)
        if not GL.glGetProgramiv(self._program, GL.GL_LINK_STATUS):
            log = _text(GL.glGetProgramInfoLog(self._program))
            raise RuntimeError(f"shaders {' and '.join(names)} do not link: {log}")
        self._locations: dict[str, int] = {}
        self._values: dict[str, Uniform] = {}  # set last, which the program keeps

    def use(self) -> None:
        """Use this program for the following draw calls."""
        GL.glUseProgram(self._program)

    def set(self, name: str, value: Uniform) -> None:
        """Set a uniform of the program, which must be in use.

        A tuple is an integer vector, an array of (4, 4) a matrix.
        """
        if not isinstance(value, np.ndarray):
            if self._values.get(name) == value:
                return
            self._values[name] = value
        if name not in self._locations:
            self._locations[name] = GL.glGetUniformLocation(self._program, name)
        location = self._locations[name]
        if isinstance(value, tuple):
            (GL.glUniform4i if len(value) == 4 else GL.glUniform3ui)(location, *value)
        elif isinstance(value, np.ndarray):
            GL.glUniformMatrix4fv(location, 1, True, value.astype(np.float32))
        elif isinstance(value, float):
            GL.glUniform1f(location, value)
        else:
            GL.glUniform1i(location, int(value))

    def set_all(self, **values: Uniform) -> None:
        """Set several uniforms of the program, which must be in use, by their names."""
        for name, value in values.items():
            self.set(name, value)

    def close(self) -> None:
        if GL.glGetIntegerv(GL.GL_CURRENT_PROGRAM) == self._program:
            GL.glUseProgram(0)  # Dear ImGui restores the program in use, which must exist
        GL.glDeleteProgram(self._program)


@dataclass(frozen=True)
class ShaderLine:
    """A line of a shader and its origin: the file and line number."""

    file: str
    number: int
    text: str


def source_lines(name: str) -> list[ShaderLine]:
    """Read a shader file, with the lines of the files that it includes."""
    lines: list[ShaderLine] = []
    for number, text in enumerate((SHADERS / name).read_text().splitlines(), 1):
        included = INCLUDE.fullmatch(text)
        lines += source_lines(included[1]) if included else [ShaderLine(name, number, text)]
    return lines


def _compiled(name: str, constants: str) -> int:
    lines = source_lines(name)
    given = enumerate(constants.splitlines(), 1)
    lines[1:1] = [ShaderLine("constants", number, text) for number, text in given]
    shader: int = GL.glCreateShader(STAGES[Path(name).suffix])
    GL.glShaderSource(shader, "\n".join(line.text for line in lines) + "\n")
    GL.glCompileShader(shader)
    if not GL.glGetShaderiv(shader, GL.GL_COMPILE_STATUS):
        raise RuntimeError(explain(name, lines, _text(GL.glGetShaderInfoLog(shader))))
    return shader


def explain(name: str, lines: Sequence[ShaderLine], log: str) -> str:
    """Format a compiler's log with file names, and the source line below each error."""
    explained = []
    for complaint in log.strip().splitlines():
        # Mesa writes "0:12(5): error", NVIDIA "0(12) : error".
        match = re.match(r"\s*(?:ERROR: )?\d+[:(](\d+)", complaint)
        number = int(match[1]) if match else 0
        if 0 < number <= len(lines):
            line = lines[number - 1]
            explained += [f"{line.file}:{line.number}: {complaint}", f"    {line.text.strip()}"]
        else:
            explained.append(f"{name}:{number}: {complaint}" if number else complaint)
    return f"shader {name} does not compile:\n" + "\n".join(explained)


def _text(log: bytes | str) -> str:
    return log.decode(errors="replace") if isinstance(log, bytes) else log


def dispatch(width: int, height: int, seen_by: int) -> None:
    """Run the compute shader in use for every pixel of an area.

    Args:
        seen_by: bits of ``glMemoryBarrier`` for the later readers of the output.
    """
    across, down = _GROUP
    GL.glDispatchCompute(-(-width // across), -(-height // down), 1)
    GL.glMemoryBarrier(seen_by)


@dataclass(frozen=True)
class Branches:
    """The values that select the branches in ``shaders/image.glsl``, where each is described.

    A pair belongs to both images; without a second one, its value is that of an absent image.
    """

    way: int
    minified: bool
    kind: tuple[int, int]
    photo: tuple[bool, bool]
    has_invalid: tuple[bool, bool]
    has_overlay: tuple[bool, bool]
    has_truth: tuple[bool, bool]
    hatches: tuple[bool, bool]

    @cached_property
    def uniforms(self) -> tuple[tuple[str, int], ...]:
        """The uniforms that select the branches at run time, by name."""
        return tuple(self._uniforms())

    def _uniforms(self) -> Iterator[tuple[str, int]]:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, tuple):
                yield from ((f"{field.name}[{image}]", value[image]) for image in range(2))
            else:
                yield field.name, value

    def constants(self) -> str:
        """Return the GLSL constants that select the branches when a program is compiled."""
        lines = ["#define BRANCHES_KNOWN"]
        for field in fields(self):
            value = getattr(self, field.name)
            pair = value if isinstance(value, tuple) else (value,)
            kind = "bool" if isinstance(pair[0], bool) else "int"
            words = ", ".join(str(each).lower() for each in pair)
            if isinstance(value, tuple):
                lines.append(f"const {kind} {field.name}[2] = {kind}[2]({words});")
            else:
                lines.append(f"const {kind} {field.name} = {words};")
        return "\n".join(lines)


class DecidedPrograms:
    """A cache of shader programs, one compiled for each set of branches when first used.

    Args:
        begin: sets the uniforms that never change; the program is in use.
    """

    def __init__(self, names: tuple[str, ...], begin: Callable[[ShaderProgram], None]) -> None:
        self._names, self._begin = names, begin
        self._programs: dict[Branches, ShaderProgram] = {}

    def used(self, branches: Branches) -> ShaderProgram:
        """Activate the program for a set of branches, and return it."""
        program = self._programs.pop(branches, None)
        if program:
            program.use()
        else:
            program = self._made(branches)
        self._programs[branches] = program
        return program

    def _made(self, branches: Branches) -> ShaderProgram:
        if len(self._programs) >= MOST_PROGRAMS:
            self._programs.pop(next(iter(self._programs))).close()
        program = ShaderProgram(*self._names, constants=branches.constants())
        program.use()
        self._begin(program)
        return program

    def close(self) -> None:
        for program in self._programs.values():
            program.close()
        self._programs.clear()


class DecidingProgram:
    """A shader program with all branches, which uniforms select at run time."""

    def __init__(self, names: tuple[str, ...], begin: Callable[[ShaderProgram], None]) -> None:
        self._program = ShaderProgram(*names)
        self._program.use()
        begin(self._program)

    def used(self, branches: Branches) -> ShaderProgram:
        """Activate the program with a set of branches selected, and return it."""
        self._program.use()
        for name, value in branches.uniforms:
            self._program.set(name, value)
        return self._program

    def close(self) -> None:
        self._program.close()
