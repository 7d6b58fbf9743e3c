"""The laws of names and prose: one meaning for each class, plain words in docstrings."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [path for name in ("viewer", "gpu", "src") for path in (ROOT / name).rglob("*.py")]


@cache
def noted() -> dict[str, list[tuple[str, str]]]:
    """Parse each file once; list classes, first lines, variables and texts with their places."""
    listed = defaultdict(list)
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            place = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"
            if isinstance(node, ast.ClassDef):
                listed["classes"].append((path.resolve().relative_to(ROOT).as_posix(), node.name))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
                line = (ast.get_docstring(node) or " ").splitlines()[0]
                listed["first lines"].append((place, line))
            elif isinstance(node, ast.arg):
                listed["variables"].append((place, node.arg))
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                name = node.id if isinstance(node, ast.Name) else node.attr
                listed["variables"].append((place, name))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                listed["texts"].append((place, node.value))
    return listed


def test_every_public_class_name_has_one_meaning() -> None:
    places = defaultdict(set)
    for file, name in noted()["classes"]:
        if not name.startswith("_"):
            places[name].add(file)
    assert {name: each for name, each in places.items() if len(each) > 1} == {}


UNCLEAR = re.compile(
    r"\b(errands?|said|told|tells?|beside|anew|made out|is none|but for|whole numbers?|what"
    r"|audience|studio|desk|manner|found)\b",
    re.IGNORECASE,
)
"""Words for which a first line has a standard term; ``HTTP`` and other code is not prose."""


def test_the_first_line_of_a_docstring_uses_standard_terms() -> None:
    unclear = []
    for place, line in noted()["first lines"]:
        if word := UNCLEAR.search(re.sub("``[^`]*``", "", line)):
            unclear.append(f"{place}: {word[0]}: {line}")
    assert not unclear, "\n".join(unclear)


UNNAMED = re.compile(r"_*(found|said|told|anew|apart|left_out)")
"""Names that do not say what they hold: of a result its kind, of a text its role."""


def test_names_of_variables_say_what_they_hold() -> None:
    unnamed = [
        f"{place}: {name}" for place, name in noted()["variables"] if UNNAMED.fullmatch(name)
    ]
    assert not unnamed, "\n".join(unnamed)


CLUMSY = re.compile(
    r"\b(left|leaves?|leaving) ([a-z]+ ){0,3}out\b|\bby (itself|themselves)\b|, too([.,;:)]|\s*$)"
)
"""Phrases for which there is a shorter term: omitted, skipped or ignored; alone; also."""
FORMATS = {"left_out", "calibration left out"}
"""Names in files of version 0.1.0 that stay."""


def test_no_text_uses_a_clumsy_phrase() -> None:
    """Docstrings, help and messages: every string."""
    clumsy = []
    for place, text in noted()["texts"]:
        phrase = CLUMSY.search(text)
        if phrase and text not in FORMATS:
            clumsy.append(f"{place}: {phrase[0]}")
    assert not clumsy, "\n".join(clumsy)
