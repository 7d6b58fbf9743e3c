"""The command-line options that choose the window's view, also used by lessons."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from wheatstone.gpu.parameters import Control, controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.cloud import CloudChoice
from wheatstone.viewer.choices.declared import SHOWN
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.choices.look import Look, Range, parse_range
from wheatstone.viewer.choices.mixing import Mixing
from wheatstone.viewer.choices.panel_choices import Playing, RecordingChoice
from wheatstone.viewer.choices.table import VIEW, Choice, choices
from wheatstone.viewer.choices.unfolding import UnfoldingChoice
from wheatstone.viewer.options import (
    Option,
    Pipelines,
    center,
    choice_option,
    for_pipelines,
    many_options,
    orbit,
    parameter_options,
    peers_of,
    pixel,
    real_number,
    setting,
    single_choice,
    switch_control,
    text_option,
    whole_number,
)
from wheatstone.viewer.parser import Request, parse_request

HEADINGS = (
    *(SHOWN, Look.heading, CloudChoice.heading, UnfoldingChoice.heading, Playing.heading),
    *(Mixing.heading, TruthChoice.heading, RecordingChoice.heading),
)
"""The groups of the choices that have options, in the order of the help."""
READERS: Mapping[Any, Callable[[str], Any]] = {
    str: str,
    int: whole_number,
    int | None: whole_number,
    float: real_number,
    float | None: real_number,
    tuple[float, float]: center,
    tuple[int, int] | None: pixel,
    tuple[float, float, float]: orbit,
}
"""The functions that read an option's value, by the type of the choice."""


def choice_options(verb: str) -> Any:
    """Declare a request's field for the command-line options of display choices, such as colours.

    The view is not one of these choices: its option lists the views of the pipeline.

    Args:
        verb: as in the choices' declarations: ``view`` for all commands that show the window.
    """

    def make(_: Pipelines) -> Iterator[tuple[str, Option]]:
        """Yield the command-line options of all display choices, ordered by help heading."""
        for heading in HEADINGS:
            for choice in choices():
                traits, named = choice.traits, choice.heading == heading and choice is not VIEW
                if traits.option and named and verb in traits.verbs:
                    yield option_key(choice), _option_of(choice)

    return many_options(make)


def option_key(choice: Choice) -> str:
    """Return a display choice's key in the mapping that ``choice_options`` collects."""
    return choice.traits.option.replace("-", "_")


def _option_of(choice: Choice) -> Option:
    """Build the command-line option of a display choice, such as the colour map.

    The state checks bounds, because some depend on the view.
    """
    traits, control = choice.traits, choice.control
    if choice.is_switch or traits.flag_values:
        return Option(switch_control(control.help), form="switch", heading=choice.heading)
    if control.kind == "choice":
        listed = "; ".join(f"{v}: {text.rstrip('.')}" for v, text in traits.meanings.items())
        help = listed if traits.row and listed else control.help
        return Option(replace(control, help=help), traits.metavar, heading=choice.heading)
    usual = f" (default: {choice.default:g})" if control.kind == "float" else ""
    described = replace(control, help=control.help + usual)
    return Option(described, traits.metavar or "X", READERS[choice.kind], heading=choice.heading)


def _variant(pipelines: Pipelines) -> Option:
    variants = ", ".join(f"{v.name} ({v.device})" for v in pipelines[0].variants)
    help = f"implementation: {variants}; default: the fastest that this machine can run"
    help += peers_of(pipelines)
    names = tuple(variant.name for variant in pipelines[0].variants)
    return Option(Control(help, "choice", choices=names), "V")


def _preset(pipelines: Pipelines) -> Option | None:
    if not controls(pipelines[0].params):
        return None
    presets = ", ".join([*pipelines[0].presets, "or your own"])
    help = f"preset of parameters: {presets}; options of single parameters override it"
    return Option(Control(help, "text"), "P")


def _view(pipelines: Pipelines) -> Option:
    help = "; ".join(f"{view.name}: {view.help}" for view in pipelines[0].views)
    names = tuple(view.name for view in pipelines[0].views)
    return Option(Control(help, "choice", choices=names))


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The command-line options of a run: variant, preset, and single parameters by name."""

    variant: str | None = for_pipelines(_variant)
    preset: str | None = for_pipelines(_preset)
    params: Mapping[str, Any] = parameter_options()


@dataclass(frozen=True, kw_only=True)
class ViewOption:
    """The option that selects a view of the pipeline."""

    heading: ClassVar[str] = SHOWN
    view: str | None = for_pipelines(_view)


@dataclass(frozen=True, kw_only=True)
class RangeOption:
    """The option for the display range: the values of the first and the last colour."""

    heading: ClassVar[str] = Look.heading
    range: Range | None = text_option(
        "values of the first and the last colour, in the image's unit; default: as the pipeline "
        "declares",
        "LOW,HIGH",
        read=parse_range,
    )


@dataclass(frozen=True, kw_only=True)
class SlotBOptions:
    """The options of run B of the comparison: pipeline, variant, parameters and view."""

    heading: ClassVar[str] = Mixing.heading
    b_pipeline: str | None = choice_option(PIPELINES, "pipeline of B; default: that of A", "P")
    b_variant: str | None = text_option(
        "variant of B; default: A's if B has its own preset or parameters, else a fast other one",
        "V",
    )
    b_preset: str | None = text_option("preset of B; default: the parameters of A", "P")
    b_view: str | None = text_option("view of B, if its pipeline is not A's", "VIEW")
    b_set: tuple[tuple[str, str], ...] = text_option(
        "parameters of B, such as p2=99 subpixel=off", "NAME=VALUE", read=setting, nargs="+"
    )


@dataclass(frozen=True, kw_only=True)
class SetOption:
    """The option ``--set`` for display choices that have no command-line option of their own.

    Each choice has a group, a name and a value.
    """

    heading: ClassVar[str] = "settings"
    set: tuple[tuple[str, str, Any], ...] = text_option(
        "a choice of a panel, by its name in the settings file; may be repeated",
        "FIELD.NAME=VALUE",
        read=single_choice,
        repeated=True,
    )


@dataclass(frozen=True, kw_only=True)
class ShownOptions(RunOptions, ViewOption, RangeOption, SlotBOptions, SetOption):
    """All command-line options that choose the computation and its display.

    Attributes:
        choices: values of the viewer's own choices, by the name of the option.
    """

    choices: Mapping[str, Any] = choice_options("view")


@dataclass(frozen=True, kw_only=True)
class ShownRequest(ShownOptions, Request):
    """The display options that a step of a lesson sets, in the syntax of the ``view`` command."""


def parse_shown(words: Sequence[str], pipeline: Pipeline) -> ShownRequest:
    """Parse options of the run and the display, in the syntax of the ``view`` command.

    Args:
        words: options alone, such as ``--view edges --low 20``.

    Raises:
        ValueError: a word has no meaning, or a value is impossible.
    """
    return parse_request(ShownRequest, words, "", (pipeline,), exits=False)
