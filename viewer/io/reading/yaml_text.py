"""Parsing of YAML to plain data, without aliases and objects, and with limited depth.

Only the events of PyYAML's parser are used, not its conversion of values, such as ``010`` to 8 or
``1:30`` to 90: a word in OpenCV's format of numbers is a number, any other word a text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from wheatstone.viewer.io.reading.documents import DEEPEST
from wheatstone.viewer.io.reading.matrices import MATRIX, Value, matrix, number
from wheatstone.viewer.io.reading.typed_values import shown

LOADER: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
LARGEST = (256 if yaml.__with_libyaml__ else 32) * 1024
"""Maximum characters, parsed within two seconds: PyYAML without its C library is slow."""
TOO_DEEP = f"nested more than {DEEPEST} deep"
MATRIX_TAG = f"tag:yaml.org,2002:{MATRIX}"  # !!opencv-matrix

UNSPACED = re.compile(r"^(\s*[A-Za-z_][\w.]*):(?=[-+.\d\[\"'!])", re.ASCII)
"""A name whose value follows without a space, which OpenCV reads and YAML does not know."""


@dataclass
class _Table:
    """A table that is not closed yet; ``key`` waits for its value."""

    tag: str | None
    line: int
    items: dict[str, Value] = field(default_factory=dict)
    key: str | None = None

    def add(self, value: Value) -> None:
        if self.key is None:
            raise ValueError("a key must be a word")
        self.items[self.key], self.key = value, None

    def begin(self, key: str) -> None:
        if key in self.items:
            raise ValueError(f"{shown(repr(key))} stands there twice")
        self.key = key

    def whole(self) -> Value:
        return matrix(self.items) if self.tag == MATRIX_TAG else self.items


@dataclass
class _List:
    """A list that is not closed yet."""

    line: int
    items: list[Value] = field(default_factory=list)

    def add(self, value: Value) -> None:
        self.items.append(value)

    def whole(self) -> Value:
        return self.items


def parse_yaml(text: str) -> Value:
    """Parse a text in YAML, also in OpenCV's dialect with ``%YAML:1.0`` as first line.

    Raises:
        ValueError: the text is damaged, or has features that no calibration needs; the message
            names the line.
    """
    if len(text) > LARGEST:
        raise ValueError(f"YAML larger than {LARGEST // 1024} KiB, the most that is read")
    lines = text.rstrip().removesuffix("\n---").split("\n")  # as ROS ends each message
    for index, line in enumerate(lines):
        if line.startswith("%YAML"):
            lines[index] = ""
            break
    _refuse_directives(lines)
    lines = [UNSPACED.sub(r"\1: ", line) for line in lines]
    try:
        return _built(yaml.parse("\n".join(lines), Loader=LOADER))
    except yaml.YAMLError as error:
        raise ValueError(_message(error)) from None


def _refuse_directives(lines: list[str]) -> None:
    """Raise ``ValueError`` for a directive: many slow the parser down, and they are not needed."""
    for index, line in enumerate(lines, 1):
        if line.startswith("%"):
            raise ValueError(f"no directives but %YAML are read (line {index})")


def _built(events: Iterator[Any]) -> Value:
    """Build plain data from a parser's events, which contain line numbers."""
    documents: list[Value] = []
    way: list[_Table | _List] = []
    for event in events:
        line = event.start_mark.line + 1
        try:
            if isinstance(event, yaml.CollectionEndEvent):
                line = way[-1].line
                _put(way.pop().whole(), way, documents)
            else:
                _take(event, line, way, documents)
        except ValueError as error:
            raise ValueError(f"{error} (line {line})") from None
    return documents[0] if documents else ""


def _take(event: Any, line: int, way: list[_Table | _List], documents: list[Value]) -> None:
    """Process an event that is not an end: a word, or the beginning of a table or list."""
    if isinstance(event, yaml.ScalarEvent):
        inner = way[-1] if way else None
        if isinstance(inner, _Table) and inner.key is None:
            inner.begin(event.value)
        else:
            _put(_word(event), way, documents)
    elif isinstance(event, yaml.AliasEvent):
        raise ValueError("aliases (*) are not read")
    elif isinstance(event, yaml.CollectionStartEvent):
        if len(way) == DEEPEST:
            raise ValueError(TOO_DEEP)
        table = isinstance(event, yaml.MappingStartEvent)
        way.append(_Table(event.tag, line) if table else _List(line))
    elif isinstance(event, yaml.DocumentStartEvent) and documents:
        raise ValueError("only one document is read")


def _put(value: Value, way: list[_Table | _List], documents: list[Value]) -> None:
    if way:
        way[-1].add(value)
    else:
        documents.append(value)


def _word(event: Any) -> Value:
    plain = event.implicit[0]  # neither quoted nor tagged
    value = number(event.value) if plain else None
    return event.value if value is None else value


def _message(error: yaml.YAMLError) -> str:
    """Return the error of a parser in one line."""
    mark = getattr(error, "problem_mark", None)
    why = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    # libyaml from 0.2.6 on reads brackets ahead, and itself ends at 1000 that are open.
    message = TOO_DEEP if why == "exceeded maximum nesting depth" else f"no YAML: {why}"
    return message + (f" (line {mark.line + 1})" if mark else "")
