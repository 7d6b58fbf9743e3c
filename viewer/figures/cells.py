"""The cells of figures: the view and the title of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wheatstone.viewer.choices.judging import is_disparity
from wheatstone.viewer.choices.look import Range
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.tuning import with_preset
from wheatstone.viewer.display.picture.combination import label
from wheatstone.viewer.display.picture.ranges import range_name, shown_range
from wheatstone.viewer.display.picture.shown import chosen, chosen_b
from wheatstone.viewer.figures.plan import LONGEST_TEXT, FigureCell, FigureRow, MeasuredVariant
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.layers import Machine, merged
from wheatstone.viewer.settings.recipe import to_recipe
from wheatstone.viewer.words import in_words, spoken

TRUTH, ERRORS, DIFFERENCE, RESULT, NOTHING = "truth", "errors", "difference", "result", "nothing"
OTHER_VIEWS = {
    RESULT: "the result of the pipeline",
    TRUTH: "the ground truth",
    ERRORS: "the errors of the result",
    DIFFERENCE: "the absolute difference of two presets",
    NOTHING: "an empty cell",
}
"""The contents that a cell may show in addition to the views of the pipeline."""
SECTIONS = ("view", "params", "compare", "b", "chosen")
"""The sections of a recipe that describe the view, without source, window and program."""


@dataclass(frozen=True)
class Compared:
    """One of the runs that a figure compares (a preset, value or variant), with its name.

    Attributes:
        measured: of its variant, if variants are compared.
        of_file: whether the pair's file of values takes the place of the run's result.
    """

    name: str
    slot: Run
    measured: MeasuredVariant | None = None
    of_file: bool = False


@dataclass(frozen=True)
class FigureContent:
    """The contents of a figure that the user requests: runs to compare, and views of them.

    Attributes:
        state: the settings that all cells share.
        compared: presets, values of a parameter or variants; at least one.
        views: names of views, or of ``OTHER_VIEWS``; empty: the template's own.
    """

    state: ViewerState
    compared: tuple[Compared, ...]
    views: tuple[str, ...] = ()

    @property
    def judged(self) -> bool:
        """Return whether the result is a disparity, which can be compared with ground truth."""
        pipeline = self.state.slot.pipeline
        return is_disparity(pipeline.image(pipeline.output))


def cell_of(wanted: FigureContent, view: str, one: Compared | None, has_result: bool) -> FigureCell:
    """Make the cell that shows a view of one of the compared runs.

    Args:
        view: the name of a view, or of ``OTHER_VIEWS``.
        one: the run; None: the image belongs to none of them.
        has_result: whether metrics stand below results.

    Raises:
        ValueError: the view cannot be shown for this pipeline.
    """
    if view == NOTHING:
        return FigureCell()
    state = replace(wanted.state, views=dict(wanted.state.views))
    ends = wanted.compared[0], wanted.compared[-1]
    state.slot = (one or ends[0]).slot
    pipeline = state.slot.pipeline
    of_file = one is not None and one.of_file
    state.mixing = replace(state.mixing, mode="b" if of_file else "off")
    if of_file and view not in (RESULT, ERRORS):
        return FigureCell(
            _title(view, one, wanted), why=f"the file of values has no {spoken(view)}"
        )
    if view == DIFFERENCE:
        _compare(state, wanted.compared)
    elif view in (TRUTH, ERRORS):
        if not wanted.judged:
            raise ValueError(f"{pipeline.name} computes no disparity to compare with ground truth")
        state.truth = replace(state.truth, show=view)
    state.set_view(pipeline, pipeline.views[0].name if view in OTHER_VIEWS else view)
    return FigureCell(
        _title(view, one, wanted),
        without_source(to_recipe(state)),
        1 if state.view.one_cell else len(state.view.panes),
        tells=view == RESULT or not has_result,
        measured=one.measured if one else None,
        names=tuple(c.name for c in ends) if view == DIFFERENCE else (),
    )


def _compare(state: ViewerState, compared: Sequence[Compared]) -> None:
    """Change a viewer state to show the difference between the first and last compared run."""
    if len(compared) < 2:
        raise ValueError("a difference is of two: give two presets, values or variants")
    state.b, state.linked = compared[-1].slot, False
    state.mixing = replace(state.mixing, mode="difference")


def without_source(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Copy only those sections of saved settings that describe the view."""
    return {name: section for name, section in recipe.items() if name in SECTIONS}


def _title(view: str, one: Compared | None, wanted: FigureContent) -> str:
    if view == DIFFERENCE:
        return f"| {wanted.compared[0].name} - {wanted.compared[-1].name} |"
    if view == TRUTH:
        return "ground truth"
    result = spoken(wanted.state.slot.pipeline.views[0].name)
    shown = {RESULT: result}.get(view, spoken(view))
    if not one or not one.name or (len(wanted.compared) == 1 and view != RESULT):
        return {"left": "left view"}.get(view, shown)
    return one.name if view == RESULT else f"{one.name}: {shown}"


def of_presets(state: ViewerState, names: Sequence[str]) -> tuple[Compared, ...]:
    """List the runs of a figure that compares presets; without names, the current run alone."""
    if not names:
        return (Compared("", state.slot),)
    return tuple(Compared(name, with_preset(state, state.slot, name)) for name in names)


def of_values(slot: Run, name: str, values: Sequence[Any]) -> tuple[Compared, ...]:
    """List the runs of a figure that compares values of a parameter."""
    return tuple(
        Compared(
            f"{spoken(name)} {in_words(value)}",
            replace(slot, params=slot.params.changed(**{name: value})),
        )
        for value in values
    )


def of_variants(slot: Run, measured: Mapping[str, MeasuredVariant]) -> tuple[Compared, ...]:
    """List the runs of a figure that compares variants, each with its measurements."""
    return tuple(Compared(n, replace(slot, variant=n), measured[n]) for n in measured)


def cell_as_shown(state: ViewerState, recipe: Mapping[str, Any]) -> FigureCell:
    """Make the figure cell that shows the contents of a window, from its state and settings."""
    slot, other, mixing = state.slot, state.slot_b, state.mixing
    view_a, view_b = chosen(state).view, chosen_b(state).view
    view = view_b if mixing.alone == "b" else view_a
    places = 1 if view.one_cell else len(view.panes)
    title = f"{(other if mixing.alone == 'b' else slot).name}: {spoken(view.name)}"
    if mixing.mode == "side-by-side":
        places += 1 if view_b.one_cell else len(view_b.panes)
    elif not mixing.alone:
        title = f"{mixing.mode}: A {label(slot, other)}, B {label(other, slot)}"
    return FigureCell(title[:LONGEST_TEXT], without_source(recipe), places)


def with_common_ranges(rows: tuple[FigureRow, ...], machine: Machine) -> tuple[FigureRow, ...]:
    """Widen the display ranges of cells until images of the same kind have equal ranges."""
    shown = [[(cell, dict(_ranges(cell, machine))) for cell in row.cells] for row in rows]
    known: dict[str, set[Range]] = {}
    for name, one in (item for cells in shown for _, own in cells for item in own.items()):
        known.setdefault(name, set()).add(one)
    common = {
        name: [min(low for low, _ in ranges), max(high for _, high in ranges)]
        for name, ranges in known.items()
        if len(ranges) > 1
    }
    return tuple(
        replace(row, cells=tuple(_shown_in(cell, own, common) for cell, own in cells))
        for row, cells in zip(rows, shown, strict=True)
    )


def _shown_in(
    cell: FigureCell, own: Mapping[str, Range], common: Mapping[str, list[float]]
) -> FigureCell:
    wider = {name: common[name] for name in own if name in common}
    if not wider:
        return cell
    before = cell.recipe.get("chosen", {}).get("look", {}).get("ranges", {})
    look = {"chosen": {"look": {"ranges": {**before, **wider}}}}
    return replace(cell, recipe=merged(cell.recipe, look))


def _ranges(cell: FigureCell, machine: Machine) -> Iterator[tuple[str, Range]]:
    """Yield the display ranges of a cell's images, except for depths, which share one range."""
    if not cell.recipe:
        return
    state = machine.state(dict(cell.recipe))
    for shown in (chosen(state), chosen_b(state)) if state.mixing.uses_b else (chosen(state),):
        for image in map(shown.slot.image, shown.ranged):
            if not image.depths:
                yield range_name(shown.slot, image.name), shown_range(state, shown.slot, image)
