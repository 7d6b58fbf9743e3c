"""Splitting of source code into coloured lines: whole files, or the code that a function uses."""

import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

Language = Literal["cuda", "python"]
Kind = Literal["text", "keyword", "builtin", "string", "comment", "directive"]

_CPP = (
    "auto bool break case char class const constexpr continue default do double else enum false "
    "float for if inline int long namespace operator return short signed sizeof static struct "
    "switch template true typedef typename union unsigned using void volatile while"
).split()
_BUILTIN = r"__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize|[a-z]+\d+_t|cudaTextureObject_t"
_TOKENS: Mapping[Language, re.Pattern[str]] = {
    "cuda": re.compile(
        r"(?P<comment>//[^\n]*|/\*.*?\*/)"
        r'|(?P<string>"(?:\\.|[^"\\\n])*"|\b\d[\w.]*)'
        r"|(?P<directive>^[ \t]*#[ \t]*\w+)"
        rf"|(?P<builtin>\b(?:{_BUILTIN})\b)"
        rf"|(?P<keyword>\b(?:{'|'.join(_CPP)})\b)|\w+",
        re.DOTALL | re.MULTILINE,
    ),
    "python": re.compile(
        r'(?P<comment>#[^\n]*|""".*?""")'
        r'|(?P<string>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\b\d[\w.]*)'
        r"|(?P<directive>^[ \t]*@[\w.]+)"
        rf"|(?P<keyword>\b(?:{'|'.join(keyword.kwlist)})\b)|\w+",
        re.DOTALL | re.MULTILINE,
    ),
}
_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
_DEFINED = re.compile(
    r"^#[ \t]*define[ \t]+(\w+)"
    r"|^(?:class|struct|enum|union|def)[ \t]+(\w+)"
    r"|^extern\b.*\n[ \t]+void[ \t]+(\w+)"
    r"|^(?:[^\s/#@})].*?[ \t*&])?(\w+)[ \t]*(?:\[[^\]]*\])*[ \t]*[(=;:]",
    re.MULTILINE,
)
_COMMENTS: Mapping[Language, re.Pattern[str]] = {  # with the strings
    "cuda": re.compile(r'//[^\n]*|"[^"\n]*"'),
    "python": re.compile(r'#[^\n]*|""".*?"""|"[^"\n]*"', re.DOTALL),
}
_IMPORT = re.compile(r"(?:from|import)\b")
_CONDITION = re.compile(r"#[ \t]*(if|el|endif)")
_ENUM = re.compile(r"^enum\b[^{]*\{([^}]*)\}", re.MULTILINE)
_FURTHER = re.compile(r"^constexpr\b[^;{(]*;", re.MULTILINE)  # constants of one declaration


@dataclass(frozen=True)
class ListingLine:
    """A line of source code.

    Attributes:
        number: in its file, from 1; 0 for the name of the file that begins here.
        parts: a text for each kind of token in the line, with spaces in place of other kinds: drawn
            over each other in a font of fixed width, each in its colour, they show the line.
    """

    number: int
    text: str
    parts: tuple[tuple[Kind, str], ...] = ()


@dataclass(frozen=True)
class Listing:
    """Source code for display; ``entry`` is the index of the line where the function begins."""

    language: Language
    lines: tuple[ListingLine, ...]
    entry: int = 0

    @property
    def longest(self) -> int:
        """Count the characters of the longest line."""
        return max((len(line.text) for line in self.lines), default=0)


def listing(
    files: Mapping[str, str],
    language: Language,
    function: str,
    *,
    whole: bool = True,
    known: Iterable[str] = (),
) -> Listing:
    """Split files into lines of a listing: whole files, or the code that a function uses.

    Args:
        files: texts by name, the file that has the function first.
        whole: whether to list whole files, not only the function and the code it uses.
        known: further names that are used, in addition to those in the function.
    """
    used = None if whole else _used(files, language, {function, *known})
    lines: list[ListingLine] = []
    for name, text in files.items():
        kept = [line for line in _lines(text, language) if not used or (name, line.number) in used]
        if kept:
            lines += [ListingLine(0, name), *kept]
    begins = re.compile(rf"^(?:\S.*\b| +void |){re.escape(function)}\(")  # or below its attributes
    entry = next((i for i, line in enumerate(lines) if begins.match(line.text)), 0)
    return Listing(language, tuple(lines), entry)


def _lines(text: str, language: Language) -> list[ListingLine]:
    """Split source code into lines, and each line into texts by kind of token, for colouring."""
    lines = text.rstrip("\n").split("\n")
    by_row: list[dict[Kind, list[str]]] = [{} for _ in lines]
    for kind, row, column, piece in _pieces(text.rstrip("\n"), language):
        letters = by_row[row].setdefault(kind, [" "] * len(lines[row]))
        letters[column : column + len(piece)] = piece
    return [
        ListingLine(number, line, tuple((k, "".join(row).rstrip()) for k, row in kinds.items()))
        for number, (line, kinds) in enumerate(zip(lines, by_row, strict=True), 1)
    ]


def _pieces(text: str, language: Language) -> Iterator[tuple[Kind, int, int, str]]:
    """Yield the tokens of source code: kind, row, column and text; none spans two lines."""
    place, row, column = 0, 0, 0

    def split(kind: Kind, end: int) -> Iterator[tuple[Kind, int, int, str]]:
        nonlocal place, row, column
        for number, piece in enumerate(text[place:end].split("\n")):
            row, column = (row + 1, 0) if number else (row, column)
            if piece.strip():
                yield kind, row, column, piece
            column += len(piece)
        place = end

    for token in _TOKENS[language].finditer(text):
        yield from split("text", token.start())
        yield from split(token.lastgroup or "text", token.end())  # type: ignore[arg-type]
    yield from split("text", len(text))


def _used(
    files: Mapping[str, str], language: Language, names: Iterable[str]
) -> set[tuple[str, int]]:
    """Return the lines that define some names, and the lines of all definitions they depend on.

    Each line is a file name and a line number.
    """
    chunks = [(name, *chunk) for name, text in files.items() for chunk in _chunks(text)]
    codes = [_COMMENTS[language].sub("", text) for _, _, text in chunks]
    defined = [_defines(code) for code in codes]
    wanted, kept = set(names), set[int]()
    while more := {i for i, names in enumerate(defined) if names & wanted} - kept:
        kept |= more
        wanted = wanted.union(*(_NAME.findall(codes[index]) for index in more))
    lines: set[tuple[str, int]] = set()
    for index in kept:
        name, first, text = chunks[index]
        lines |= {(name, first + row) for row in range(text.count("\n") + 1)}
    return lines | _conditions(files, lines) if language == "cuda" else lines


def _conditions(files: Mapping[str, str], lines: set[tuple[str, int]]) -> set[tuple[str, int]]:
    """Return the conditional directives around lines of code, as file name and line number."""
    kept: set[tuple[str, int]] = set()
    for name, text in files.items():
        open_: list[tuple[set[tuple[str, int]], int]] = []  # directives, and where they began
        for number, line in enumerate(text.split("\n"), 1):
            directive = _CONDITION.match(line)
            if not directive:
                continue
            if directive[1] == "if":
                open_.append((set(), number))
            open_[-1][0].add((name, number))
            if directive[1] == "endif":
                directives, began = open_.pop()
                if any((name, row) in lines for row in range(began, number)):
                    kept |= directives
    return kept


def _chunks(text: str) -> Iterator[tuple[int, str]]:
    """Split a file at its empty lines; yield the first line number and text of every section.

    A part begins at the left margin: an indented line after an empty one belongs to the part above.
    """
    lines = text.rstrip("\n").split("\n")
    begins = [
        i
        for i, line in enumerate(lines)
        if line[:1].strip() and line[0] not in ")}]" and (i == 0 or not lines[i - 1].strip())
    ]
    for begin, end in zip_longest(begins, begins[1:], fillvalue=len(lines)):
        yield begin + 1, "\n".join(lines[begin:end])


def _defines(code: str) -> set[str]:
    """Return the names that a piece of source code defines at the left margin."""
    if _IMPORT.match(code):
        return set(_NAME.findall(code))
    enums = {name for names in _ENUM.findall(code) for name in _NAME.findall(names)}
    further = {
        name for line in _FURTHER.findall(code) for name in re.findall(r",\s*(\w+)\s*=", line)
    }
    return {name for names in _DEFINED.findall(code) for name in names if name} | enums | further
