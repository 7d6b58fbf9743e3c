"""Search for the line of a value in a document, for error messages."""

import json
import re
from collections.abc import Iterator, Sequence

Place = tuple[str | int, ...]
"""The path to a value in a document: keys of tables, numbers of items in lists."""

JSON_TOKEN = re.compile(r'"(?:\\.?|[^"\\])*+"?|[][{}:,]|[^][{}:,\s"]+')
TOML_TOKEN = re.compile(r"""[ \t]*(?:([\w-]+|"[^"\n]*"|'[^'\n]*')|([.=\]]))""")
"""A part of a key, or the mark after a part."""


def line_of(place: Sequence[str | int], text: str, form: str) -> int | None:
    """Return the number of the line, from 1, of a value or of the innermost table around it.

    Args:
        form: ``TOML`` or ``JSON``.

    Returns:
        None if neither the value nor any table around it is in the text.
    """
    wanted, best, best_line = tuple(place), 0, None
    for line, here in (_toml if form == "TOML" else _json)(text, len(wanted)):
        if len(here) > best and wanted[: len(here)] == here:
            best, best_line = len(here), line
            if here == wanted:
                break
    return best_line


def _json(text: str, longest: int) -> Iterator[tuple[int, Place]]:
    """Yield line and path (keys and indices) of every value in a JSON text, to a limited depth."""
    line, seen = 1, 0
    way: list[str | int] = []  # in each list or table that is open: where in it
    name: str | None = None
    for token in JSON_TOKEN.finditer(text):
        line, seen = line + text.count("\n", seen, token.start()), token.start()
        mark = token[0]
        if mark == "," and way and isinstance(way[-1], int):
            way[-1] += 1
        elif mark == ":" and way and name is not None:
            way[-1] = name
        elif mark in "]}":
            del way[-1:]
        elif mark not in ",:":
            if len(way) <= longest:
                yield line, tuple(way)
            name = _unquoted(mark) if mark[0] == '"' else None
            if mark in "[{":
                way.append(0 if mark == "[" else "")


def _unquoted(token: str) -> str:
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        return token


def _toml(text: str, longest: int) -> Iterator[tuple[int, Place]]:
    """Yield line and path (keys and indices) of every table and key that begins a line of TOML.

    Args:
        longest: maximum parts of a key; a longer key cannot be the wanted one.
    """
    table: Place = ()
    counts: dict[Place, int] = {}
    for line, line_text in enumerate(text.split("\n"), 1):
        line_text = line_text.lstrip(" \t")
        brackets = len(line_text[:2]) - len(line_text[:2].lstrip("["))
        parts, end = _key(line_text, brackets, longest)
        if brackets and end == "]":
            table = _within(parts, counts)
            if brackets == 2:
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            yield line, table
        elif parts and end == "=" and not brackets:
            yield line, (*table, *parts)


def _key(line: str, at: int, longest: int) -> tuple[Place, str]:
    """Parse the TOML key that begins at ``at`` in a line; return its parts and the next mark."""
    parts: list[str] = []
    while token := TOML_TOKEN.match(line, at):
        at, (part, mark) = token.end(), token.groups()
        if part and len(parts) <= longest:
            parts.append(part.strip("\"'"))
        elif mark != "." and not part:
            return tuple(parts), mark
    return (), ""


def _within(parts: Place, counts: dict[Place, int]) -> Place:
    """Insert the current index after each list of tables in the path that a TOML header names."""
    place: Place = ()
    for number, part in enumerate(parts, 1):
        place = (*place, part)
        if number < len(parts) and place in counts:
            place = (*place, counts[place])
    return place
