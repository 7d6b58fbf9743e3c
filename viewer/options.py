"""Functions that declare command line options, each once, as fields of dataclasses.

Use these functions in a ``Request``, which ``viewer.parser`` describes. Numbers and choices are
declared by ``gpu.parameters.Control``, so every number has bounds.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from wheatstone.gpu.parameters import Control, Params, controls, defaults
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.io.reading.documents import parsed

WHOLE = 2**31 - 1
"""The largest integer of an option without closer bounds."""
NUMBER = 1e9
"""The largest number of such an option."""
LONGEST_PIXEL = 24  # characters of a pixel's row and column


@dataclass(frozen=True)
class Option:
    """A description of one option, or of one positional argument.

    Attributes:
        control: its help, and the choices or bounds of its value.
        metavar: the name of its value in the help; empty: its choices. Several names for an option
            that takes as many words.
        read: reads the value from a word; it raises ``ValueError`` for a wrong one. Without it,
            the control is used.
        names: such as ``--out``; empty: made of the field's name.
        heading: of its group in the help; empty: that of the class that declares it.
        nargs: how many words it takes, as in ``argparse``; empty: one.
        const: its value without a word, where ``nargs`` is ``?``; or that of a ``constant``.
        repeated: whether it may be given several times; the values are collected.
        form: ``flag``: it takes no value; ``switch``: ``--name`` or ``--no-name``; ``switches``:
            both may be given, and the values are collected; ``constant``: it sets ``const``.
        hidden: whether the help does not list it.
    """

    control: Control
    metavar: str | tuple[str, ...] = ""
    read: Callable[[str], Any] | None = None
    names: tuple[str, ...] = ()
    heading: str = ""
    default: Any = None
    required: bool = False
    positional: bool = False
    nargs: int | Literal["", "?", "*", "+"] = ""
    const: Any = None
    repeated: bool = False
    form: Literal["value", "flag", "switch", "switches", "constant"] = "value"
    hidden: bool = False

    @property
    def help(self) -> str:
        """Return the help text that describes the option."""
        return self.control.help

    @property
    def takes_value(self) -> bool:
        """Return whether a word follows the option."""
        return self.form == "value"

    @property
    def is_list(self) -> bool:
        """Return whether the option's value is a tuple of any length."""
        return self.repeated or self.nargs in ("*", "+")

    def value(self, text: str) -> Any:
        """Convert a word to the option's value; raise ``ValueError`` if the word is wrong."""
        if self.read:
            return self.read(text)
        if self.control.kind == "int":
            return whole_number(text, self.control.low, self.control.high)
        if self.control.kind == "float":
            return real_number(text, self.control.low, self.control.high)
        return named_choice(self.control, text)


Pipelines = Sequence[Pipeline]
"""The pipelines that a command line names."""


def peers_of(pipelines: Pipelines) -> str:
    """Return help on passing a network or program as a variant; empty if no pipeline is ``sgm``."""
    takes = any(pipeline.name == "sgm" for pipeline in pipelines)
    programs = "cmd:'PROGRAM {left} {right} {out}' for an external program"
    return f"; also onnx:FILE for a stereo network, or {programs}" if takes else ""


def for_pipelines(make: Callable[[Pipelines], Option | None], default: Any = None) -> Any:
    """Declare a dataclass field whose option is made from the pipelines of a subcommand."""
    return field(default=default, metadata={"option": make})


def many_options(make: Callable[[Pipelines], Iterable[tuple[str, Option]]]) -> Any:
    """Declare a field that collects the values of several options in a dictionary."""
    return field(default_factory=dict, metadata={"option": make})


def declared(option: Option) -> Any:
    """Declare a dataclass field whose value a command line option sets."""
    default = () if option.is_list and option.default is None else option.default
    default = False if option.form == "flag" else default
    return field(
        default=MISSING if option.required else default,
        metadata={"option": replace(option, default=default)},
    )


def text_option(help: str, metavar: str | tuple[str, ...], **traits: Any) -> Any:
    """Declare an option of any text."""
    return declared(Option(Control(help, "text"), metavar, **traits))


def path_option(help: str, metavar: str | tuple[str, ...] = "FILE", **traits: Any) -> Any:
    """Declare an option that names a file or folder."""
    return text_option(help, metavar, read=Path, **traits)


def int_option(
    help: str, low: int = -WHOLE, high: int = WHOLE, metavar: str = "N", **traits: Any
) -> Any:
    """Declare an option of an integer between two bounds, both included."""
    return declared(Option(Control(help, "int", low=low, high=high), metavar, **traits))


def float_option(
    help: str, low: float = -NUMBER, high: float = NUMBER, metavar: str = "X", **traits: Any
) -> Any:
    """Declare an option of a number between two bounds, both included."""
    return declared(Option(Control(help, "float", low=low, high=high), metavar, **traits))


def choice_option(choices: Iterable[Any], help: str, metavar: str = "", **traits: Any) -> Any:
    """Declare an option that takes one of a few values."""
    return declared(Option(Control(help, "choice", choices=tuple(choices)), metavar, **traits))


def pipeline_option(names: Iterable[str] = PIPELINES) -> Any:
    """Declare the option ``--pipeline``, which ``viewer.cli.requests.PipelineOption`` parses."""
    known = tuple(names)
    help = f"pipeline: {', '.join(known)}; default: {known[0]}"
    return choice_option(known, help, "NAME", default=PIPELINES[known[0]])


def flag_option(help: str, **traits: Any) -> Any:
    """Declare an option without a value, which is off unless it is given."""
    return declared(Option(switch_control(help), form="flag", **traits))


def switch_option(help: str, default: bool | None = None, **traits: Any) -> Any:
    """Declare an option that is on or off: ``--name`` or ``--no-name``."""
    return declared(Option(switch_control(help), form="switch", default=default, **traits))


def refused_option(why: str) -> Any:
    """Declare an option of other commands that this command refuses with an error."""

    def refuse(text: str) -> None:
        raise ValueError(why)

    return text_option(f"refused: {why}", "X", read=refuse, nargs="?", const="", hidden=True)


def switch_control(help: str) -> Control:
    """Return the ``Control`` (type and allowed values) of an option that is on or off."""
    return Control(help, "choice", choices=(False, True))


def parameter_options(title: str = "parameters of {}", *, several: bool = False) -> Any:
    """Declare a field that collects the given parameters of pipelines, by name.

    Args:
        title: the heading of the options, with a place for the name of the pipeline.
        several: whether each takes a list of values.
    """

    def make(pipelines: Pipelines) -> list[tuple[str, Option]]:
        """Create an option for every parameter of the pipelines.

        The first pipeline that has a parameter declares its option.
        """
        made: dict[str, Option] = {}
        former: list[tuple[str, Option]] = []
        for pipeline in pipelines:
            heading, usual = title.format(pipeline.name), defaults(pipeline.params)
            for name, control in controls(pipeline.params).items():
                default = usual[name]
                if name in made:
                    help = f"{made[name].help} In {pipeline.name}: {control.bounds}"
                    help = f"{help} (default: {default})."
                    made[name] = replace(made[name], control=replace(made[name].control, help=help))
                    continue
                made[name] = _parameter(control, default, heading, several=several)
                former += _former_switch(name, control, heading, several=several)
        return [*made.items(), *former]

    return many_options(make)


def _parameter(control: Control, default: Any, heading: str, *, several: bool) -> Option:
    """Create the command line option that sets a parameter of a pipeline.

    The parameters themselves check the bounds, which may depend on other parameters.
    """
    if control.choices == (False, True):
        help = f"{control.help} (default: {'on' if default else 'off'})"
        form: Literal["switches", "switch"] = "switches" if several else "switch"
        return Option(replace(control, help=help), form=form, heading=heading)
    shown = ",".join(map(str, default)) if control.kind == "region" else default
    bounds = f"{control.bounds[0].upper()}{control.bounds[1:]}"
    described = replace(control, help=f"{control.help} {bounds} (default: {shown}).")
    read, metavar = VALUES.get(control.kind, (lambda text: named_choice(control, text), "NAME"))
    return Option(described, metavar, read, heading=heading, nargs="+" if several else "")


def _former_switch(
    name: str, control: Control, heading: str, *, several: bool
) -> list[tuple[str, Option]]:
    """Make the hidden option ``--no-NAME`` of a parameter that was a switch in earlier versions."""
    names = (option_name(f"no_{name}"),)
    return [
        (
            name,
            Option(
                control,
                names=names,
                const=[new] if several else new,
                form="constant",
                hidden=True,
                heading=heading,
            ),
        )
        for old, new in control.earlier
        if old is False
    ]


def option_name(parameter: str) -> str:
    """Return the name of a parameter's option, such as ``--p2-adaptation``."""
    return f"--{parameter.replace('_', '-')}"


def chosen_parameters(pipeline: Pipeline, preset: str | None, given: Mapping[str, Any]) -> Params:
    """Return the parameters of a preset, else the default ones, with the given values set.

    Raises:
        ValueError: a value is out of bounds.
    """
    base = pipeline.preset(preset) if preset else pipeline.params()
    return base.changed(**given)


def parameter_value(control: Control, name: str, text: str) -> Any:
    """Convert a word to a parameter's value. Raises ``ValueError`` for a wrong word."""
    if control.choices == (False, True):
        if text not in ("on", "off"):
            raise ValueError(f"{name} is on or off (got {text!r})")
        return text == "on"
    if control.kind not in VALUES:
        return named_choice(control, text)
    kinds: dict[str, Callable[[str], Any]] = {"int": int, "float": float, "region": region}
    try:
        return kinds[control.kind](text)
    except ValueError as error:
        why = {"int": "it must be an integer", "float": "it must be a number"}.get(
            control.kind, error
        )
        raise ValueError(f"{name} cannot be {text!r}: {why}") from error


def named_choice(control: Control, text: str) -> Any:
    """Return the value that a text names among an option's choices, or else the text itself."""
    return {str(choice): choice for choice in control.choices}.get(text, text)


def whole_number(text: str, low: float = -WHOLE, high: float = WHOLE) -> int:
    """Parse an integer between two bounds, both included."""
    return int(_within(int, "an integer", text, low, high))


def real_number(text: str, low: float = -NUMBER, high: float = NUMBER) -> float:
    """Parse a number between two bounds, both included; NaN is refused."""
    return float(_within(float, "a number", text, low, high))


def _within(kind: type[int] | type[float], what: str, text: str, low: float, high: float) -> float:
    try:
        value = kind(text)
    except ValueError:
        raise ValueError(f"must be {what} (got {text!r})") from None
    if not low <= value <= high:
        raise ValueError(f"must be in [{low:.10g}, {high:.10g}] (got {text!r})")
    return value


def _split(text: str, kind: type[int] | type[float], count: int, form: str) -> tuple[Any, ...]:
    """Parse numbers separated by commas; raise ``ValueError`` that states the expected form."""
    try:
        values = tuple(kind(value) for value in text.split(","))
    except ValueError:
        values = ()
    if len(values) != count:
        raise ValueError(f"{form} (got {text!r})")
    return values


def region(text: str) -> tuple[int, ...]:
    """Parse a rectangle: X,Y,WIDTH,HEIGHT in pixels."""
    return _split(text, int, 4, "a rectangle is X,Y,WIDTH,HEIGHT, such as 10,20,52,52")


def center(text: str) -> tuple[float, ...]:
    """Parse a point of a picture: X,Y as fractions of width and height."""
    return _split(text, float, 2, "a point is X,Y, such as 0.5,0.5")


def orbit(text: str) -> tuple[float, ...]:
    """Parse the viewpoint of a point cloud: YAW,PITCH,DISTANCE."""
    return _split(text, float, 3, "an orbit is YAW,PITCH,DISTANCE, such as 20,10,1.2")


def pixel(text: str) -> tuple[int, int]:
    """Parse the row and the column of a pixel: Y,X, counted from 0."""
    row, _, column = text.partition(",")
    if not (row.isdecimal() and column.isdecimal() and len(text) < LONGEST_PIXEL):
        raise ValueError(f"a pixel is Y,X, such as 240,100 (got {text!r})")
    return int(row), int(column)


def size(text: str) -> tuple[int, int]:
    """Parse WxH to width and height in pixels, both from 1 to 16384."""
    try:
        width, height = (int(number) for number in text.lower().split("x"))
    except ValueError:
        raise ValueError(f"a size is WxH, such as 640x480 (got {text!r})") from None
    if not (1 <= width <= 16384 and 1 <= height <= 16384):
        raise ValueError(f"a size must be from 1x1 to 16384x16384 (got {text!r})")
    return width, height


def single_choice(text: str) -> tuple[str, str, Any]:
    """Parse FIELD.NAME=VALUE of option ``--set``, with the value in TOML or as a bare word."""
    name, given, value = text.partition("=")
    field, dot, attribute = name.partition(".")
    if not given or not dot:
        raise ValueError(f"a choice is FIELD.NAME=VALUE (got {text!r})")
    try:
        return field, attribute, parsed(f"value = {value}", "TOML")["value"]
    except ValueError:
        return field, attribute, value


def setting(text: str) -> tuple[str, str]:
    """Parse NAME=VALUE of an option; dashes in the name become underscores."""
    name, given, value = text.partition("=")
    if not given:
        raise ValueError(f"a setting is NAME=VALUE, such as p2=99 (got {text!r})")
    return name.replace("-", "_"), value


def origin(text: str) -> str:
    """Parse an origin: scheme, host and port of a web address, and nothing else."""
    if not re.fullmatch(r"https?://[A-Za-z0-9.\-\[\]:]+", text):
        raise ValueError(f"must be an origin such as http://localhost:8888 (got {text!r})")
    return text


VALUES: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "int": (whole_number, "N"),
    "float": (real_number, "X"),
    "region": (region, "X,Y,W,H"),
}
"""The reader of a parameter's value, and its name in the help, by the kind of the control."""
