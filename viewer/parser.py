"""The command-line parser of every verb: it reports an error in one line, with a suggestion."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from wheatstone.gpu.likeness import did_you_mean, nearest
from wheatstone.viewer.reading.plain_text import one_line

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


WHOLE = 2**31 - 1
"""The largest integer of an option that declares no bounds of its own."""
NUMBER = 1e9
"""The largest number of such an option."""


def bounded(kind: Callable[[str], float], low: float, high: float, what: str) -> Any:
    """Return a function that reads an option's number within bounds, both included.

    Args:
        kind: ``int`` or ``float``.
        what: the name of such a number in messages, such as "a whole number".
    """

    def read(text: str) -> float:
        """Read a number. Raises ``ArgumentTypeError`` for anything else."""
        try:
            number = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be {what} (got {text!r})") from None
        if not low <= number <= high:
            bounds = f"in [{low:.10g}, {high:.10g}]"
            raise argparse.ArgumentTypeError(f"must be {bounds} (got {text!r})")
        return number

    return read


class HelpShown(SystemExit):
    """Raised to end the program after it has printed its help.

    Attributes:
        parser: the parser whose help it is.
    """

    def __init__(self, parser: "Parser") -> None:
        super().__init__(0)
        self.parser = parser


class Once(argparse._StoreAction):
    """An option with a value that can be given only once, so that no value is lost silently.

    An option that takes a list may be given again, and the lists are joined.
    """

    into: argparse.Namespace | None = None
    """The namespace that the value was stored in last."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store a value, or add to a list."""
        if option_string and self.into is namespace:
            if self.nargs != "+":
                raise argparse.ArgumentError(self, f"is given twice (again with {values})")
            values = [*getattr(namespace, self.dest), *values]
        self.into = namespace
        super().__call__(parser, namespace, values, option_string)


class Switch(argparse.BooleanOptionalAction):
    """A switch, ``--name`` or ``--no-name``; both at once are refused."""

    into: argparse.Namespace | None = None
    """The namespace that the switch was set in last."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Set the switch."""
        before = getattr(namespace, self.dest)
        super().__call__(parser, namespace, values, option_string)
        if self.into is namespace and getattr(namespace, self.dest) != before:
            raise argparse.ArgumentError(self, "is given both ways: give one")
        self.into = namespace


class EverySwitch(argparse.BooleanOptionalAction):
    """A switch that may be given both ways, such as ``--median --no-median``; collects a list."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Add a value to the list."""
        before = getattr(namespace, self.dest) or []
        on = not str(option_string).startswith("--no-")
        setattr(namespace, self.dest, [*before, on])


LEAST = 0.6  # how alike an option's name must be, from 0 to 1: short names are alike by chance


def _option_meant(word: str, known: Iterable[str]) -> str:
    """Return a question that suggests the most similar option; empty if no option is similar."""
    names = {option.lstrip("-"): option for option in known if option.startswith("--")}
    found = nearest(word[2:], names, LEAST) if word.startswith("--") else ""
    return f" (did you mean {names[found]!r}?)" if found else ""


class Parser(argparse.ArgumentParser):
    """A command-line parser that reports errors in one line, for words of any length or content.

    A value may begin with a negative number, as in ``--orbit -20,10,1``.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # What argparse takes for a number, and not for an option: it knows of single ones only.
        self._negative_number_matcher = re.compile(r"-\.?\d[-+.,\de]*$")
        for name in (None, "store"):
            self.register("action", name, Once)
        # Every number has bounds: also one whose option says no more than its type.
        self.register("type", int, bounded(int, -WHOLE, WHOLE, "a whole number"))
        self.register("type", float, bounded(float, -NUMBER, NUMBER, "a number"))

    def parse_args(  # type: ignore[override]  # of a namespace given, the type is kept
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Read a command line; suggest options for those that do not exist."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            known = list(self._option_string_actions)
            said = [f"{w}{_option_meant(w, known)}" for w in unknown]
            self.error(f"unrecognized arguments: {' '.join(said)}")
        return options

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Read an option's value; refuse ``--``, as in ``--size=--``, which would become a list."""
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            raise argparse.ArgumentError(action, "expected one argument")
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise an error, with the most similar choice, for a value that is no choice."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += did_you_mean(str(value), map(str, action.choices or ()))
            raise

    def error(self, message: str) -> NoReturn:
        """Print the error message, and exit with code 2."""
        self.exit(2, f"{one_line(f'{self.prog}: error: {message}')}\n")

    def print_help(self, file: "SupportsWrite[str] | None" = None) -> None:
        """Print the help, and exit."""
        super().print_help(file)
        raise HelpShown(self)

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        """Print help or an error; raise ``BrokenPipeError`` if the reader of the help has gone."""
        if message and (file or sys.stderr) is sys.stdout:
            sys.stdout.write(message)
        else:
            super()._print_message(message, file)
