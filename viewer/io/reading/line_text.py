"""Parsing of ``name=value`` lines and sections, as in files of Middlebury, ETH3D, KITTI and ZED."""

import re
from collections.abc import Iterator

from wheatstone.viewer.io.reading.matrices import Value, number, rows_of_numbers
from wheatstone.viewer.io.reading.typed_values import shown

LINE = re.compile(r"([\w.-]+)\s*[=:]\s*(.*)", re.ASCII | re.DOTALL)
SECTION = re.compile(r"\[([\w.-]+)\]", re.ASCII)
COMMENT = re.compile(r"(?:^|\s)[#;].*")
BEGINS_WITH_SECTION = re.compile(
    rf"(?:\s|[#;].*\n|(?i:units?)[ \t]*[=:].*\n)*+{SECTION.pattern}\s*(?:\n|\Z)", re.ASCII
)
UNIT = re.compile(r"units?\s*[=:]\s*(\w+)", re.ASCII | re.IGNORECASE)
COLMAP = "# Camera list with one line of data per camera"
"""The beginning of COLMAP's ``cameras.txt``."""


def parse_lines(text: str) -> dict[str, Value]:
    """Parse lines of ``name=value`` or ``name: value``; ignore other lines.

    A value is a number, several (a list), a matrix as ``[1 0; 0 1]``, which may take several
    lines, or else a text.

    Raises:
        ValueError: a name occurs twice, or a matrix is damaged; the message names the line.
    """
    values: dict[str, Value] = {}
    for line, name, text_of_value in _named(text):
        try:
            _put(
                values,
                name,
                _matrix(text_of_value) if text_of_value.startswith("[") else _words(text_of_value),
            )
        except ValueError as error:
            raise ValueError(f"{error} (line {line})") from None
    return values


def parse_sections(text: str) -> dict[str, Value]:
    """Parse sections, each a line ``[NAME]`` and lines of ``name=value``, to nested tables.

    Text after ``#`` or ``;`` is a comment; names are converted to small letters. Lines before the
    first section belong to none.

    Raises:
        ValueError: a section, or a name in it, occurs twice; the message names the line.
    """
    sections: dict[str, Value] = {}
    section = sections
    for number_of_line, line in enumerate(text.split("\n"), 1):
        content = COMMENT.sub("", line).strip()
        header, named = SECTION.fullmatch(content), LINE.match(content)
        try:
            if header:
                section = {}
                _put(sections, header[1].lower(), section)
            elif named:
                _put(section, named[1].lower(), _words(named[2]))
        except ValueError as error:
            raise ValueError(f"{error} (line {number_of_line})") from None
    return sections


OST = "oST"
"""The first word of ROS's ``ost.txt``, and the name of the cameras that are read from it."""
OST_SECTION = re.compile(r"\[([\w./-]{1,200})\]", re.ASCII)
MOST_SECTIONS = 16
MATRIX_WORDS = 9


def parse_ost(text: str) -> dict[str, Value]:
    """Parse ROS's ``ost.txt``: the size and the matrices of each camera.

    Returns:
        A table for each camera, in a list named ``oST``: its names with one number, or a list.

    Raises:
        ValueError: it has no cameras, or too many.
    """
    cameras: list[Value] = []
    section: dict[str, Value] = {}
    values: list[Value] = []
    size: dict[str, Value] = {}
    for line in map(str.strip, text.split("\n")):
        header = OST_SECTION.fullmatch(line)
        if header and header[1] == "image":
            section = size = {}
        elif header:
            section = dict(size)
            cameras.append(section)
            if len(cameras) > MOST_SECTIONS:
                raise ValueError(f"more than {MOST_SECTIONS} cameras")
        elif line and not line.startswith("#"):
            named = _words(line)
            if isinstance(named, str):
                values = []
                section[line] = values
            else:
                values += named if isinstance(named, list) else [named]
    for camera in cameras:
        assert isinstance(camera, dict)
        for name, listed in camera.items():
            if isinstance(listed, list) and len(listed) == 1:
                camera[name] = listed[0]
    if not cameras:
        raise ValueError(f"{OST} without cameras")
    return {OST: cameras}


def parse_matrix_and_baseline(begin: str) -> dict[str, Value] | None:
    """Parse FoundationStereo's ``K.txt``: a line with a 3x3 matrix, then one with the baseline.

    A line such as ``unit: mm`` may follow.

    Args:
        begin: the first characters of the file.

    Returns:
        ``K``, ``baseline`` and ``unit``; None if the file has another form.
    """
    first = [line.strip() for line in begin.splitlines()[:5]]
    units = [unit[1] for line in first if (unit := UNIT.fullmatch(line))]
    lines = [words for line in first if (words := line.split()) and not UNIT.fullmatch(line)]
    if [len(words) for words in lines] != [MATRIX_WORDS, 1]:
        return None
    rows = [[number(word) for word in words] for words in lines]
    if any(one is None for words in rows for one in words):
        return None
    values = {"K": [*rows[0]], "baseline": rows[1][0]}
    return {**values, **({"unit": units[0]} if units else {})}  # type: ignore[dict-item]


def _put(values: dict[str, Value], name: str, value: Value) -> None:
    if name in values:
        raise ValueError(f"{shown(name)} stands there twice")
    values[name] = value


def _named(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, name and value of each entry; values in brackets may span lines."""
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


def _matrix(text: str) -> Value:
    rows = text[1 : text.index("]")].replace(",", " ").split(";")
    return rows_of_numbers([words for row in rows if (words := row.split())])


def _words(text: str) -> Value:
    numbers: list[Value] = []
    for word in text.split():
        value = number(word)
        if value is None:
            return text
        numbers.append(value)
    return numbers[0] if len(numbers) == 1 else numbers or text
