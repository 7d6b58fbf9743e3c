"""From a command line of ``figure`` to the plan of a figure."""

import argparse
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from gpu import Unavailable
from gpu.device import why_unavailable
from gpu.parameters import controls
from gpu.pipeline import Pipeline
from gpu.pipelines import PIPELINES
from viewer.choices.judging import is_disparity
from viewer.choices.state import ViewerState
from viewer.commands.figure.pairs import NamedPair, pairs_of, stranger_said
from viewer.commands.messages import say
from viewer.commands.option_layer import option_layer
from viewer.figures.cells import (
    Compared,
    Wanted,
    cell_as_shown,
    of_presets,
    of_values,
    of_variants,
)
from viewer.figures.files import read_plan
from viewer.figures.plan import FigureCell, FigurePlan, FigureRow, FigureStyle, MeasuredVariant
from viewer.figures.ranges import with_common_ranges
from viewer.figures.studio import Tell
from viewer.figures.templates import TEMPLATES, Template, laid_out
from viewer.figures.timing import NOT_MEASURED, measured
from viewer.measuring.sweep import REFERENCE
from viewer.options import parameter_value
from viewer.settings import user_settings
from viewer.settings.foreign_sources import foreign_files
from viewer.settings.layers import Machine, merged, switched
from viewer.settings.recipe import Recipe
from viewer.settings.seal import seal_of
from viewer.sources.grey import grey_views

SHOWN = (
    *("params", "variant", "set", "range", "colormap", "truth_convention", "truth_region"),
    "frame",
)
"""The options that say what is shown, as ``view`` has them."""
MEMORIES = ("global", "texture", "shared", "constant")
"""The variants that a course's report shows beside the host's: a memory of the GPU each."""


def machine_here() -> Machine:
    """Find out which devices can be used, and read the user's presets."""
    absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
    return Machine(absent, user_settings.presets(say))


def plan_of(options: argparse.Namespace, machine: Machine, tell: Tell) -> FigurePlan:
    """Plan what a command line asks for, or read the plan of the figure that it names.

    Raises:
        ValueError, OSError: bad input.
    """
    again = _again(options)
    if again:
        return replace(again, style=_style(options, again.style))
    rows, columns = [], 1
    for pair in pairs_of(options):
        cells, wide = _cells(options, pair, machine, tell)
        seal = seal_of(pair.source) if "left" in pair.source else ""
        rows.append(FigureRow(pair.name, pair.source, cells, seal))
        columns = max(columns, wide)
    found = with_common_ranges(tuple(rows), machine)
    return FigurePlan(found, columns, _style(options, FigureStyle()), tuple(options.inset or ()))


def _again(options: argparse.Namespace) -> FigurePlan | None:
    """Read the plan of the figure named, if a figure is; made again, it stays as it is."""
    paths = [Path(word).expanduser() for word in options.pairs]
    found = [(path, plan) for path in paths if (plan := read_plan(path))]
    if not found:
        return None
    asked = (options.layout, options.preset, options.over, options.variants, options.views)
    if len(paths) > 1 or any(asked) or options.inset or options.params or options.variant:
        only = "beside its file only --out, --width, --dpi and --theme count"
        raise ValueError(f"{found[0][0]}: a figure is made again as it is; {only}")
    path, plan = found[0]
    for row in plan.rows:
        foreign = foreign_files(path, {"source": row.source, "seal": row.seal})
        if foreign and not options.trust_sources:
            raise ValueError(stranger_said(path, foreign))
    return plan


def _style(options: argparse.Namespace, usual: FigureStyle) -> FigureStyle:
    """Choose how a figure is drawn: as options say, else as usual."""
    asked = {name: getattr(options, name) for name in ("width", "dpi", "theme")}
    return replace(usual, **{name: said for name, said in asked.items() if said is not None})


def _cells(
    options: argparse.Namespace, pair: NamedPair, machine: Machine, tell: Tell
) -> tuple[tuple[FigureCell, ...], int]:
    """Make the cells of a pair, and say how many are in a line."""
    asked = (options.layout, options.over, options.variants, options.views)
    several = len(options.preset or ()) > 1
    if pair.recipe and not any(asked) and not several:
        return _as_restored(_recipe(options, pair, machine, options.preset), machine)
    template = TEMPLATES[_template(options)]
    state = machine.state(_recipe(options, pair, machine, _base_preset(options, template)))
    compared = _compared(options, template, pair, state, tell)
    return laid_out(template, Wanted(state, compared, tuple(options.views or ())))


def _as_restored(recipe: Recipe, machine: Machine) -> tuple[tuple[FigureCell, ...], int]:
    """Make the one cell that shows what settings say."""
    cell = cell_as_shown(machine.state(recipe), recipe)
    return (cell,), cell.places


def _recipe(
    options: argparse.Namespace,
    pair: NamedPair,
    machine: Machine,
    presets: Sequence[str] | None,
) -> Recipe:
    """Write down what all cells of a pair have in common: defaults < settings < options."""
    defaults = machine.defaults(options.pipeline.name)
    below = merged(defaults, pair.recipe)
    if options.names_pipeline or not pair.recipe:
        below = switched(below, defaults)
    nothing = ("view", "b_pipeline", "b_preset", "b_set", "b_variant", "b_view")
    said = {name: getattr(options, name) for name in SHOWN} | dict.fromkeys(nothing)
    asked = argparse.Namespace(**said, preset=presets[0] if presets else None)
    return merged(below, option_layer(asked, below, machine))


def _template(options: argparse.Namespace) -> str:
    """Name the template asked for, or the one that fits what is asked for."""
    if options.layout:
        return str(options.layout)
    if options.over:
        return "ablation"
    if options.variants:
        return "variants"
    judged = is_disparity(options.pipeline.image(options.pipeline.output))
    return "error-anatomy" if judged and len(options.preset or ()) < 2 else "two-presets"


def _base_preset(options: argparse.Namespace, template: Template) -> list[str]:
    """Name the preset that all cells begin with, where presets are not what is compared."""
    given = list(options.preset or ())
    if template.compares == "presets":
        return []
    if len(given) > 1:
        raise ValueError(f"this figure compares {template.compares}: give one --preset at most")
    of_course = [name for name in options.pipeline.presets if name.startswith("aveiro")]
    return given or (of_course[:1] if template is TEMPLATES["course"] else [])


def _compared(
    options: argparse.Namespace,
    template: Template,
    pair: NamedPair,
    state: ViewerState,
    tell: Tell,
) -> tuple[Compared, ...]:
    """List what a figure compares.

    Raises:
        ValueError: it is not said, or impossible.
    """
    if template.compares == "presets":
        usual = list(state.slot.pipeline.presets)[:2]
        names = options.preset or (usual if template is TEMPLATES["two-presets"] else ())
        return of_presets(state, names)
    if template.compares == "values":
        if not options.over:
            raise ValueError("an ablation needs values: give --over NAME=VALUE,VALUE")
        name, words = options.over
        control = controls(state.slot.pipeline.params)[name]
        values = [parameter_value(control, name, word) for word in words]
        return of_values(state.slot, name, values)
    return of_variants(state.slot, _measured(options, template, pair, state, tell))


def _measured(
    options: argparse.Namespace,
    template: Template,
    pair: NamedPair,
    state: ViewerState,
    tell: Tell,
) -> dict[str, MeasuredVariant]:
    """Measure the variants that a figure compares; those of a pair that is not there, not."""
    pipeline = PIPELINES[state.slot.pipeline.name]
    names = options.variants or _usual_variants(template, pipeline, state)
    try:
        with closing(user_settings.reopened(pair.source)) as source:
            views = grey_views(source.frame(state.frame % source.length))
            return measured(pipeline, names, state.slot.params, views, tell)
    except (OSError, ValueError, Unavailable):
        return dict.fromkeys(names, NOT_MEASURED)  # the cells say why


def _usual_variants(template: Template, pipeline: Pipeline, state: ViewerState) -> list[str]:
    """List the variants of a template that this machine can run, and say which it cannot."""
    every = {variant.name: variant for variant in pipeline.variants}
    if template is TEMPLATES["course"]:
        every = {name: one for name, one in every.items() if name in (REFERENCE, *MEMORIES)}
    left_out = [name for name, one in every.items() if state.absent.get(one.device)]
    if left_out:
        why = state.absent[every[left_out[0]].device]
        say(f"left out: {', '.join(left_out)} ({why}); --variants names them")
    return [name for name in every if name not in left_out]
