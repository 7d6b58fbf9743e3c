"""``wheatstone figure``: draw a figure, and write it with its tables."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import why_unavailable
from wheatstone.viewer.choices.judging import is_disparity
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.figure.comparing import compared_of
from wheatstone.viewer.cli.figure.pairs import NamedPair, pairs_of
from wheatstone.viewer.cli.figure.request import FigureRequest
from wheatstone.viewer.cli.requests import check_trusted
from wheatstone.viewer.figures.canvas import DrawnRow, FigureCanvas, Tell
from wheatstone.viewer.figures.cells import (
    Compared,
    FigureContent,
    cell_as_shown,
    with_common_ranges,
)
from wheatstone.viewer.figures.drawing import figure_files, omitted_insets
from wheatstone.viewer.figures.files import check_ending, read_plan, write_figure
from wheatstone.viewer.figures.plan import FigureCell, FigurePlan, FigureRow, FigureStyle
from wheatstone.viewer.figures.sheet import FAMILY
from wheatstone.viewer.figures.tables import check_tables, table_files, write_tables
from wheatstone.viewer.figures.templates import TEMPLATES, Template, laid_out, padded
from wheatstone.viewer.io.files.output import check_file, claim_outputs
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.paths import expanded
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.measuring.progress import ProgressLine
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.choice_options import ShownOptions
from wheatstone.viewer.settings.given_options import apply_options
from wheatstone.viewer.settings.layers import Machine, merged, switch_pipeline
from wheatstone.viewer.settings.recipe import to_recipe
from wheatstone.viewer.settings.trust import seal_of

EMPTY = 1
"""Exit code if a cell is empty, or an inset was omitted."""


def figure(request: FigureRequest) -> int:
    """Run ``wheatstone figure``: draw a figure and write it; return the exit code."""
    _check_names(request)
    with ProgressLine() as line:
        machine = machine_here()
        line.show("opening the sources")
        plan = plan_of(request, machine, line.show)
        with FigureCanvas(machine, line.show) as canvas:
            rows = canvas.drawn(plan)
        _check_any(rows)
        line.show("writing the figure")
        endings = {path.suffix.lower() for path in request.out}
        contents, missing = figure_files(plan, rows, endings)
    if missing:
        say(f"{FAMILY} has no {missing}: boxes stand for them in .pdf and .png")
    for path in request.out:
        write_figure(path, contents[path.suffix.lower()])
        say(f"wrote {path}")
    if request.tables:
        for path in write_tables(request.out[0], rows):
            say(f"wrote {path}")
    omitted = list(omitted_insets(plan, rows))
    for inset in omitted:
        say(f"omitted: {inset}")
    return _report_empty(rows) or (EMPTY if omitted else 0)


def _check_names(request: FigureRequest) -> None:
    """Check that the figure and its tables can be written to files of the given names.

    Raises:
        OSError: a folder is missing, or something else has the name of a file.
        ValueError: figures cannot be written to files with this suffix.
    """
    for path in request.out:
        check_ending(path)
        check_file(path)
    if request.tables:
        check_tables(request.out[0])


def _check_any(rows: Sequence[DrawnRow]) -> None:
    """Raise ``ValueError`` with the reason if every cell of the figure is empty."""
    panes = [pane for row in rows for pane in row.panes]
    if all(pane.pixels is None for pane in panes):
        raise ValueError(next(filter(None, (pane.why for pane in panes)), "no cell has an image"))


def _report_empty(rows: Sequence[DrawnRow]) -> int:
    """Print which cells of the figure are empty, by reason; return the exit code."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        for pane in row.panes:
            if pane.why:
                reasons.setdefault(pane.why, []).append(pane.title or row.name)
    for why, titles in reasons.items():
        say(f"empty: {', '.join(dict.fromkeys(titles))}: {why}")
    return EMPTY if reasons else 0


CHOICES = ("colormap", "truth_convention", "truth_region", "frame")
"""The options that make the viewer's own choices, as in ``view``."""


def machine_here() -> Machine:
    """Return facts about this machine: the unavailable devices, and the user's presets."""
    absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
    return Machine(absent, user_settings.presets(say))


def plan_of(request: FigureRequest, machine: Machine, tell: Tell) -> FigurePlan:
    """Return a figure's content and style from a command line, or from an existing figure's file.

    Raises:
        ValueError, OSError: invalid input, or a file to write would replace an input.
    """
    again = _again(request)
    if again:
        _check_replaced(request, [spec for row in again.rows for spec in row.sources])
        return replace(again, style=_style(request, again.style))
    pairs = pairs_of(request)
    of_b = [SourceSpec(str(request.b_values))] if request.b_values else []
    _check_replaced(request, [*(pair.spec for pair in pairs), *of_b])
    made = [_cells(request, pair, machine, tell) for pair in pairs]
    columns = max(wide for _, wide in made)
    values = _values(request, pairs)
    rows = tuple(
        FigureRow(
            pair.name,
            pair.spec.to_dict(),
            padded(cells, wide, columns),
            seal_of(pair.spec) if pair.spec.left else "",  # opens the same files, unasked
            **values,
        )
        for pair, (cells, wide) in zip(pairs, made, strict=True)
    )
    style = _style(request, FigureStyle())
    return FigurePlan(with_common_ranges(rows, machine), columns, style, request.inset)


def _check_replaced(request: FigureRequest, sources: Sequence[SourceSpec]) -> None:
    """Raise an error if an output file would replace an input or another output."""
    tables = table_files(request.out[0]) if request.tables else ()
    claim_outputs([*request.out, *tables], _inputs(sources))


def _inputs(sources: Sequence[SourceSpec]) -> Iterator[Path]:
    """Yield the files that sources name, and all files that sources read if they can be opened."""
    for spec in sources:
        yield from map(Path, spec.files)
        with suppress(OSError, ValueError, Unavailable):
            opened = open_source(spec)
            opened.close()
            yield from opened.files


def _values(request: FigureRequest, pairs: Sequence[NamedPair]) -> dict[str, Any]:
    """Return fields of a figure's row for the file that ``--b-values`` names; empty without it.

    Raises:
        ValueError: there are several pairs.
    """
    if not request.b_values:
        return {}
    if len(pairs) != 1:
        raise ValueError(f"--b-values needs a single PAIR (got {len(pairs)})")
    spec = SourceSpec(str(request.b_values), values_in="px").resolved()
    return {"values": spec.to_dict(), "values_seal": seal_of(spec)}


def _again(request: FigureRequest) -> FigurePlan | None:
    """Read the content and style of the existing figure that a request names; None without one."""
    paths = [expanded(word) for word in request.pairs]
    plans = [(path, plan) for path in paths if (plan := read_plan(path))]
    if not plans:
        return None
    asked = (request.template, request.preset, request.over, request.variants, request.views)
    if (
        len(paths) > 1
        or any(asked)
        or request.b_values
        or request.inset
        or request.params
        or request.variant
    ):
        only = "only the file, --out, --width, --dpi and --theme apply"
        raise ValueError(f"{plans[0][0]}: a figure is drawn again unchanged; {only}")
    path, plan = plans[0]
    for row in plan.rows:
        for spec, seal in zip(row.sources, (row.seal, row.values_seal), strict=False):
            if not request.trust_sources:
                check_trusted(path, spec, seal)
    return plan


def _style(request: FigureRequest, usual: FigureStyle) -> FigureStyle:
    """Return the style of a figure, with the values that options set."""
    asked = {name: getattr(request, name) for name in ("width", "dpi", "theme")}
    return replace(usual, **{name: value for name, value in asked.items() if value is not None})


def _cells(
    request: FigureRequest, pair: NamedPair, machine: Machine, tell: Tell
) -> tuple[tuple[FigureCell, ...], int]:
    """Return the cells that a pair gets in the figure, and the number of columns."""
    asked = (request.template, request.over, request.variants, request.views)
    several = len(request.preset) > 1
    if pair.recipe and not any(asked) and not several and not request.b_values:
        state = _state(request, pair, machine, request.preset)
        cell = cell_as_shown(state, to_recipe(state))
        return (cell,), cell.places
    template = TEMPLATES[_template(request)]
    state = _state(request, pair, machine, _base_preset(request, template))
    compared = compared_of(request, template, pair, state, tell)
    if request.b_values:
        if len(compared) == 1:
            compared = (replace(compared[0], name=compared[0].name or state.slot.variant),)
        compared += (Compared(label(request.b_values.name), state.slot, of_file=True),)
    return laid_out(template, FigureContent(state, compared, request.views))


def _state(
    request: FigureRequest, pair: NamedPair, machine: Machine, presets: Sequence[str] | None
) -> ViewerState:
    """Return the viewer state from which all cells of a pair in a figure are drawn.

    Settings override the defaults, and options override the settings.
    """
    state = machine.state(merged(machine.defaults(request.pipeline.name), pair.recipe))
    if request.named:
        switch_pipeline(state, request.pipeline.name)
    given = {name: getattr(request, name) for name in CHOICES}
    asked = ShownOptions(
        params=request.params,
        variant=request.variant,
        preset=presets[0] if presets else None,
        set=request.set,
        range=request.range,
        choices={name: value for name, value in given.items() if value is not None},
    )
    apply_options(state, asked)
    return state


def _template(request: FigureRequest) -> str:
    """Return the name of the requested template, or of the one that fits the other options."""
    if request.template:
        return str(request.template)
    if request.over:
        return "ablation"
    if request.variants:
        return "variants"
    judged = is_disparity(request.pipeline.image(request.pipeline.output))
    alone = len(request.preset) < 2 and not request.b_values
    return "error-anatomy" if judged and alone else "two-presets"


def _base_preset(request: FigureRequest, template: Template) -> list[str]:
    """Return the preset for all cells of a figure; empty if the figure compares presets."""
    given = list(request.preset)
    if template.compares == "presets":
        return []
    if len(given) > 1:
        raise ValueError(f"this figure compares {template.compares}: give at most one --preset")
    of_course = [name for name in request.pipeline.presets if name.startswith("aveiro")]
    return given or (of_course[:1] if template is TEMPLATES["course"] else [])
