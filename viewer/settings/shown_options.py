"""The options that choose the view, for a command line or a lesson."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.look import Range, parse_range
from wheatstone.viewer.choices.mixing import Mixing
from wheatstone.viewer.choices.table import VIEW, Choice, choices
from wheatstone.viewer.former_options import (
    add_parameters,
    center,
    given_parameters,
    orbit,
    pixel,
    setting,
    single_choice,
)
from wheatstone.viewer.parser import Parser, Switch
from wheatstone.viewer.reading.plain_text import one_line

READERS: dict[Any, Callable[[str], Any]] = {
    str: str,
    int: int,
    int | None: int,
    float: float,
    float | None: float,
    tuple[float, float]: center,
    tuple[int, int] | None: pixel,
    tuple[float, float, float]: orbit,
}
"""The functions that parse an option's value, by the type of the choice."""


def add_variant_and_preset(parser: argparse.ArgumentParser, pipeline: Pipeline) -> None:
    """Add the options that choose a pipeline's variant and one of its presets."""
    variants = ", ".join(f"{v.name} ({v.device})" for v in pipeline.variants)
    help = f"implementation: {variants}; default: the fastest this machine can run"
    names = [variant.name for variant in pipeline.variants]
    parser.add_argument("--variant", choices=names, metavar="V", help=help)
    if not controls(pipeline.params):
        parser.set_defaults(preset=None)
        return
    presets = ", ".join([*pipeline.presets, "your own"])
    help = f"named settings: {presets}; single options override them"
    parser.add_argument("--preset", metavar="P", help=help)


def value_range(text: str) -> Range:
    """Parse LOW,HIGH, the values of the first and the last colour."""
    try:
        return parse_range(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_slot_b(parser: argparse.ArgumentParser, verb: str) -> None:
    """Add the options about B, and about how A and B are mixed; see ``add_choices``."""
    group = parser.add_argument_group(Mixing.heading)
    group.add_argument("--b-pipeline", choices=PIPELINES, metavar="P", help="default: that of A")
    group.add_argument("--b-variant", metavar="V", help="default: a fast one that A is not")
    group.add_argument("--b-preset", metavar="P", help="named settings of B; default: those of A")
    group.add_argument("--b-view", metavar="VIEW", help="of B's pipeline, if it is another")
    help = "single parameters of B, such as p2=99 subpixel=off"
    group.add_argument("--b-set", nargs="+", type=setting, metavar="NAME=VALUE", help=help)
    add_choices(group, Mixing.heading, verb)


def add_choices(group: "argparse._ArgumentGroup", heading: str, verb: str) -> None:
    """Add a command's options for the choices under a heading.

    The view is not one of these choices: its option lists the views of the pipeline.

    Args:
        verb: as in the choices' declarations: ``view`` for all commands that show the window.
    """
    for choice in choices():
        under_it = choice.heading == heading and choice is not VIEW
        if choice.traits.option and under_it and verb in choice.traits.verbs:
            _add_option(group, choice)


def parse_shown(words: Sequence[str], pipeline: Pipeline) -> argparse.Namespace:
    """Parse words that choose the view, as the command line of ``view`` takes them.

    Args:
        words: options alone, such as ``--view edges --low 20``.

    Raises:
        ValueError: a word has no meaning, or a value is impossible.
    """
    parser = _ShownParser(prog="", add_help=False, allow_abbrev=False)
    add_variant_and_preset(parser, pipeline)
    add_parameters(parser, pipeline)
    names = [view.name for view in pipeline.views]
    parser.add_argument("--view", choices=names)
    parser.add_argument("--range", type=value_range)
    parser.add_argument("--set", type=single_choice, action="append")
    add_slot_b(parser, "view")
    for heading in dict.fromkeys(choice.heading for choice in choices()):
        if heading != Mixing.heading:
            add_choices(parser.add_argument_group(heading), heading, "view")
    options = parser.parse_args(words)
    options.params = given_parameters(options, pipeline)
    return options


class _ShownParser(Parser):
    """A parser that raises an error for its caller and does not end the program."""

    def error(self, message: str) -> NoReturn:
        """Raise ``ValueError`` with the error message, in one line."""
        raise ValueError(one_line(message))


def _add_option(group: "argparse._ArgumentGroup", choice: Choice) -> None:
    """Add the option of a choice to a group, with None as its default."""
    traits, control = choice.traits, choice.control
    option, help = f"--{traits.option}", control.help.replace("%", "%%")
    if choice.is_switch or traits.flag_values:
        group.add_argument(option, action=Switch, default=None, help=help)
    elif control.kind == "choice":
        listed = "; ".join(f"{v}: {text.rstrip('.')}" for v, text in traits.meanings.items())
        text = listed if traits.row and listed else help
        metavar = traits.metavar or None
        kind, values = type(choice.default), control.choices
        group.add_argument(option, type=kind, choices=values, metavar=metavar, help=text)
    else:
        usual = f" (default: {choice.default:g})" if control.kind == "float" else ""
        group.add_argument(
            option, type=READERS[choice.kind], metavar=traits.metavar or "X", help=help + usual
        )
