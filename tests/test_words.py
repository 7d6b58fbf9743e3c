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
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


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
