"""The laws of names: one meaning for each public class, one module for one thing."""

import ast
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
