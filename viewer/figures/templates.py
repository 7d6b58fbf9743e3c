"""Templates of figures, which arrange the compared runs and their views as cells of a grid."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from wheatstone.gpu.steps import can_keep
from wheatstone.viewer.figures.cells import (
    DIFFERENCE,
    ERRORS,
    NOTHING,
    OTHER_VIEWS,
    RESULT,
    TRUTH,
    Compared,
    FigureContent,
    cell_of,
)
from wheatstone.viewer.figures.plan import FigureCell
from wheatstone.viewer.io.sources.grey import from_source

WIDEST = 5  # cells of a line, where as many are in it as are compared


Lines = list[list[tuple[str, Compared | None]]]
"""The cells of a grid, line by line: a view, and one of the compared runs; None for an image of
none of them, such as the source's own."""


@dataclass(frozen=True)
class Template:
    """A template of figures, which arranges the compared runs as cells of a grid.

    Attributes:
        compares: the kind of comparison: ``presets``, ``values``, ``variants`` or nothing.
        lines: lays out the cells.
        judges: whether it needs a result that truth can judge.
    """

    help: str
    compares: str
    lines: Callable[[FigureContent], Lines]
    judges: bool = False


def _presets(wanted: FigureContent) -> Lines:
    """Arrange presets in a figure: source and results in one line, their errors below."""
    below = DIFFERENCE if len(wanted.compared) == 2 else TRUTH
    first = _line(_source(wanted), RESULT, wanted)
    return [first, _line(below, ERRORS, wanted)] if wanted.judged else [first]


def _source(wanted: FigureContent) -> str:
    """Return the name of the view of the left image; without one, that of an empty cell."""
    names = [view.name for view in wanted.state.slot.pipeline.views]
    return "left" if "left" in names else NOTHING


def _line(first: str, view: str, wanted: FigureContent) -> list[tuple[str, Compared | None]]:
    return [(first, None), *((view, one) for one in wanted.compared)]


def _ablation(wanted: FigureContent) -> Lines:
    """Arrange an ablation in a figure: results for values of a parameter, with errors below."""
    views = [RESULT, ERRORS] if wanted.judged else [RESULT]
    return _chunked(wanted.compared, views)


def _chunked(compared: Sequence[Compared], views: Sequence[str]) -> Lines:
    """Arrange runs in columns and views in lines; a line has at most ``WIDEST`` runs."""
    lines = -(-len(compared) // WIDEST)
    wide = -(-len(compared) // lines)
    return [
        [(view, one) for one in compared[begin : begin + wide]]
        for begin in range(0, len(compared), wide)
        for view in views
    ]


def _variants(wanted: FigureContent) -> Lines:
    return _chunked(wanted.compared, [RESULT])


def _anatomy(wanted: FigureContent) -> Lines:
    """Arrange the anatomy of a result: source, truth, result, errors, reasons and confidence."""
    one = wanted.compared[0]
    slot = one.slot
    views = {view.name: view.panes for view in slot.pipeline.views}
    kept = partial(can_keep, slot.pipeline, slot.declaration, slot.params)
    own = [(n, one) for n in ("reasons", "confidence") if n in views and all(map(kept, views[n]))]
    return [[(_source(wanted), None), (TRUTH, None), (RESULT, one)], [(ERRORS, one), *own]]


def _course(wanted: FigureContent) -> Lines:
    """Arrange the source, then the results of the compared variants with their times."""
    return _in_lines([(_source(wanted), None), *((RESULT, one) for one in wanted.compared)], 3)


def _in_lines(cells: list[tuple[str, Compared | None]], wide: int) -> Lines:
    return [cells[begin : begin + wide] for begin in range(0, len(cells), wide)]


TEMPLATES: Mapping[str, Template] = {
    "two-presets": Template(
        "left view, result and errors of presets next to each other", "presets", _presets
    ),
    "ablation": Template("results and errors over values of a parameter", "values", _ablation),
    "variants": Template("results, times and identity of variants", "variants", _variants),
    "error-anatomy": Template(
        "left view, ground truth, result, errors, rejection reasons and confidence",
        "presets",
        _anatomy,
        True,
    ),
    "course": Template(
        "left view, results of the CPU and of each type of GPU memory, with times",
        "variants",
        _course,
    ),
}
"""All templates by name."""


def laid_out(template: Template, wanted: FigureContent) -> tuple[tuple[FigureCell, ...], int]:
    """Make the cells of one stereo pair in a figure; also return the number of places in a line.

    Raises:
        ValueError: there is no such view, or the pipeline cannot show it.
    """
    if template.judges and not wanted.judged:
        raise ValueError(
            f"{wanted.state.slot.pipeline.name} computes no disparity to compare with ground truth"
        )
    lines = _of_views(wanted) if wanted.views else template.lines(wanted)
    shown = {view for line in lines for view, _ in line}
    made = [[cell_of(wanted, v, one, RESULT in shown) for v, one in line] for line in lines]
    wide = max(sum(cell.places for cell in line) for line in made)
    for line in made:
        line += [FigureCell()] * (wide - sum(cell.places for cell in line))
    return tuple(cell for line in made for cell in line), wide


def padded(cells: Sequence[FigureCell], wide: int, columns: int) -> tuple[FigureCell, ...]:
    """Extend lines of ``wide`` places to ``columns`` places by adding empty cells."""
    row, taken = list[FigureCell](), 0
    for cell in cells:
        row.append(cell)
        taken += cell.places
        if taken % wide == 0:
            row += [FigureCell()] * (columns - wide)
    return tuple(row)


def _of_views(wanted: FigureContent) -> Lines:
    """Arrange a line of cells for each requested view; views equal for all runs are shown once."""
    pipeline = wanted.state.slot.pipeline
    known = {view.name: view for view in pipeline.views}
    for name in wanted.views:
        if name not in known and name not in OTHER_VIEWS:
            there_is = ", ".join((*known, *OTHER_VIEWS))
            raise ValueError(f"{pipeline.name} has no view {name!r}; there is {there_is}")
    once = (TRUTH, DIFFERENCE, NOTHING)
    common = [v for v in wanted.views if v in once or _of_source(v, wanted)]
    own = [view for view in wanted.views if view not in common]
    if len(wanted.compared) == 1:
        every = [(v, None if v in common else wanted.compared[0]) for v in wanted.views]
        return _in_lines(every, min(len(every), WIDEST))
    lines: Lines = [[(view, one) for one in wanted.compared] for view in own]
    first: Lines = [[(view, None)] for view in common]
    if not first:
        return lines
    first += [[(NOTHING, None)] for _ in range(len(lines) - len(first))]
    lines += [[] for _ in range(len(first) - len(lines))]
    return [[*one, *line] for one, line in zip(first, lines, strict=True)]


def _of_source(name: str, wanted: FigureContent) -> bool:
    """Return whether a view shows only images of the source, so that all runs show the same."""
    pipeline = wanted.state.slot.pipeline
    views = [view for view in pipeline.views if view.name == name]
    return any(all(from_source(pipeline, n) for n in view.images) for view in views)
