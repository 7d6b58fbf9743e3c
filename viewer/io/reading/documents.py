"""Reading of TOML and JSON documents as declared types, with limits of size and depth."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any, Literal, TypeVar

from wheatstone.viewer.io.reading.places import line_of
from wheatstone.viewer.io.reading.regular_files import MIB, read_regular
from wheatstone.viewer.io.reading.typed_values import WrongValue, shown, typed

T = TypeVar("T")
Format = Literal["TOML", "JSON"]
LARGEST = MIB
"""Maximum bytes of a document that people write."""
LARGEST_RECORD = 64 * MIB
"""Maximum bytes of a document that the program wrote: results, reports, journals."""
DEEPEST = 32
"""Maximum nesting of tables and lists."""
TOKENS: dict[Format, re.Pattern[str]] = {
    "TOML": re.compile(
        r'"""(?:\\.?|[^\\])*?(?:"""|\Z)'
        r"|'''.*?(?:'''|\Z)"
        r'|"(?:\\.|[^"\\\n])*+"?'
        r"|'[^'\n]*'?"
        r"|#[^\n]*"
        r"|[][{},=\n.]",
        re.DOTALL,
    ),
    "JSON": re.compile(r'"(?:\\.?|[^"\\])*+"?|[][{},=\n.]', re.DOTALL),
}
"""Brackets and punctuation, and tokens in which brackets have no meaning: strings, also those
without an end, and comments."""


def read_document(path: Path, kind: type[T], *, largest: int = LARGEST) -> T:
    """Read a document as a declared type, from TOML if the suffix is ``.toml``, else from JSON.

    Args:
        kind: a dataclass, a ``TypedDict``, or another type known to ``typed``.
        largest: maximum bytes of the file.

    Raises:
        OSError: the file is no regular file, or cannot be read.
        ValueError: the file is too large, nested too deeply, damaged, or has another type; the
            message names file and line.
    """
    text = read_text(path, largest)
    try:
        return typed_text(text, form_of(path), kind)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def form_of(path: Path) -> Format:
    """Return the format of a document, TOML or JSON, by its suffix."""
    return "TOML" if path.suffix.lower() == ".toml" else "JSON"


def read_text(path: Path, largest: int = LARGEST) -> str:
    """Read a text file in UTF-8, up to a maximum size.

    Raises:
        OSError: the file is no regular file, or cannot be read.
        ValueError: it is too large, empty, or not in UTF-8; the message names the file.
    """
    encoded = read_regular(path, largest)
    try:
        return encoded.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = encoded.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}: not in UTF-8 (line {line}: {error.reason})") from None


def typed_text(text: str, form: Format, kind: type[T]) -> T:
    """Parse the text of a document, and convert it to a declared type.

    Raises:
        ValueError: the text is not of this type; the message names the line.
    """
    content = parsed(text, form)
    try:
        return typed(kind, content, "")  # type: ignore[no-any-return]
    except ValueError as error:
        raise located(error, text, form) from error


def parsed(text: str, form: Format) -> Any:
    """Parse the text of a TOML or JSON document into plain data.

    Raises:
        ValueError: the text is damaged, or nested more than ``DEEPEST`` deep; the message names
            the line.
    """
    _check_brackets(text, form)
    if form == "JSON":
        return json.loads(text, parse_constant=_no_number, object_pairs_hook=_table)
    content = tomllib.loads(text)
    _check_depth(content)
    return content


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a table from keys and values; raise ``ValueError`` if a key occurs twice."""
    table = dict(pairs)
    if len(table) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"{shown(repr(twice))} stands twice in a table")
    return table


def located(error: ValueError, text: str, form: Format) -> ValueError:
    """Add the line number in the document to an error, if the error is about one of its values."""
    cause: BaseException | None = error
    while cause and not isinstance(cause, WrongValue):
        cause = cause.__cause__
    line = line_of(cause.place, text, form) if isinstance(cause, WrongValue) else None
    return ValueError(f"{error} (line {line})" if line else str(error))


def _check_brackets(text: str, form: Format) -> None:
    """Raise ``ValueError`` if brackets, or the dots of a key, are nested too deeply.

    Call it before parsing, because parsers are recursive.
    """
    depth = dots = 0
    for token in TOKENS[form].finditer(text):
        mark = token[0]
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
        dots = dots + 1 if mark == "." else dots if mark[0] in "\"'" else 0
        if max(depth, dots if form == "TOML" else 0) > DEEPEST:
            line = text.count("\n", 0, token.start()) + 1
            raise ValueError(f"nested more than {DEEPEST} deep (line {line})")


def _check_depth(table: dict[str, Any]) -> None:
    """Raise ``ValueError`` if tables are nested too deeply, for example by dots in keys."""
    level: list[Any] = [table]
    for _ in range(DEEPEST):
        inner = (item.values() if isinstance(item, dict) else item for item in level)
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
    if level:
        raise ValueError(f"nested more than {DEEPEST} deep")
