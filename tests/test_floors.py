"""The floors of the house: a room imports only rooms below it, and no modules form a circle."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# From the ground up: the rooms of every package, each a folder or some files at its top.
FLOORS: Mapping[str, Mapping[str, str]] = {
    "gpu": {
        "engine": "__init__ installation parameters image stage pipeline clock host "
        "compilations compiled png_filters texture nvidia cuda device steps recording interop "
        "interruption protobuf handed_rows",
        "pipelines": "pipelines",
        "reference": "reference",
        "implementations": "cpu kernels peers",
        "emulation": "emulation",
        "execution": "execution bands handed_bands compile_ahead exchange plugins own_variants",
        "own_kernels": "own_kernels",
        "analysis": "analysis",
    },
    "viewer": {
        "ground": "__init__ lazy_import resources memo colormaps theme words findings",
        "io.reading": "io io.reading",
        "options": "parser options",
        "io.scenes": "io.scenes",
        "io.footage": "io.footage",
        "io.cameras": "io.cameras",
        "io.sources": "io.sources",
        "io.files": "io.files",
        "run.jobs": "run.jobs",
        "run": "run",
        "run.peers": "run.peers",
        "run.parity": "run.parity",
        "run.measuring": "run.measuring",
        "run.kernels": "run.kernels",
        "choices": "choices",
        "display.picture": "display display.picture",
        "display.screen": "display.screen",
        "display.frames": "display.frames",
        "panels.lessons": "panels.lessons",
        "panels": "panels",
        "panels.keys": "panels.keys",
        "settings": "settings",
        "figures": "figures",
        "window.layout": "window window.window_layout",
        "window.effects": "window.effects",
        "window.app": "window.app window.presentation window.own_kernels window.routing "
        "window.pace",
        "window.serving": "window.serving",
        "cli": "cli",
    },
}


def module_of(file: Path) -> str:
    parts = ("wheatstone", *file.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(package: str) -> Mapping[str, frozenset[str]]:
    files = {module_of(file): file for file in (ROOT / package).rglob("*.py")}
    return {module: frozenset(_imported(file, files)) - {module} for module, file in files.items()}


def _imported(file: Path, known: Mapping[str, Path], *, later: bool = True) -> Iterator[str]:
    """Known modules that a file imports; without ``later`` only those its own import loads."""
    tree = ast.parse(file.read_text())
    for node in ast.walk(tree) if later else tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from inner & known.keys()
            if node.module in known and not inner <= known.keys():
                yield node.module


def floor_of(module: str) -> int:
    package, _, rest = module.removeprefix("wheatstone.").partition(".")
    parts = rest.split(".") if rest else ["__init__"]
    for room in (".".join(parts[:2]), parts[0]):
        for number, members in enumerate(FLOORS[package].values()):
            if room in members.split():
                return number
    raise AssertionError(f"{module} is in no room: name its floor in FLOORS")


@pytest.mark.parametrize("package", FLOORS)
def test_a_room_imports_rooms_below_it_only(package: str) -> None:
    breaches = [
        f"{module} imports {other}"
        for module, used in imports(package).items()
        for other in used
        if floor_of(other) > floor_of(module)
    ]
    assert not breaches, "\n".join(sorted(breaches))


def reached(module: str, imported: Mapping[str, frozenset[str]]) -> set[str]:
    seen: set[str] = set()
    ahead = list(imported[module])
    while ahead:
        if (name := ahead.pop()) not in seen:
            seen.add(name)
            ahead += imported[name]
    return seen


@pytest.mark.parametrize("package", FLOORS)
def test_only_modules_of_one_folder_import_each_other(package: str) -> None:
    imported = imports(package)
    every = {module: reached(module, imported) for module in imported}
    circles = {
        f"{module} and {other}"
        for module, used in every.items()
        for other in used
        if module in every[other] and module.rpartition(".")[0] != other.rpartition(".")[0]
    }
    assert not circles


MOST_PACKAGES = 8


def test_a_package_of_the_viewer_imports_few_others() -> None:
    used: dict[str, set[str]] = {}
    packages = {path.parent.name for path in (ROOT / "viewer").glob("*/__init__.py")}
    for module, others in imports("viewer").items():
        for other in others:
            mine, theirs = f"{module}..".split(".")[2], f"{other}..".split(".")[2]
            if {mine, theirs} <= packages and mine != theirs:
                used.setdefault(mine, set()).add(theirs)
    assert {name: len(others) for name, others in used.items() if len(others) > MOST_PACKAGES} == {}
    both_ways = {tuple(sorted((a, b))) for a in used for b in used[a] if a in used.get(b, ())}
    assert both_ways == set()


LARGEST = 250
"""Lines of two files together, up to which a file is merged into the only one that needs it."""
BY_NAME = {
    "gpu.cpu": "stages are looked up by the name of their module",
    "gpu.kernels": "stages are looked up by the name of their module",
    "viewer.cli.model.request": "the table of verbs names it, and parsing needs no more",
    "viewer.panels.lessons.facts": "a module for each subject, gathered in one table",
}
"""Modules and packages that are looked up by name, and why."""


def test_a_file_that_only_one_other_needs_is_part_of_it() -> None:
    """Files of one folder; what a function imports is loaded late, so that a start is quick."""
    files = {module_of(f): f for package in FLOORS for f in (ROOT / package).rglob("*.py")}
    users: dict[str, list[str]] = {module: [] for module in files}
    early: set[tuple[str, str]] = set()
    for module, file in [*files.items(), ("wheatstone", ROOT / "src/wheatstone/__init__.py")]:
        for other in {*_imported(file, files)} - {module}:
            users[other].append(module)
        early |= {(module, other) for other in _imported(file, files, later=False)}
    separate = []
    for module, file in files.items():
        user, *more = users[module] or ("", "")
        if more or (user, module) not in early or files.get(user, ROOT).parent != file.parent:
            continue
        if any(f"{module}.".startswith(f"wheatstone.{name}.") for name in BY_NAME):
            continue
        if sum(len(files[one].read_text().splitlines()) for one in (module, user)) <= LARGEST:
            separate.append(f"{module} is needed by {user} only")
    assert not separate, "\n".join(separate)
