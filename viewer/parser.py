"""Parse command lines into requests: dataclasses that hold the options of a subcommand.

    @dataclass(frozen=True, kw_only=True)
    class BlurRequest(SceneOptions, Request):
        verb: ClassVar[str] = "blur"
        image: Path = path_option("picture to blur", "IMAGE", positional=True, required=True)
        radius: int = int_option("pixels on each side of the middle", 1, 99, default=3)
        tidy: bool = flag_option("remove what an earlier run wrote")

``viewer.options`` has the functions that declare fields; a field without one is no option. Options
that several verbs share are declared once, in a base class such as ``SceneOptions``, whose
``heading`` is the title of their group in the help. The help lists the options of base classes in
their order, then a request's own ones. A request may declare an inherited field again, which keeps
its place and heading.

A verb with a pipeline derives from ``PipelineWord`` (the first word is its name) or
``PipelineOption`` of ``viewer.cli.requests``. What depends on the pipeline is declared by
functions of the pipelines that the command line names:

    variant: str | None = for_pipelines(lambda pipelines: Option(...))
    params: Mapping[str, Any] = parameter_options()

``cli.VERBS`` names the class and the function of each verb. ``parse_request`` makes a request from
words; ``entries`` lists the options, for completion and documentation. Checks of several fields
stand in ``__post_init__``, which raises ``ValueError``. No other module uses ``argparse``.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import Field, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from wheatstone.gpu.parameters import did_you_mean, nearest
from wheatstone.viewer.io.reading.plain_text import label, one_line
from wheatstone.viewer.options import Option, Pipelines, option_name

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

R = TypeVar("R", bound="Request")


@dataclass(frozen=True, kw_only=True)
class Request:
    """The base class of all requests: the values of the options of one command line.

    Attributes:
        verb: the name of the verb.
        prog: the program, for messages; ``{verb}`` and ``{pipeline}`` are replaced.
        usage: the form of the command line; empty: made of the options.
        epilog: text below the help.
        headings: the groups of options that come first in the help, in this order, where that of
            the base classes does not do; ``{pipeline}`` is replaced.
        preformatted: whether line breaks of description and epilog are kept.
        words: the verb and all that follows it, as the user wrote it.
    """

    verb: ClassVar[str] = ""
    prog: ClassVar[str] = "wheatstone {verb}"
    usage: ClassVar[str] = ""
    epilog: ClassVar[str] = ""
    headings: ClassVar[tuple[str, ...]] = ()
    preformatted: ClassVar[bool] = False
    words: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def describe(cls, help: str, pipelines: Pipelines) -> str:
        """Return the description at the top of a subcommand's help, by default its summary."""
        return help

    @classmethod
    def pipelines_of(cls, words: Sequence[str]) -> tuple[list[str], dict[str, Any], Pipelines]:
        """Find the pipelines that a command line names, on which the available options depend.

        Returns:
            The words to parse, fields of the request, and the pipelines.
        """
        return list(words), {}, ()


@dataclass(frozen=True)
class Entry:
    """One command line option of a subcommand, with its names and its group in the help.

    Attributes:
        field: the request's field that holds the value.
        key: of the value, if the field collects the values of several options.
        names: such as ``--out``.
        heading: of its group in the help; empty: the first one.
    """

    field: str
    key: str
    option: Option
    names: tuple[str, ...]
    heading: str = ""

    @property
    def dest(self) -> str:
        """Return the name under which the parser stores the value."""
        return f"{self.field} {self.key}" if self.key else self.field


def entries(request: type[Request], pipelines: Pipelines = ()) -> list[Entry]:
    """List the options of a subcommand, in the order of its help.

    Collected options of a group follow the first class that declares options under its heading.
    """
    listed: list[tuple[str, int, Entry]] = []
    begun: dict[str, type] = {}  # the first class that declares options under a heading
    for name, owner in _owners(request).items():
        declared = request.__dataclass_fields__[name]
        for entry in _entries_of(declared, vars(owner).get("heading", ""), pipelines):
            heading = entry.heading
            late = 1 if entry.key else 2 * (begun.setdefault(heading, owner) is not owner)
            listed.append((heading, late, entry))
    first = [one.format(pipeline=_name(pipelines)) for one in request.headings]
    order = list(dict.fromkeys(["", *first, *(heading for heading, _, _ in listed)]))
    return [e for _, _, e in sorted(listed, key=lambda one: (order.index(one[0]), one[1]))]


def _owners(request: type) -> dict[str, type]:
    """Return, for each field, the class that first declares it: a base class, or the request."""
    owners: dict[str, type] = {}
    for base in request.__bases__:
        for name, owner in _owners(base).items():
            owners.setdefault(name, owner)
    return owners | {
        n: request for n in vars(request).get("__dataclass_fields__", ()) if n not in owners
    }


def _entries_of(declared: Field[Any], heading: str, pipelines: Pipelines) -> Iterator[Entry]:
    """Yield the command line options that a field declares: none, one, or several."""
    made = declared.metadata.get("option")
    if made and not isinstance(made, Option):
        made = made(pipelines)
    if isinstance(made, Option):
        made = [("", made)]
    for key, option in made or ():
        names = option.names or (option_name(key or declared.name),)
        title = "" if option.positional else option.heading or heading
        yield Entry(declared.name, key, option, names, title)


def parse_request(
    request: type[R], words: Sequence[str], help: str, given: Pipelines = (), *, exits: bool = True
) -> R:
    """Parse the words after a subcommand into a request, which holds the value of every option.

    Every field of the returned request holds the value of its option, or the default of the option
    if the words do not name it. ``params`` and other fields that collect several options hold
    only those that the words name, by name: the caller adds them to a preset or to saved values.

    Args:
        help: one sentence that describes the verb.
        given: the pipelines, if the words do not name them.
        exits: whether an error ends the program with a message.

    Raises:
        ValueError: options contradict each other, or, without ``exits``, a word is wrong.
    """
    rest, values, named = request.pipelines_of(words)
    pipelines = given or named
    listed = entries(request, pipelines)
    parsed = vars(_parser(request, pipelines, listed, help, exits=exits).parse_args(rest))
    collected: dict[str, Any] = {}
    for entry in listed:
        value = parsed[entry.dest]
        value = tuple(value) if isinstance(value, list) else value
        if not entry.key:
            collected[entry.field] = value
        elif value is not None:
            collected.setdefault(entry.field, {})[entry.key] = value
    return request(**{**collected, **values, "words": (request.verb, *words)})


def parser_of(request: type[Request], pipelines: Pipelines = ()) -> "Parser":
    """Build the parser of a subcommand's options, for the pipelines that a command line names."""
    return _parser(request, pipelines, entries(request, pipelines), "", exits=True)


def _parser(
    request: type[Request], pipelines: Pipelines, listed: list[Entry], help: str, *, exits: bool
) -> "Parser":
    raw, plain = argparse.RawDescriptionHelpFormatter, argparse.HelpFormatter
    parser = Parser(
        prog=request.prog.format(verb=request.verb, pipeline=_name(pipelines)),
        usage=request.usage or None,
        description=request.describe(help, pipelines),
        epilog=request.epilog or None,
        formatter_class=raw if request.preformatted else plain,
        allow_abbrev=False,
        add_help=exits,
    )
    parser.exits = exits
    groups: dict[str, Any] = {"": parser}
    for entry in listed:
        if entry.heading not in groups:
            groups[entry.heading] = parser.add_argument_group(entry.heading)
        _add(groups[entry.heading], entry)
    return parser


def _name(pipelines: Pipelines) -> str:
    return pipelines[0].name if pipelines else ""


def _add(group: Any, entry: Entry) -> None:
    """Add an option to a parser, or to an argument group of a parser."""
    option = entry.option
    help = argparse.SUPPRESS if option.hidden else option.help.replace("%", "%%")
    words: dict[str, Any] = {"help": help, "default": option.default}
    if option.form == "flag":
        words["action"] = "store_true"
    elif option.form == "constant":
        words |= {"action": "store_const", "const": option.const}
    elif option.form in ("switch", "switches"):
        words["action"] = Switch if option.form == "switch" else EverySwitch
    else:
        words |= {"type": _reader(option.value), "metavar": option.metavar or None}
        words |= {"nargs": option.nargs or None, "const": option.const}
        if option.control.kind == "choice" and not option.read:
            words["choices"] = option.control.choices
        if option.repeated:
            del words["nargs"], words["const"]
            words |= {"action": "append", "default": list(option.default)}
    if option.positional:
        group.add_argument(entry.dest, **words)
    else:
        group.add_argument(*entry.names, dest=entry.dest, required=option.required, **words)


def _reader(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def checked(text: str) -> Any:
        """Parse an option's value; raise the parser's error, with the reason, if it is invalid."""
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return checked


MARKS_OF_PATHS = "./\\:%"
"""Characters that occur in file names and addresses, but in no verb or pipeline."""
LIKE_NAME = 0.6  # how alike a name must be: most words that come first are names of files
LIKE_OPTION = 0.85  # how alike an option must be: a verb's own parser may know the word


def check_first(words: Sequence[str], known: Iterable[str], kind: str) -> None:
    """Raise ``ValueError`` if the first word seems to be a misspelled name, not a file.

    Args:
        known: the names that the word may be.
        kind: the kind of such a name, for the message.

    Raises:
        ValueError: the word is misspelled; the message suggests the most similar name.
    """
    word, names = words[0] if words else "", list(known)
    alone = [name for name in names if name[:1] == "-" and list(words) == [word]]
    if word[:2] == "--" and (meant := nearest(word, alone, LIKE_OPTION)):
        raise ValueError(f"no such option '{label(word)}': did you mean {meant}?")
    bare = bool(word) and word[0] != "-" and not set(word) & set(MARKS_OF_PATHS)
    if word in names or not bare or Path(word).exists():
        return
    if meant := nearest(word, names, LIKE_NAME):
        raise ValueError(f"no such file or {kind} '{label(word)}': did you mean {meant}?")


class Once(argparse._StoreAction):
    """An option with a value that may be given only once, so that no value is lost silently.

    An option that takes a list may be given again, and the lists are joined.
    """

    into: argparse.Namespace | None = None
    """The namespace that the value was stored in last."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        """Store the option's value, or append it to the list of values given before."""
        if option and self.into is namespace:
            if self.nargs != "+":
                raise argparse.ArgumentError(self, f"is given twice (again with {values})")
            values = [*getattr(namespace, self.dest), *values]
        self.into = namespace
        super().__call__(parser, namespace, values, option)


class Switch(argparse.BooleanOptionalAction):
    """A switch, ``--name`` or ``--no-name``; giving both is an error."""

    into: argparse.Namespace | None = None
    """The namespace that the switch was set in last."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        """Set the switch's value; raise an error for ``--name`` together with ``--no-name``."""
        before = getattr(namespace, self.dest)
        super().__call__(parser, namespace, values, option)
        if self.into is namespace and getattr(namespace, self.dest) != before:
            raise argparse.ArgumentError(self, "is given both ways: give one")
        self.into = namespace


class EverySwitch(argparse.BooleanOptionalAction):
    """A switch that may be given repeatedly, such as ``--median --no-median``; collects a list."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        """Append the switch's value to the list of values given on the command line."""
        before = getattr(namespace, self.dest) or []
        on = not str(option).startswith("--no-")
        setattr(namespace, self.dest, [*before, on])


LEAST = 0.6  # how alike an option's name must be, from 0 to 1: short names are alike by chance


def _option_meant(word: str, known: Iterable[str]) -> str:
    """Return a question that suggests the most similar option; empty if none is similar."""
    names = {option.lstrip("-"): option for option in known if option.startswith("--")}
    similar = nearest(word[2:], names, LEAST) if word.startswith("--") else ""
    return f" (did you mean {names[similar]!r}?)" if similar else ""


class Parser(argparse.ArgumentParser):
    """A command-line parser that reports errors in one line, for words of any length or content.

    A value may begin with a negative number, as in ``--orbit -20,10,1``.

    Attributes:
        exits: whether an error ends the program; if not, it is raised.
    """

    exits = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # What argparse takes for a number, and not for an option: it knows of single ones only.
        self._negative_number_matcher = re.compile(r"-\.?\d[-+.,\de]*$")
        for name in (None, "store"):
            self.register("action", name, Once)

    def parse_args(  # type: ignore[override]  # of a namespace given, the type is kept
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Parse a command line; report unknown options, with similar options that exist."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            known = list(self._option_string_actions)
            words = [f"{w}{_option_meant(w, known)}" for w in unknown]
            self.error(f"unrecognized arguments: {' '.join(words)}")
        return options

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Parse an option's value; refuse ``--``, as in ``--size=--``, which would give a list."""
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            raise argparse.ArgumentError(action, "expected one argument")
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise an error for a value that is no choice, with the most similar choice."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            if str(value).lower().endswith(".onnx"):
                error.message += f"; a network is named onnx:{value}"
            else:
                error.message += did_you_mean(str(value), map(str, action.choices or ()))
            raise

    def error(self, message: str) -> NoReturn:
        """Print the error message, and exit with code 2; or raise ``ValueError`` with it."""
        if not self.exits:
            raise ValueError(one_line(message))
        self.exit(2, f"{one_line(f'{self.prog}: error: {message}')}\n")

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        """Print help or an error; raise ``BrokenPipeError`` if the output of the help is closed."""
        if message and (file or sys.stderr) is sys.stdout:
            sys.stdout.write(message)
        else:
            super()._print_message(message, file)
