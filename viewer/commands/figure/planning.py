"""Make the plan of a figure from a command line."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from wheatstone.gpu.device import why_unavailable
from wheatstone.viewer.choices.judging import is_disparity
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.commands.figure.comparing import compared_of
from wheatstone.viewer.commands.figure.outputs import check_replaced
from wheatstone.viewer.commands.figure.pairs import NamedPair, pairs_of, stranger_said
from wheatstone.viewer.commands.messages import say
from wheatstone.viewer.figures.cells import (
    FigureRequest,
    cell_as_shown,
)
from wheatstone.viewer.figures.files import read_plan
from wheatstone.viewer.figures.plan import FigureCell, FigurePlan, FigureRow, FigureStyle
from wheatstone.viewer.figures.ranges import with_common_ranges
from wheatstone.viewer.figures.studio import Tell
from wheatstone.viewer.figures.templates import TEMPLATES, Template, laid_out, padded
from wheatstone.viewer.reading.paths import expanded
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.given_options import apply_options
from wheatstone.viewer.settings.layers import Machine, merged, switch_pipeline
from wheatstone.viewer.settings.recipe import to_recipe
from wheatstone.viewer.settings.trust import foreign_files, seal_of
from wheatstone.viewer.sources.source_spec import SourceSpec

SHOWN = (
    *("params", "variant", "set", "range", "colormap", "truth_convention", "truth_region"),
    "frame",
)
"""The options that choose the view, as in ``view``."""


def machine_here() -> Machine:
    """Determine which devices can be used, and read the user's presets."""
    absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
    return Machine(absent, user_settings.presets(say))


def plan_of(options: argparse.Namespace, machine: Machine, tell: Tell) -> FigurePlan:
    """Plan a figure from a command line, or read the plan of the figure that it names.

    Raises:
        ValueError, OSError: invalid input, or a file to write would replace an input.
    """
    again = _again(options)
    if again:
        check_replaced(options, [SourceSpec.from_dict(row.source) for row in again.rows])
        return replace(again, style=_style(options, again.style))
    pairs = pairs_of(options)
    check_replaced(options, [pair.spec for pair in pairs])
    made = [_cells(options, pair, machine, tell) for pair in pairs]
    columns = max(wide for _, wide in made)
    rows = tuple(
        FigureRow(pair.name, pair.spec.to_dict(), padded(cells, wide, columns), _seal(pair))
        for pair, (cells, wide) in zip(pairs, made, strict=True)
    )
    style = _style(options, FigureStyle())
    return FigurePlan(with_common_ranges(rows, machine), columns, style, tuple(options.inset or ()))


def _seal(pair: NamedPair) -> str:
    """Sign the source of a pair, so that its figure opens the same files without a question."""
    return seal_of(pair.spec) if pair.spec.left else ""


def _again(options: argparse.Namespace) -> FigurePlan | None:
    """Read the plan of the figure that the command line names; None if it names no figure."""
    paths = [expanded(word) for word in options.pairs]
    found = [(path, plan) for path in paths if (plan := read_plan(path))]
    if not found:
        return None
    asked = (options.layout, options.preset, options.over, options.variants, options.views)
    if len(paths) > 1 or any(asked) or options.inset or options.params or options.variant:
        only = "beside its file only --out, --width, --dpi and --theme count"
        raise ValueError(f"{found[0][0]}: a figure is made again as it is; {only}")
    path, plan = found[0]
    for row in plan.rows:
        foreign = foreign_files(path, SourceSpec.from_dict(row.source), row.seal)
        if foreign and not options.trust_sources:
            raise ValueError(stranger_said(path, foreign))
    return plan


def _style(options: argparse.Namespace, usual: FigureStyle) -> FigureStyle:
    """Choose the style of a figure: from the options, else the default."""
    asked = {name: getattr(options, name) for name in ("width", "dpi", "theme")}
    return replace(usual, **{name: said for name, said in asked.items() if said is not None})


def _cells(
    options: argparse.Namespace, pair: NamedPair, machine: Machine, tell: Tell
) -> tuple[tuple[FigureCell, ...], int]:
    """Make the cells of a pair, and return them with the number of columns."""
    asked = (options.layout, options.over, options.variants, options.views)
    several = len(options.preset or ()) > 1
    if pair.recipe and not any(asked) and not several:
        state = _state(options, pair, machine, options.preset)
        cell = cell_as_shown(state, to_recipe(state))
        return (cell,), cell.places
    template = TEMPLATES[_template(options)]
    state = _state(options, pair, machine, _base_preset(options, template))
    compared = compared_of(options, template, pair, state, tell)
    return laid_out(template, FigureRequest(state, compared, tuple(options.views or ())))


def _state(
    options: argparse.Namespace,
    pair: NamedPair,
    machine: Machine,
    presets: Sequence[str] | None,
) -> ViewerState:
    """Make the state that all cells of a pair share: defaults < settings < options."""
    state = machine.state(merged(machine.defaults(options.pipeline.name), pair.recipe))
    if options.names_pipeline:
        switch_pipeline(state, options.pipeline.name)
    nothing = ("view", "b_pipeline", "b_preset", "b_set", "b_variant", "b_view")
    said = {name: getattr(options, name) for name in SHOWN} | dict.fromkeys(nothing)
    asked = argparse.Namespace(**said, preset=presets[0] if presets else None)
    apply_options(state, asked)
    return state


def _template(options: argparse.Namespace) -> str:
    """Return the name of the requested template, or of the one that fits the other options."""
    if options.layout:
        return str(options.layout)
    if options.over:
        return "ablation"
    if options.variants:
        return "variants"
    judged = is_disparity(options.pipeline.image(options.pipeline.output))
    return "error-anatomy" if judged and len(options.preset or ()) < 2 else "two-presets"


def _base_preset(options: argparse.Namespace, template: Template) -> list[str]:
    """Return the preset that all cells begin with; none if the figure compares presets."""
    given = list(options.preset or ())
    if template.compares == "presets":
        return []
    if len(given) > 1:
        raise ValueError(f"this figure compares {template.compares}: give one --preset at most")
    of_course = [name for name in options.pipeline.presets if name.startswith("aveiro")]
    return given or (of_course[:1] if template is TEMPLATES["course"] else [])
