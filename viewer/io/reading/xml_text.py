"""Parsing of OpenCV's XML to plain data: elements with words or elements in ``opencv_storage``.

It uses Expat, Python's own parser. A document type is refused at its beginning, so entities cannot
be declared: nothing external is fetched, and no text is expanded.
"""

from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from wheatstone.viewer.io.reading.documents import DEEPEST
from wheatstone.viewer.io.reading.matrices import MATRIX, Value, matrix, number
from wheatstone.viewer.io.reading.typed_values import shown

ROOT = "opencv_storage"
ITEM = "_"  # the name of those that have none: items of a list


@dataclass
class _Element:
    """An element that is not closed yet."""

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


def parse_xml(text: str) -> Value:
    """Parse a text in OpenCV's XML.

    Raises:
        ValueError: the text is damaged or has another format; the message names the line.
    """
    return _Builder().built(text)


class _Builder:
    """The state of parsing: open elements, and the value of the outermost after its end."""

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
