"""The cells of figures: what each shows, and what it is called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wheatstone.viewer.choices.judging import is_disparity
from wheatstone.viewer.choices.presets import with_preset
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.words import in_words, spoken
from wheatstone.viewer.figures.plan import LONGEST_TEXT, FigureCell, MeasuredVariant
from wheatstone.viewer.picture.combined import label
from wheatstone.viewer.picture.shown import chosen, chosen_b
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.recipe import to_recipe

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


@dataclass(frozen=True)
class Compared:
    """One of what a figure compares: a name, and the slot that computes it.

    Attributes:
        measured: what is told of its variant; None where it is not about variants.
    """

    name: str
    slot: Run
    measured: MeasuredVariant | None = None


@dataclass(frozen=True)
class FigureRequest:
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


def cell_of(wanted: FigureRequest, view: str, one: Compared | None, has_result: bool) -> FigureCell:
    """Make the cell that shows a view of one of those compared.

    Args:
        view: the name of a view, or of ``BESIDE_VIEWS``.
        one: None: what is shown is of none of them.
        has_result: whether metrics are told below results.

    Raises:
        ValueError: it cannot be shown of this pipeline.
    """
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


def _title(view: str, one: Compared | None, wanted: FigureRequest) -> str:
    """Name a cell."""
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
    """Compare presets; without names the parameters as they are.

    Raises:
        ValueError: there is no such preset.
    """
    if not names:
        return (Compared("", state.slot),)
    return tuple(Compared(name, with_preset(state, state.slot, name)) for name in names)


def of_values(slot: Run, name: str, values: Sequence[Any]) -> tuple[Compared, ...]:
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


def of_variants(slot: Run, found: Mapping[str, MeasuredVariant]) -> tuple[Compared, ...]:
    """Compare variants of a pipeline, with what was measured of each."""
    return tuple(Compared(n, replace(slot, variant=n), found[n]) for n in found)


def cell_as_shown(state: ViewerState, recipe: Mapping[str, Any]) -> FigureCell:
    """Make the one cell that shows what a window shows.

    Args:
        state: what the window shows.
        recipe: the same as settings say it.
    """
    slot, other, mixing = state.slot, state.slot_b, state.mixing
    shown, beside = chosen(state).view, chosen_b(state).view
    view = beside if mixing.alone == "b" else shown
    places = 1 if view.one_cell else len(view.panes)
    title = f"{(other if mixing.alone == 'b' else slot).name}: {spoken(view.name)}"
    if mixing.mode == "side-by-side":
        places += 1 if beside.one_cell else len(beside.panes)
    elif not mixing.alone:
        title = f"{mixing.mode}: A {label(slot, other)}, B {label(other, slot)}"
    return FigureCell(title[:LONGEST_TEXT], without_source(recipe), places)
