"""Every regular expression of a package, how it is used, and texts on which it may be slow."""

import ast
import importlib
import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

ROOT = Path(__file__).parent.parent
SCANNING = {"search", "finditer", "findall", "sub", "subn", "split"}
USES = {"match", "fullmatch", *SCANNING}
REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
OTHERS = "a0 \n!\\\x00é"
"""Characters of every kind that expressions distinguish."""


@dataclass(frozen=True)
class Expression:
    """A regular expression in the source code.

    Attributes:
        place: file and line.
        pattern: None where it is made of the function's own variables.
        uses: how it is applied: ``match``, ``fullmatch``, or ``finditer`` for all that search.
    """

    place: str
    source: str
    pattern: re.Pattern[Any] | None
    uses: frozenset[str]


def expressions(*packages: str) -> list[Expression]:
    """List every regular expression in the source code of packages."""
    files = [path for package in packages for path in sorted((ROOT / package).rglob("*.py"))]
    texts = {path: path.read_text() for path in files}
    users: dict[str, list[str]] = {}
    for text in texts.values():
        for module in set(_FROM.findall(text)):
            users.setdefault(module, []).append(text)
    used = (path for path, text in texts.items() if _IMPORT.search(text))
    return [one for path in used for one in _in_file(path, texts[path], users)]


_IMPORT = re.compile(r"^\s*(?:import|from) re\b", re.MULTILINE)
_FROM = re.compile(r"from (\S+) import")


def _in_file(path: Path, text: str, users: dict[str, list[str]]) -> Iterator[Expression]:
    tree = ast.parse(text)
    names = {
        node.value: node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            raise AssertionError(f"{path}: use re.NAME, which this test can find")
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner, method = node.func.value, node.func.attr
        if not (isinstance(owner, ast.Name) and owner.id == "re" and method in _CALLS):
            continue
        readers = [text, *users.get(_module(path), ())]
        uses = {method} if method in USES else _uses(names.get(node, ""), readers)
        place = f"{path.relative_to(ROOT)}:{node.lineno}"
        source = ast.unparse(node.args[0])
        uses = {"finditer" if use in SCANNING else use for use in uses or USES}
        yield Expression(place, source, _pattern(node, path), frozenset(uses))


_CALLS = {"compile", *USES}


def _uses(name: str, texts: list[str]) -> set[str]:
    """List the methods called of a compiled expression, where it is defined and imported."""
    if not name:
        return set()
    return {use for text in texts for use in re.findall(rf"\b{name}\.(\w+)\(", text)} & USES


def _module(path: Path) -> str:
    parts = ("wheatstone", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _pattern(node: ast.Call, path: Path) -> re.Pattern[Any] | None:
    """Compile the expression of a call as the program does."""
    call = ast.Call(ast.parse("re.compile", mode="eval").body, [node.args[0]], [])
    if ast.unparse(node.func) == "re.compile":
        call = node
    code = compile(ast.fix_missing_locations(ast.Expression(call)), str(path), "eval")
    tries: tuple[dict[str, Any] | None, ...] = ({}, None)
    for known in tries:
        try:  # a module is imported only for its names: one may bind OpenGL to a platform
            names = vars(importlib.import_module(_module(path))) if known is None else known
            return eval(code, names | {"re": re})  # type: ignore[no-any-return]
        except NameError:
            pass
    return None


@dataclass(frozen=True)
class Hostile:
    """A text on which an expression may be slow."""

    beginning: str
    pump: str
    end: str

    def text(self, length: int) -> str:
        """Write the text with so many characters of pumps."""
        return self.beginning + self.pump * (length // len(self.pump)) + self.end


def hostile_texts(pattern: re.Pattern[Any]) -> list[Hostile]:
    """List texts on which an expression may be slow: a beginning, a pump, and a bad end.

    The beginnings are what the expression matches before each of its repetitions. The pumps are
    these, what the expression repeats, and its characters, alone and in pairs.
    """
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    beginnings, bodies = {""}, set[str]()
    _collect(tree, "", beginnings, bodies)
    letters = _characters(tree)
    pairs = map("".join, product(letters[:12], repeat=2))
    pumps = sorted({*bodies, *beginnings, *letters, *OTHERS, *pairs} - {""})
    return [Hostile(*parts) for parts in product(sorted(beginnings), pumps, ("\x00", "\n!"))]


def _collect(tree: Any, before: str, beginnings: set[str], bodies: set[str]) -> str:
    """Collect what is matched before each repetition, and what each repeats."""
    for code, value in tree:
        if code in REPEATS:
            beginnings.add(before)
            body = _collect(value[2], before, beginnings, bodies)[len(before) :]
            bodies |= {body, *_samples(value[2])}
            before += body * max(value[0], 1)
        elif code is codes.SUBPATTERN:
            before = _collect(value[3], before, beginnings, bodies)
        elif code is codes.ATOMIC_GROUP:
            before = _collect(value, before, beginnings, bodies)
        elif code is codes.BRANCH:
            ends = [_collect(branch, before, beginnings, bodies) for branch in value[1]]
            beginnings |= set(ends)
            before = ends[0]
        else:
            before += next(iter(_of(code, value)), "")
    return before


def _samples(tree: Any) -> set[str]:
    """List a few short texts that a part of an expression matches."""
    unique = {""}
    for code, value in tree:
        if code is codes.BRANCH:
            more = set(chain.from_iterable(_samples(branch) for branch in value[1]))
        elif code is codes.SUBPATTERN:
            more = _samples(value[3])
        elif code in REPEATS:
            more = _samples(value[2])
        else:
            more = set(_of(code, value)) or {""}
        unique = {a + b for a, b in product(sorted(unique), sorted(more)[:6])}
    return unique


def _characters(tree: Any) -> list[str]:
    """List characters that parts of an expression match, a few of each part."""
    unique: set[str] = set()
    for code, value in tree:
        unique |= set(_of(code, value)[:3])
        inner: Iterable[Any] = ()
        if code in REPEATS:
            inner = [value[2]]
        elif code is codes.SUBPATTERN:
            inner = [value[3]]
        elif code is codes.BRANCH:
            inner = value[1]
        elif code is codes.ATOMIC_GROUP:
            inner = [value]
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            inner = [value[1]]
        for one in inner:
            unique |= set(_characters(one))
    return sorted(unique)[:24]


def _of(code: Any, value: Any) -> list[str]:
    """List printable characters, a space and a line's end that a step of an expression matches."""
    if code is codes.LITERAL:
        return [chr(value)]
    if code in (codes.IN, codes.NOT_LITERAL, codes.ANY):
        one = re.compile(_written(code, value), re.DOTALL)
        return [c for c in OTHERS + string.printable if one.fullmatch(c)]
    return []


_CATEGORIES = {
    **{codes.CATEGORY_DIGIT: r"\d", codes.CATEGORY_NOT_DIGIT: r"\D"},
    **{codes.CATEGORY_SPACE: r"\s", codes.CATEGORY_NOT_SPACE: r"\S"},
    **{codes.CATEGORY_WORD: r"\w", codes.CATEGORY_NOT_WORD: r"\W"},
}


def _written(code: Any, value: Any) -> str:
    """Write a step that matches one character as an expression again."""
    if code is codes.ANY:
        return "."
    if code is codes.NOT_LITERAL:
        return f"[^{re.escape(chr(value))}]"
    parts = []
    for kind, what in value:
        if kind is codes.LITERAL:
            parts.append(re.escape(chr(what)))
        elif kind is codes.RANGE:
            parts.append(f"{re.escape(chr(what[0]))}-{re.escape(chr(what[1]))}")
        elif kind is codes.CATEGORY:
            parts.append(_CATEGORIES[what])
        elif kind is codes.NEGATE:
            parts.append("^")
    return f"[{''.join(parts)}]"
