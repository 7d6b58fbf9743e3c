"""Branch conditions of the display shader, and programs compiled with them as constants.

Import after OpenGL is bound.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property

from wheatstone.viewer.screen.program import ShaderProgram

MOST_PROGRAMS = 48  # kept; of the others the one unused for longest is deleted


@dataclass(frozen=True)
class Branches:
    """Hold the values that select the branches in ``shaders/image.glsl``, where each is described.

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
        """The uniforms of a program that chooses its branches at run time."""
        return tuple(self._uniforms())

    def _uniforms(self) -> Iterator[tuple[str, int]]:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, tuple):
                yield from ((f"{field.name}[{image}]", value[image]) for image in range(2))
            else:
                yield field.name, value

    def constants(self) -> str:
        """Write the constants that replace the uniforms in a program with fixed branches."""
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
    """Provide a program for each set of branches, compiled at its first use.

    Args:
        names: the shaders' files.
        begin: sets the uniforms that never change; the program is in use.
    """

    def __init__(self, names: tuple[str, ...], begin: Callable[[ShaderProgram], None]) -> None:
        self._names, self._begin = names, begin
        self._programs: dict[Branches, ShaderProgram] = {}

    def used(self, branches: Branches) -> ShaderProgram:
        """Use the program for a set of branches, and return it."""
        program = self._programs.pop(branches, None)
        if program:
            program.use()
        else:
            program = self._made(branches)
        self._programs[branches] = program
        return program

    def _made(self, branches: Branches) -> ShaderProgram:
        """Compile the program for a set of branches; delete the least recently used of too many."""
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
    """Provide one program for all branches, which chooses them at run time.

    Args:
        names: the shaders' files.
        begin: as for ``DecidedPrograms``.
    """

    def __init__(self, names: tuple[str, ...], begin: Callable[[ShaderProgram], None]) -> None:
        self._program = ShaderProgram(*names)
        self._program.use()
        begin(self._program)

    def used(self, branches: Branches) -> ShaderProgram:
        """Use the program for a set of branches, and return it."""
        self._program.use()
        for name, value in branches.uniforms:
            self._program.set(name, value)
        return self._program

    def close(self) -> None:
        """Delete the program."""
        self._program.close()
