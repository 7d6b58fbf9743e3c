"""Lines of a name and what it stands for, as Middlebury, ETH3D and KITTI write calibrations."""

import re
from collections.abc import Iterator

from viewer.reading.matrices import Value, number, rows_of_numbers
from viewer.reading.typed_values import shown

LINE = re.compile(r"([\w.-]+)\s*[=:]\s*(.*)", re.ASCII | re.DOTALL)


def parse_lines(text: str) -> dict[str, Value]:
    """Parse lines of ``name=value`` or ``name: value``; other lines are left alone.

    A value is a number, several (a list), a matrix as ``[1 0; 0 1]``, which may take several
    lines, or else a text.

    Raises:
        ValueError: a name stands there twice, or a matrix is damaged; the message names the line.
    """
    found: dict[str, Value] = {}
    for line, name, said in _named(text):
        try:
            if name in found:
                raise ValueError(f"{shown(name)} stands there twice")
            found[name] = _matrix(said) if said.startswith("[") else _words(said)
        except ValueError as error:
            raise ValueError(f"{error} (line {line})") from None
    return found


def _named(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield each name with the number of its line and what follows, to the end of its brackets."""
    lines = enumerate(map(str.strip, text.split("\n")), 1)
    for number_of_line, line in lines:
        if not (named := LINE.match(line)):
            continue
        parts = [named[2]]
        if parts[0].startswith("["):
            while "]" not in parts[-1]:
                _, more = next(lines, (0, None))
                if more is None:
                    raise ValueError(
                        f"the bracket of {shown(named[1])} is never closed (line {number_of_line})"
                    )
                parts.append(more)
        yield number_of_line, named[1], " ".join(parts)


def _matrix(said: str) -> Value:
    rows = said[1 : said.index("]")].replace(",", " ").split(";")
    return rows_of_numbers([words for row in rows if (words := row.split())])


def _words(said: str) -> Value:
    numbers: list[Value] = []
    for word in said.split():
        found = number(word)
        if found is None:
            return said
        numbers.append(found)
    return numbers[0] if len(numbers) == 1 else numbers or said
