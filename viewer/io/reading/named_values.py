"""Reading of named values from files in many formats, such as calibrations.

``viewer.io.cameras.formats`` interprets the names.
"""

import json
import re
import sys
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from wheatstone.viewer.io.reading.documents import DEEPEST, located, parsed
from wheatstone.viewer.io.reading.line_text import (
    BEGINS_WITH_SECTION,
    COLMAP,
    OST,
    parse_lines,
    parse_matrix_and_baseline,
    parse_ost,
    parse_sections,
)
from wheatstone.viewer.io.reading.matrices import MATRIX, Value, matrix, number
from wheatstone.viewer.io.reading.places import Place
from wheatstone.viewer.io.reading.regular_files import MIB, in_units, read_regular
from wheatstone.viewer.io.reading.typed_values import WrongValue, shown

ROOT = "opencv_storage"
ITEM = "_"  # the name of those that have none: items of a list


@dataclass
class _Element:
    """An XML element that is not closed yet, with its content so far."""

    name: str
    kind: str
    line: int
    words: list[str] = field(default_factory=list)
    named: dict[str, Value] = field(default_factory=dict)
    items: list[Value] = field(default_factory=list)

    def add(self, name: str, value: Value) -> None:
        if name == ITEM:
            self.items.append(value)
        elif name in self.named:
            raise ValueError(f"{shown(repr(name))} stands there twice")
        else:
            self.named[name] = value

    def whole(self) -> Value:
        if self.kind == MATRIX:
            return matrix(self.named)
        if self.named:
            return self.named
        text = "".join(self.words).strip()
        words = text.split()
        numbers = [value for word in words if (value := number(word)) is not None]
        if self.items:
            return [*(numbers if len(numbers) == len(words) else words), *self.items]
        if not words or len(numbers) < len(words):
            return text.removeprefix('"').removesuffix('"')
        return numbers[0] if len(numbers) == 1 else list(numbers)


class _Builder:
    """The state of parsing XML: the open elements, and the value of the outermost element."""

    def __init__(self) -> None:
        self._way: list[_Element] = []
        self._value: Value = ""
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._begin
        self._parser.CharacterDataHandler = self._text
        self._parser.EndElementHandler = self._end

    def built(self, text: str) -> Value:
        try:
            self._parser.Parse(text.encode(), True)
        except expat.ExpatError as error:
            why = expat.ErrorString(error.code)
            raise ValueError(f"no XML: {why} (line {error.lineno})") from None
        except ValueError as error:
            raise ValueError(f"{error} (line {self._line})") from None
        return self._value

    def _doctype(self, *declaration: Any) -> None:
        self._line = self._parser.CurrentLineNumber
        raise ValueError("a document type (<!DOCTYPE) is not read; remove it")

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._line = self._parser.CurrentLineNumber
        if not self._way and name != ROOT:
            raise ValueError(f"no XML of OpenCV: begins with {shown(repr(name))}, not {ROOT}")
        if len(self._way) == DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} deep")
        self._way.append(_Element(name, attributes.get("type_id", ""), self._line))

    def _text(self, words: str) -> None:
        self._way[-1].words.append(words)

    def _end(self, name: str) -> None:
        element = self._way.pop()
        self._line = element.line
        value = element.whole()
        if self._way:
            self._way[-1].add(name, value)
        else:
            self._value = value


LARGEST = MIB
"""Maximum bytes of a file, also after unpacking."""
GZIP = b"\x1f\x8b"
YAML_SUFFIXES = (".yml", ".yaml")
BARE_POINT = re.compile(r'"(?:\\.|[^"\\])*+"?|(?<=\d)\.(?=[\s,\]}])')


def read_named_values(path: Path) -> dict[str, Value]:
    """Read the named values of a file: numbers, texts, matrices, and lists and tables of these.

    YAML, XML and JSON are recognised by their beginnings, YAML also by its suffix; a file that
    begins with ``[NAME]`` has sections of lines, each of which becomes a table; ROS's ``ost.txt``
    and FoundationStereo's ``K.txt`` have forms of their own; any other file has lines of
    ``name=value`` or ``name: value``. Files may be compressed by gzip, as by OpenCV.

    Raises:
        OSError: the file is no regular file, or cannot be read.
        ValueError: the file is too large, or damaged; the message names file and line.
    """
    try:
        text = _text(path)
        values = _parsed(path, text)
        if not isinstance(values, dict):
            raise ValueError("no names with values")
    except ValueError as error:
        message = str(error)
        raise ValueError(
            message if message.startswith(f"{path}: ") else f"{path}: {message}"
        ) from None
    return values


def _text(path: Path) -> str:
    encoded = read_regular(path, LARGEST, "give a calibration")
    if encoded.startswith(GZIP):
        encoded = _unpacked(encoded)
    return encoded.decode("utf-8-sig", errors="replace")  # words may be in any encoding


def _unpacked(encoded: bytes) -> bytes:
    unpacking = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        content = unpacking.decompress(encoded, LARGEST + 1)
    except zlib.error as error:
        raise ValueError(f"damaged gzip ({error})") from None
    if len(content) > LARGEST:
        raise ValueError(f"larger than {in_units(LARGEST)} unpacked, the most that is read")
    if not unpacking.eof:
        raise ValueError("truncated gzip")
    return content


def _parsed(path: Path, text: str) -> Value:
    begin = text[:1000].lstrip()
    if begin.startswith("{"):
        return _json(text)
    if begin.startswith("<"):
        return _Builder().built(text)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    name = [suffix for suffix in suffixes if suffix != ".gz"][-1:]
    if begin.startswith("%YAML") or (name and name[0] in YAML_SUFFIXES):
        from wheatstone.viewer.io.reading.yaml_text import parse_yaml  # takes long to import

        return parse_yaml(text)
    if begin.startswith(COLMAP):
        raise ValueError("COLMAP's list of cameras is not read: it does not say where they stand")
    if begin.startswith(f"# {OST} "):
        return parse_ost(text)
    if BEGINS_WITH_SECTION.match(text[:1000]):
        return parse_sections(text)
    return parse_matrix_and_baseline(begin) or dict(parse_lines(text))


def _json(text: str) -> Value:
    # Some versions of OpenCV write 1. for 1.0, which is no JSON.
    text = BARE_POINT.sub(lambda match: ".0" if match[0] == "." else match[0], text)
    try:
        return _plain(parsed(text, "JSON"), ())
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error.msg} (line {error.lineno})") from None
    except ValueError as error:
        raise located(error, text, "JSON") from None


def _plain(value: Any, place: Place) -> Value:
    """Convert JSON data: all numbers to floats, and OpenCV's matrices to arrays."""
    if isinstance(value, list):
        return [_plain(item, (*place, number)) for number, item in enumerate(value)]
    if isinstance(value, dict):
        values = {name: _plain(item, (*place, name)) for name, item in value.items()}
        return _matrix(values, place) if value.get("type_id") == MATRIX else values
    if isinstance(value, int | float):
        if abs(value) > sys.float_info.max:
            raise WrongValue(f"{shown(str(value))} is too large", place)
        return float(value)
    return "null" if value is None else str(value)


def _matrix(description: dict[str, Value], place: Place) -> Value:
    try:
        return matrix(description)
    except ValueError as error:
        raise WrongValue(str(error), place) from None
