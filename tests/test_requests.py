"""Every option is declared once, as a field of a frozen request, and only the parser adds it."""

import ast
import random
import string
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from wheatstone.gpu.parameters import BOUNDED
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.cli import VERBS, ProgramRequest, parse
from wheatstone.viewer.cli.declarations import declared_verbs
from wheatstone.viewer.options import Pipelines
from wheatstone.viewer.parser import Entry, Request, entries, parser_of
from wheatstone.viewer.settings.choice_options import ShownRequest

VIEWER = Path(__file__).resolve().parent.parent / "viewer"
PARSER = VIEWER / "parser.py"
REQUESTS: dict[str, type[Request]] = {
    **{name: verb.request_class for name, verb in VERBS.items()},
    "lesson's step": ShownRequest,
    "program": ProgramRequest,
}


def pipelines_for(request: type[Request]) -> Iterator[Pipelines]:
    """Yield the pipelines that the options of a request may depend on."""
    first = request.pipelines_of(())[2] or (PIPELINES["sgm"],)
    yield first
    allowed: set[str] = set(PIPELINES)
    for entry in entries(request, first):
        if "--pipeline" in entry.names:
            allowed &= set(entry.option.control.choices)
    yield from ((pipeline,) for name, pipeline in PIPELINES.items() if name in allowed)


def entries_of(request: type[Request]) -> list[Entry]:
    return [e for some in pipelines_for(request) for e in entries(request, some)]


def names_in(file: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(file.read_text())))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return attributes | {node.id for node in nodes if isinstance(node, ast.Name)}


def test_only_the_parser_knows_argparse() -> None:
    known = {"add_argument", "add_argument_group", "Namespace", "argparse"}
    using = {file: known & names_in(file) for file in VIEWER.rglob("*.py")}
    assert {file: names for file, names in using.items() if names} == {PARSER: known}


def test_options_are_added_by_one_function() -> None:
    source = PARSER.read_text()
    adding = [
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and "add_argument(" in ast.unparse(node)
    ]
    assert adding == ["_add"]


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_frozen(name: str) -> None:
    request = REQUESTS[name]
    frozen = [base for base in request.__mro__ if is_dataclass(base)]
    assert frozen and all(base.__dataclass_params__.frozen for base in frozen)  # type: ignore[attr-defined]


def test_a_request_cannot_be_changed() -> None:
    request = parse(["doctor"])
    with pytest.raises(FrozenInstanceError):
        request.files = ()


@pytest.mark.parametrize("name", REQUESTS)
def test_every_option_has_help_and_the_name_of_its_value(name: str) -> None:
    for entry in entries_of(REQUESTS[name]):
        option = entry.option
        assert option.help, entry.names
        takes_any = option.takes_value and not option.control.choices
        assert not takes_any or option.metavar, entry.names


@pytest.mark.parametrize("name", REQUESTS)
def test_every_number_has_finite_bounds(name: str) -> None:
    for entry in entries_of(REQUESTS[name]):
        option = entry.option
        if option.control.kind in BOUNDED:
            assert -1e15 <= option.control.low < option.control.high <= 1e15, entry.names
        assert option.read not in (int, float), entry.names


@pytest.mark.parametrize("name", REQUESTS)
def test_no_two_options_share_a_name_or_a_place(name: str) -> None:
    request = REQUESTS[name]
    for some in pipelines_for(request):
        listed = entries(request, some)
        shown = [e for e in listed if e.option.form != "constant"]
        places = [e.dest for e in shown]
        names = [n for e in listed for n in e.names]
        assert len(set(places)) == len(places) and len(set(names)) == len(names)
        assert {e.field for e in listed} <= {f.name for f in fields(request)}


def test_no_verb_abbreviates_options() -> None:
    for request in REQUESTS.values():
        assert not parser_of(request, next(pipelines_for(request))).allow_abbrev


@pytest.mark.parametrize("name", VERBS)
def test_completion_lists_every_option_that_the_parser_takes(name: str) -> None:
    (declared, *_) = [one for one in declared_verbs() if one.verb == name]
    request = VERBS[name].request_class
    parser = parser_of(request, request.pipelines_of(())[2])
    taken = {n for n, action in parser._option_string_actions.items() if action.help != HIDDEN}
    assert {n for option in declared.options for n in option.names} == taken


HIDDEN = "==SUPPRESS=="


def values_for(entry: Entry, made: random.Random) -> list[str]:
    option, control = entry.option, entry.option.control
    if control.kind == "choice":
        return [str(made.choice(control.choices))]
    if control.kind == "int":
        return [str(made.randint(int(control.low), int(control.high)))]
    if control.kind == "float":
        return [repr(made.uniform(control.low, control.high))]
    many = option.nargs if isinstance(option.nargs, int) else 1
    return ["".join(made.choices(string.ascii_letters, k=5)) for _ in range(many)]


def words_for(request: type[Request], made: random.Random) -> tuple[list[str], dict[str, Any]]:
    words: list[str] = []
    expected: dict[str, Any] = {}
    for entry in entries(request, request.pipelines_of(())[2]):
        option, name = entry.option, entry.names[0]
        simple = option.read in (None, str, Path) and not option.hidden
        optional = option.required or made.random() < 0.5
        if not simple or option.positional or option.nargs == "?" or not optional:
            continue
        if option.form in ("flag", "switch", "switches"):
            on = option.form == "flag" or made.random() < 0.5
            words.append(name if on else name.replace("--", "--no-", 1))
            value: Any = on if option.form != "switches" else (on,)
        else:
            given = values_for(entry, made)
            words += [f"{name}={given[0]}"] if len(given) == 1 else []
            words += [] if len(given) == 1 else [name, *given]
            read = tuple(map(option.value, given))
            value = read if option.is_list or isinstance(option.nargs, int) else read[0]
        if entry.key:
            expected.setdefault(entry.field, {})[entry.key] = value
        else:
            expected[entry.field] = value
    return words, expected


@pytest.mark.parametrize("name", ["view", "render", "serve", "bench", "compare"])
@pytest.mark.parametrize("seed", range(8))
def test_words_become_the_values_of_fields(name: str, seed: int) -> None:
    request = VERBS[name].request_class
    words, expected = words_for(request, random.Random(seed))
    if name == "bench":
        expected.pop("source", None)
        words = [word for word in words if not word.startswith("--source=")]
    sides = ["a.npy", "b.npy"] if name == "compare" else []
    result = parse([name, *sides, *words])
    assert result.words == (name, *sides, *words)
    for field, value in expected.items():
        assert getattr(result, field) == value, field
    assert parse([name, *sides, *words]) == result
