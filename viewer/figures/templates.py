"""Templates: which cells a figure has, made from what it compares and what of it is shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from viewer.choices.judging import is_disparity
from viewer.choices.presets import with_preset
from viewer.choices.slot import Slot
from viewer.choices.state import ViewerState
from viewer.choices.words import in_words, spoken
from viewer.figures.plan import FigureCell, MeasuredVariant
from viewer.settings.recipe import to_recipe
from viewer.sources.grey import from_source

TRUTH, ERRORS, DIFFERENCE, RESULT, NOTHING = "truth", "errors", "difference", "result", "nothing"
BESIDE_VIEWS = {
    RESULT: "what the pipeline computes",
    TRUTH: "the ground truth",
    ERRORS: "how far the result is from the truth",
    DIFFERENCE: "how far two presets are apart",
    NOTHING: "a free place",
}
"""What a cell may show besides a view of the pipeline."""
SECTIONS = ("view", "params", "compare", "b", "chosen")
"""The sections of a recipe that say what is shown."""
WIDEST = 4  # cells of a line, where as many are in it as are compared


@dataclass(frozen=True)
class Compared:
    """One of what a figure compares: a name, and the slot that computes it.

    Attributes:
        measured: what is told of its variant; None where it is not about variants.
    """

    name: str
    slot: Slot
    measured: MeasuredVariant | None = None


@dataclass(frozen=True)
class Wanted:
    """What a figure is asked to show.

    Attributes:
        state: what all cells have in common.
        compared: presets, values of a parameter or variants; at least one.
        views: names of views, or of ``BESIDE_VIEWS``; empty: the template's own.
    """

    state: ViewerState
    compared: tuple[Compared, ...]
    views: tuple[str, ...] = ()

    @property
    def judged(self) -> bool:
        """Tell whether truth can judge the result."""
        pipeline = self.state.slot.pipeline
        return is_disparity(pipeline.image(pipeline.output))


Lines = list[list[tuple[str, Compared | None]]]
"""The cells of a grid, line by line: what is shown, and of which of those compared; None: of none,
as the source's own images."""


@dataclass(frozen=True)
class Template:
    """A way to lay out what is compared.

    Attributes:
        compares: what is compared: ``presets``, ``values``, ``variants`` or nothing.
        lines: lays out the cells.
        judges: whether it needs a result that truth can judge.
    """

    help: str
    compares: str
    lines: Callable[[Wanted], Lines]
    judges: bool = False


def _presets(wanted: Wanted) -> Lines:
    """Put the source, results and errors of presets beside each other, a line each."""
    below = DIFFERENCE if len(wanted.compared) == 2 else TRUTH
    first = _line("left", RESULT, wanted)
    return [first, _line(below, ERRORS, wanted)] if wanted.judged else [first]


def _line(beside: str, view: str, wanted: Wanted) -> list[tuple[str, Compared | None]]:
    return [(beside, None), *((view, one) for one in wanted.compared)]


def _ablation(wanted: Wanted) -> Lines:
    """Put results over errors, as many values beside each other as there is room for."""
    views = [RESULT, ERRORS] if wanted.judged else [RESULT]
    return _chunked(wanted.compared, views)


def _chunked(compared: Sequence[Compared], views: Sequence[str]) -> Lines:
    """Lay out a line for each view, and begin anew when a line is full."""
    lines = -(-len(compared) // WIDEST)
    wide = -(-len(compared) // lines)
    return [
        [(view, one) for one in compared[begin : begin + wide]]
        for begin in range(0, len(compared), wide)
        for view in views
    ]


def _variants(wanted: Wanted) -> Lines:
    return _chunked(wanted.compared, [RESULT])


def _anatomy(wanted: Wanted) -> Lines:
    """Take one result apart: where it is wrong, why pixels have none, how sure it is."""
    one = wanted.compared[0]
    names = [view.name for view in wanted.state.slot.pipeline.views]
    own = [(name, one) for name in ("reasons", "confidence") if name in names]
    return [[("left", None), (TRUTH, None), (RESULT, one)], [(ERRORS, one), *own]]


def _course(wanted: Wanted) -> Lines:
    """Show the pair, then the result of the host and of every memory of the device."""
    return [[("pair", None)], *_in_lines([(RESULT, one) for one in wanted.compared], 3)]


def _in_lines(cells: list[tuple[str, Compared | None]], wide: int) -> Lines:
    return [cells[begin : begin + wide] for begin in range(0, len(cells), wide)]


TEMPLATES: Mapping[str, Template] = {
    "two-presets": Template(
        "left view, result and errors of presets beside each other", "presets", _presets
    ),
    "ablation": Template("results and errors over values of a parameter", "values", _ablation),
    "variants": Template("results, times and identity of variants", "variants", _variants),
    "error-anatomy": Template(
        "left view, truth, result, errors, reasons and confidence", "presets", _anatomy, True
    ),
    "course": Template(
        "the pair, then the host's result and that of each memory of the GPU, with times",
        "variants",
        _course,
    ),
}
"""All templates by name."""


def laid_out(template: Template, wanted: Wanted) -> tuple[tuple[FigureCell, ...], int]:
    """Make the cells of one pair, and say how many are in a line.

    Raises:
        ValueError: there is no such view, or what is shown cannot be shown of this pipeline.
    """
    if template.judges and not wanted.judged:
        raise ValueError(f"{wanted.state.slot.pipeline.name} computes nothing that truth can judge")
    lines = _of_views(wanted) if wanted.views else template.lines(wanted)
    shown = {view for line in lines for view, _ in line}
    made = [[_cell(wanted, v, one, RESULT in shown) for v, one in line] for line in lines]
    wide = max(sum(cell.places for cell in line) for line in made)
    for line in made:
        line += [FigureCell()] * (wide - sum(cell.places for cell in line))
    return tuple(cell for line in made for cell in line), wide


def _of_views(wanted: Wanted) -> Lines:
    """Lay out the views asked for: a line of those of each compared, the source's own first."""
    pipeline = wanted.state.slot.pipeline
    known = {view.name: view for view in pipeline.views}
    for name in wanted.views:
        if name not in known and name not in BESIDE_VIEWS:
            there_is = ", ".join((*known, *BESIDE_VIEWS))
            raise ValueError(f"{pipeline.name} has no view {name!r}; there is {there_is}")
    once = (TRUTH, DIFFERENCE, NOTHING)
    common = [v for v in wanted.views if v in once or _of_source(v, wanted)]
    own = [view for view in wanted.views if view not in common]
    if len(wanted.compared) == 1:
        every = [(v, None if v in common else wanted.compared[0]) for v in wanted.views]
        return _in_lines(every, min(len(every), WIDEST))
    lines: Lines = [[(view, one) for one in wanted.compared] for view in own]
    beside = [[(view, None)] for view in common]
    while len(beside) < len(lines) and beside:
        beside.append([(NOTHING, None)])
    lines += [[] for _ in range(len(beside) - len(lines))]
    return [[*b, *line] for b, line in zip(beside, lines, strict=True)] if beside else lines


def _of_source(name: str, wanted: Wanted) -> bool:
    """Tell whether a view shows images of the source alone, which nothing compared changes."""
    pipeline = wanted.state.slot.pipeline
    views = [view for view in pipeline.views if view.name == name]
    return any(all(from_source(pipeline, n) for n in view.images) for view in views)


def _cell(wanted: Wanted, view: str, one: Compared | None, has_result: bool) -> FigureCell:
    """Make the cell that shows a view of one of those compared."""
    if view == NOTHING:
        return FigureCell()
    state = replace(wanted.state, views=dict(wanted.state.views))
    ends = wanted.compared[0], wanted.compared[-1]
    state.slot = (one or ends[0]).slot
    pipeline = state.slot.pipeline
    state.mixing = replace(state.mixing, mode="off")
    if view == DIFFERENCE:
        _compare(state, wanted.compared)
    elif view in (TRUTH, ERRORS):
        if not wanted.judged:
            raise ValueError(f"{pipeline.name} computes nothing that truth can judge")
        state.truth = replace(state.truth, show=view)
    state.set_view(pipeline, pipeline.views[0].name if view in BESIDE_VIEWS else view)
    return FigureCell(
        _title(view, one, wanted),
        _recipe(state),
        1 if state.view.one_cell else len(state.view.panes),
        tells=view == RESULT or not has_result,
        measured=one.measured if one else None,
        names=tuple(c.name for c in ends) if view == DIFFERENCE else (),
    )


def _compare(state: ViewerState, compared: Sequence[Compared]) -> None:
    """Let a state show how far the first and the last of those compared are apart."""
    if len(compared) < 2:
        raise ValueError("a difference is of two: give two presets, values or variants")
    state.b, state.linked = compared[-1].slot, False
    state.mixing = replace(state.mixing, mode="difference")


def _recipe(state: ViewerState) -> Mapping[str, Any]:
    """Write down what a state shows, without its source."""
    return without_source(to_recipe(state, {}))


def without_source(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Copy what a recipe says of what is shown: not of the source, the window or the program."""
    return {name: said for name, said in recipe.items() if name in SECTIONS}


def _title(view: str, one: Compared | None, wanted: Wanted) -> str:
    """Name a cell."""
    if view == DIFFERENCE:
        return f"| {wanted.compared[0].name} - {wanted.compared[-1].name} |"
    if view == TRUTH:
        return "ground truth"
    result = spoken(wanted.state.slot.pipeline.views[0].name)
    shown = {RESULT: result}.get(view, spoken(view))
    if not one or not one.name:
        return {"left": "left view"}.get(view, shown)
    return one.name if view == RESULT else f"{one.name}: {shown}"


def of_presets(state: ViewerState, names: Sequence[str]) -> tuple[Compared, ...]:
    """Compare presets; without names the parameters as they are.

    Raises:
        ValueError: there is no such preset.
    """
    if not names:
        return (Compared("", state.slot),)
    return tuple(Compared(name, with_preset(state, state.slot, name)) for name in names)


def of_values(slot: Slot, name: str, values: Sequence[Any]) -> tuple[Compared, ...]:
    """Compare values of a parameter.

    Raises:
        ValueError: a value is out of bounds.
    """
    return tuple(
        Compared(
            f"{spoken(name)} {in_words(value)}",
            replace(slot, params=slot.params.changed(**{name: value})),
        )
        for value in values
    )


def of_variants(slot: Slot, found: Mapping[str, MeasuredVariant]) -> tuple[Compared, ...]:
    """Compare variants of a pipeline, with what was measured of each."""
    return tuple(Compared(n, replace(slot, variant=n), found[n]) for n in found)
