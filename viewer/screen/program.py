"""Shader programs, compiled from the files in ``shaders``.

Import after OpenGL is bound.
"""

import re

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from viewer.resources import SHADERS

Uniform = bool | int | float | tuple[int, ...] | NDArray[np.float64]


class ShaderProgram:
    """A vertex and a fragment shader, compiled and linked.

    Args:
        vertex, fragment: names of files in ``shaders``.

    Raises:
        RuntimeError: the shaders do not compile or link; the message shows file, line and source.
    """

    def __init__(self, vertex: str, fragment: str) -> None:
        self._program = GL.glCreateProgram()
        stages = ((vertex, GL.GL_VERTEX_SHADER), (fragment, GL.GL_FRAGMENT_SHADER))
        shaders = [_compiled(name, stage) for name, stage in stages]
        for shader in shaders:
            GL.glAttachShader(self._program, shader)
        GL.glLinkProgram(self._program)
        for shader in shaders:
            GL.glDeleteShader(shader)
        if not GL.glGetProgramiv(self._program, GL.GL_LINK_STATUS):
            log = _text(GL.glGetProgramInfoLog(self._program))
            raise RuntimeError(f"shaders {vertex} and {fragment} do not link: {log}")
        self._locations: dict[str, int] = {}

    def use(self) -> None:
        """Let the draw calls that follow use this program."""
        GL.glUseProgram(self._program)

    def set(self, name: str, value: Uniform) -> None:
        """Set a uniform of the program, which must be in use.

        A tuple is an integer vector, an array of (4, 4) a matrix.
        """
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

    def close(self) -> None:
        """Delete the program."""
        GL.glDeleteProgram(self._program)


def _compiled(name: str, stage: int) -> int:
    """Compile a shader file, and return OpenGL's number of the shader."""
    source = (SHADERS / name).read_text()
    shader: int = GL.glCreateShader(stage)
    GL.glShaderSource(shader, source)
    GL.glCompileShader(shader)
    if not GL.glGetShaderiv(shader, GL.GL_COMPILE_STATUS):
        raise RuntimeError(explain(name, source, _text(GL.glGetShaderInfoLog(shader))))
    return shader


def explain(name: str, source: str, log: str) -> str:
    """Write a compiler's log with the file's name, and under each complaint the line concerned."""
    lines = source.splitlines()
    explained = []
    for complaint in log.strip().splitlines():
        # Mesa writes "0:12(5): error", NVIDIA "0(12) : error".
        found = re.match(r"\s*(?:ERROR: )?\d+[:(](\d+)", complaint)
        number = int(found[1]) if found else 0
        explained.append(f"{name}:{number}: {complaint}" if number else complaint)
        if 0 < number <= len(lines):
            explained.append(f"    {lines[number - 1].strip()}")
    return f"shader {name} does not compile:\n" + "\n".join(explained)


def _text(log: bytes | str) -> str:
    """Decode a log, which PyOpenGL returns as bytes or as text."""
    return log.decode(errors="replace") if isinstance(log, bytes) else log
