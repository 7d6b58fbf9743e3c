"""Run a benchmark by its name, with the options that its function declares.

A benchmark is a module of this folder with a function ``main``, whose parameters are its options::

    def main(data: Path, *words: str, size: Size = (640, 480), frames: Count = 100) -> bool:

Positional arguments come first, options after ``*``; ``*words`` takes all remaining arguments, for
the program that is measured. A bool is a switch, a tuple takes several values. ``Annotated`` adds
the help (a string), the parser of a value (a function) or the choices (a collection). ``main``
returns whether the benchmark passed, or ``Findings``, which the option ``--json`` writes to a file.
"""

import argparse
import ast
import inspect
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from wheatstone.gpu import Unavailable
from wheatstone.viewer.options import size, whole_number

FOLDER = Path(__file__).parent


def positive(text: str) -> int:
    """Parse an integer of at least 1."""
    return whole_number(text, 1)


Count = Annotated[int, positive]
Size = Annotated[tuple[int, int], size]
"""Width and height in pixels, WxH."""


class WrongInput(ValueError):
    """An input of a benchmark is missing or invalid."""


@dataclass(frozen=True)
class Findings:
    """The result of a benchmark that can be written to a file.

    Attributes:
        record: all measurements, which can be stored as JSON.
        lines: lines of the report.
    """

    record: Mapping[str, Any]
    lines: Iterable[str]
    passed: bool = True


def benchmarks() -> dict[str, str]:
    """Return the first line of each benchmark's documentation by name, without importing it."""
    listed = {}
    for path in sorted(FOLDER.glob("*.py")):
        module = ast.parse(path.read_text())
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in module.body):
            listed[path.stem] = (ast.get_docstring(module) or "").splitlines()[0]
    return listed


def _is_module(name: str) -> bool:
    return name.isidentifier() and (FOLDER / f"{name}.py").is_file()


def run(words: Sequence[str]) -> int:
    """Run the benchmark that the first argument names, or list all benchmarks.

    Returns:
        0: passed; 1: failed; 2: wrong input; 3: this machine lacks something.
    """
    name = words[0] if words else ""
    main = getattr(import_module(f"benchmarks.{name}"), "main", None) if _is_module(name) else None
    if not main:
        print("usage: python -m benchmarks NAME [options]\n")
        print("\n".join(f"  {each:16}{line}" for each, line in benchmarks().items()))
        return 0 if name in ("", "-h", "--help") else 2
    values, options, file = _parsed(name, main, words[1:])
    try:
        result = main(*values, **options)
    except (WrongInput, Unavailable) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2 if isinstance(error, WrongInput) else 3
    if isinstance(result, Findings):
        if file:
            file.write_text(json.dumps(result.record, indent=1) + "\n")
        print("\n".join(result.lines))
        result = result.passed
    return 0 if result else 1


def _parsed(
    name: str, main: Callable[..., Any], words: Sequence[str]
) -> tuple[list[Any], dict[str, Any], Path | None]:
    """Parse a command line into positional values, options, and the file of ``--json``."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks {name}",
        description=sys.modules[main.__module__].__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    hints = get_type_hints(main, include_extras=True)
    parameters = inspect.signature(main).parameters.values()
    for parameter in parameters:
        if parameter.kind is not parameter.VAR_POSITIONAL:
            _add(parser, parameter, hints[parameter.name])
    if hints["return"] is Findings:
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the findings to FILE")
    takes_words = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    options, rest = parser.parse_known_args(words)
    if rest and not takes_words:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options_by_name = vars(options)
    file = options_by_name.pop("json") if hints["return"] is Findings else None
    plain = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    return [options_by_name.pop(each) for each in plain] + rest, options_by_name, file


def _add(parser: argparse.ArgumentParser, parameter: inspect.Parameter, hint: Any) -> None:
    """Add the option or argument that a parameter of ``main`` declares."""
    is_option, default = parameter.kind is parameter.KEYWORD_ONLY, parameter.default
    kind, several, notes = _split_hint(hint)
    help = "".join(note for note in notes if isinstance(note, str))
    if is_option and default not in (None, False, ()):
        shown = " ".join(map(str, default)) if several else default
        help += f"{' ' * bool(help)}(default: {shown})"
    known: dict[str, Any] = {
        "help": help,
        "default": default if default != parameter.empty else None,
    }
    if kind is bool:
        known |= {"action": "store_true"}
    else:
        readers = [note for note in notes if callable(note)]
        choices = [list(n) for n in notes if not callable(n) and not isinstance(n, str)]
        metavar = parameter.name.upper() if not choices else None
        known |= {"type": (readers or [kind])[0], "metavar": metavar}
        known |= {"choices": choices[0]} if choices and (is_option or not several) else {}
        known |= {"nargs": "+" if is_option else "*"} if several else {}
        known |= (
            {"nargs": "?"} if not is_option and not several and default != parameter.empty else {}
        )
    option = f"--{parameter.name.replace('_', '-')}" if is_option else parameter.name
    parser.add_argument(option, **known)


def _split_hint(hint: Any) -> tuple[Any, bool, list[Any]]:
    """Split a type hint into the type of a value, whether it has several, and its annotations."""
    notes: list[Any] = []
    several = False
    while True:
        if get_origin(hint) is Annotated:
            hint, *more = get_args(hint)
            notes += more
        elif (
            get_origin(hint) is tuple
            and get_args(hint)[-1] is Ellipsis
            and not any(map(callable, notes))
        ):
            hint, several = get_args(hint)[0], True
        elif NoneType in get_args(hint):
            hint = next(each for each in get_args(hint) if each is not NoneType)
        else:
            return hint, several, notes


def say(text: str) -> None:
    """Print progress, with the time, to standard error."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
