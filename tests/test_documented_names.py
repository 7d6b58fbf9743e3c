"""Every name that a class documents under "Attributes:" exists."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMES = re.compile(r"^    ([a-z_]\w*(?:, [a-z_]\w*)*):(?: |$)", re.MULTILINE)


@cache
def classes() -> dict[str, tuple[Path, ast.ClassDef]]:
    """Find every class: only where the test runs, since all workers import this file."""
    return {
        node.name: (path, node)
        for package in ("gpu", "viewer")
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }


def names_of(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names that a class and its bases of this project define."""
    for child in ast.walk(node):
        if isinstance(child, ast.FunctionDef):
            yield child.name
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
            yield child.attr
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes():
            yield from names_of(classes()[base.id][1])


def documented(node: ast.ClassDef) -> list[str]:
    """List the names in the section "Attributes:" of a class's docstring."""
    _, _, section = (ast.get_docstring(node) or "").partition("\nAttributes:\n")
    section = re.split(r"^[A-Z]\w+:$", section, maxsplit=1, flags=re.MULTILINE)[0]
    return [name for line in NAMES.findall(section) for name in line.split(", ")]


def test_documented_attributes_exist() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {node.name}.{name}"
        for path, node in classes().values()
        for name in sorted(set(documented(node)) - set(names_of(node)))
    ]
    assert not wrong
    assert sum(len(documented(node)) for _, node in classes().values()) > 1000
