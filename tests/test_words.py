"""The laws of names and prose: one meaning for each class, plain words in docstrings."""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [path for name in ("viewer", "gpu", "src") for path in (ROOT / name).rglob("*.py")]


def test_every_public_class_name_has_one_meaning() -> None:
    places = defaultdict(set)
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(path.resolve().relative_to(ROOT).as_posix())
    assert {name: each for name, each in places.items() if len(each) > 1} == {}


UNCLEAR = re.compile(
    r"\b(errands?|said|told|tells?|beside|anew|made out|is none|but for|whole numbers?|what"
    r"|audience|studio|desk|manner|found)\b",
    re.IGNORECASE,
)
"""Words for which a first line has a standard term; ``HTTP`` and other code is not prose."""


def test_the_first_line_of_a_docstring_uses_standard_terms() -> None:
    unclear = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
                line = (ast.get_docstring(node) or " ").splitlines()[0]
                if word := UNCLEAR.search(re.sub("``[^`]*``", "", line)):
                    place = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"
                    unclear.append(f"{place}: {word[0]}: {line}")
    assert not unclear, "\n".join(unclear)


UNNAMED = re.compile(r"_*(found|said|told|anew|apart|left_out)")
"""Names that do not say what they hold: of a result its kind, of a text its role."""


def test_names_of_variables_say_what_they_hold() -> None:
    unnamed = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.arg):
                name = node.arg
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                name = node.id if isinstance(node, ast.Name) else node.attr
            else:
                continue
            if UNNAMED.fullmatch(name):
                unnamed.append(f"{path.relative_to(ROOT)}:{node.lineno}: {name}")
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
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                phrase = CLUMSY.search(node.value)
                if phrase and node.value not in FORMATS:
                    clumsy.append(f"{path.relative_to(ROOT)}:{node.lineno}: {phrase[0]}")
    assert not clumsy, "\n".join(clumsy)
