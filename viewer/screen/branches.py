"""What decides the way through the display shader, and its programs with that as constants.

Import after OpenGL is bound.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property

from wheatstone.viewer.screen.program import ShaderProgram

MOST_PROGRAMS = 48  # kept; of the others the one unused for longest is deleted


@dataclass(frozen=True)
class Branches:
    """Hold what decides the way through ``shaders/image.glsl``, where each is described.

    A pair is of the first and the second image; of one alone, the second's are as if absent.
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
        """List the uniforms of a program that is to decide while it runs."""
        return tuple(self._uniforms())

    def _uniforms(self) -> Iterator[tuple[str, int]]:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, tuple):
                yield from ((f"{field.name}[{image}]", value[image]) for image in range(2))
            else:
                yield field.name, value

    def constants(self) -> str:
        """Write what stands in their place in a program for which all is decided."""
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
    """Give a program for each way through the display shader, compiled when it is gone first.

    Args:
        names: the shaders' files.
        begin: sets what stays as it is; the program is in use.
    """

    def __init__(self, names: tuple[str, ...], begin: Callable[[ShaderProgram], None]) -> None:
        self._names, self._begin = names, begin
        self._programs: dict[Branches, ShaderProgram] = {}

    def used(self, branches: Branches) -> ShaderProgram:
        """Use the program of a way, and return it."""
        program = self._programs.pop(branches, None)
        if program:
            program.use()
        else:
            program = self._made(branches)
        self._programs[branches] = program
        return program

    def _made(self, branches: Branches) -> ShaderProgram:
        """Compile the program of a way; of too many the one unused for longest goes."""
        if len(self._programs) >= MOST_PROGRAMS:
            self._programs.pop(next(iter(self._programs))).close()
        program = ShaderProgram(*self._names, constants=branches.constants())
        program.use()
        self._begin(program)
        return program

    def close(self) -> None:
        """Delete the programs."""
        for program in self._programs.values():
            program.close()
        self._programs.clear()


class DecidingProgram:
    """Give one program for all ways, which decides while it runs.

    Args:
        names: the shaders' files.
        begin: as of ``DecidedPrograms``.
    """

    def __init__(self, names: tuple[str, ...], begin: Callable[[ShaderProgram], None]) -> None:
        self._program = ShaderProgram(*names)
        self._program.use()
        begin(self._program)

    def used(self, branches: Branches) -> ShaderProgram:
        """Use the program for a way, and return it."""
        self._program.use()
        for name, value in branches.uniforms:
            self._program.set(name, value)
        return self._program

    def close(self) -> None:
        """Delete the program."""
        self._program.close()
