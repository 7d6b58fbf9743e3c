"""Parsing of YAML to plain data, without aliases and objects, and with limited depth.

Only the events of PyYAML's parser are used, not its conversion of values, such as ``010`` to 8 or
``1:30`` to 90: a word in OpenCV's format of numbers is a number, any other word a text.
"""

import re
from collections.abc import Iterator
from itertools import takewhile
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
    """Raise ``ValueError`` for a directive other than ``%YAML``: many slow the parser down."""
    for index, line in enumerate(lines, 1):
        if line.startswith("%"):
            raise ValueError(f"no directives but %YAML are read (line {index})")


def _built(events: Iterator[Any]) -> Value:
    """Build plain data from the events of a YAML parser."""
    documents: list[Value] = []
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent) and documents:
            raise _at(event, "only one document is read")
        if isinstance(event, yaml.NodeEvent):
            documents.append(_value(event, events, 0))
    return documents[0] if documents else ""


def _value(event: Any, events: Iterator[Any], depth: int) -> Value:
    """Build the value that begins with an event and is nested ``depth`` deep."""
    if isinstance(event, yaml.AliasEvent):
        raise _at(event, "aliases (*) are not read")
    if isinstance(event, yaml.CollectionStartEvent) and depth == DEEPEST:
        raise _at(event, TOO_DEEP)
    if isinstance(event, yaml.SequenceStartEvent):
        return [_value(item, events, depth + 1) for item in _up_to_end(events)]
    try:
        if isinstance(event, yaml.ScalarEvent):
            value = number(event.value) if event.implicit[0] else None  # neither quoted nor tagged
            return event.value if value is None else value
        table = _table(events, depth + 1)
        return matrix(table) if event.tag == MATRIX_TAG else table
    except _Located:
        raise
    except ValueError as error:
        raise _at(event, error) from None


def _table(events: Iterator[Any], depth: int) -> dict[str, Value]:
    table: dict[str, Value] = {}
    for key in _up_to_end(events):
        if not isinstance(key, yaml.ScalarEvent):
            _value(key, events, depth)
            raise _at(key, "a key must be a word")
        if key.value in table:
            raise _at(key, f"{shown(repr(key.value))} stands there twice")
        table[key.value] = _value(next(events), events, depth)
    return table


def _up_to_end(events: Iterator[Any]) -> Iterator[Any]:
    """Yield the YAML parser's remaining events up to the end of a table or list."""
    return takewhile(lambda event: not isinstance(event, yaml.CollectionEndEvent), events)


class _Located(ValueError):
    """A YAML error whose message already states the line."""


def _at(event: Any, why: object) -> _Located:
    return _Located(f"{why} (line {event.start_mark.line + 1})")


def _message(error: yaml.YAMLError) -> str:
    """Return the error of a YAML parser in one line."""
    mark = getattr(error, "problem_mark", None)
    why = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    # libyaml from 0.2.6 on reads brackets ahead, and itself ends at 1000 that are open.
    message = TOO_DEEP if why == "exceeded maximum nesting depth" else f"no YAML: {why}"
    return message + (f" (line {mark.line + 1})" if mark else "")
