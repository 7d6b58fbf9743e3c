"""Find the line of a document where a value stands, to name the line in a message."""

import json
import re
from collections.abc import Iterator, Sequence

Place = tuple[str | int, ...]
"""The way to a value in a document: keys of tables, numbers of items in lists."""

JSON_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[][{}:,]|[^][{}:,\s"]+')
TOML_HEADER = re.compile(r"\s*(\[\[?)\s*([^]#\n]+?)\s*\]")
TOML_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"\n]*"|'[^'\n]*'|\s*\.\s*)+?)\s*=""")
TOML_PART = re.compile(r"""[\w-]+|"[^"\n]*"|'[^'\n]*'""")


def line_of(place: Sequence[str | int], text: str, form: str) -> int | None:
    """Find the line, counted from 1, of a value, or of the innermost table around it that is found.

    Args:
        form: ``TOML`` or ``JSON``.

    Returns:
        None where nothing on the way to the value is found.
    """
    wanted, best, found = tuple(place), 0, None
    for line, here in (_toml if form == "TOML" else _json)(text):
        if len(here) > best and wanted[: len(here)] == here:
            best, found = len(here), line
            if here == wanted:
                break
    return found


def _json(text: str) -> Iterator[tuple[int, Place]]:
    """Yield the line and the place of every value, in the order of the text."""
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
            yield line, tuple(way)
            name = _unquoted(mark) if mark[0] == '"' else None
            if mark in "[{":
                way.append(0 if mark == "[" else "")


def _unquoted(token: str) -> str:
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        return token


def _toml(text: str) -> Iterator[tuple[int, Place]]:
    """Yield the line and the place of every table and every key at the beginning of a line."""
    table: Place = ()
    counts: dict[Place, int] = {}
    for line, said in enumerate(text.split("\n"), 1):
        if header := TOML_HEADER.match(said):
            table = _within(_parts(header[2]), counts)
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            yield line, table
        elif key := TOML_KEY.match(said):
            yield line, (*table, *_parts(key[1]))


def _within(parts: Place, counts: dict[Place, int]) -> Place:
    """Complete a header's place by the number of the item, in each list of tables on its way."""
    found: Place = ()
    for number, part in enumerate(parts, 1):
        found = (*found, part)
        if number < len(parts) and found in counts:
            found = (*found, counts[found])
    return found


def _parts(key: str) -> Place:
    return tuple(part.strip("\"'") for part in TOML_PART.findall(key))
