"""Give images of the same kind in a figure one range, so that one colour bar explains all."""

from collections.abc import Iterator
from dataclasses import replace

from wheatstone.viewer.choices.look import Range
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.figures.plan import FigureCell, FigureRow
from wheatstone.viewer.picture.ranges import range_name, shown_range
from wheatstone.viewer.picture.shown import chosen, chosen_b
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.settings.layers import Machine, merged

Ranges = dict[str, Range]


def with_common_ranges(rows: tuple[FigureRow, ...], machine: Machine) -> tuple[FigureRow, ...]:
    """Widen the ranges in which images are shown until those of the same kind are equal."""
    known: dict[str, set[Range]] = {}
    for row in rows:
        for cell in row.cells:
            for name, one in _ranges(cell, machine).items():
                known.setdefault(name, set()).add(one)
    common = {
        name: (min(low for low, _ in found), max(high for _, high in found))
        for name, found in known.items()
        if len(found) > 1
    }
    return tuple(_with_ranges(row, common, machine) for row in rows) if common else rows


def _with_ranges(row: FigureRow, common: Ranges, machine: Machine) -> FigureRow:
    return replace(row, cells=tuple(_shown_in(cell, common, machine) for cell in row.cells))


def _shown_in(cell: FigureCell, common: Ranges, machine: Machine) -> FigureCell:
    own = {name: list(common[name]) for name in _ranges(cell, machine) if name in common}
    if not own:
        return cell
    before = cell.recipe.get("chosen", {}).get("look", {}).get("ranges", {})
    look = {"chosen": {"look": {"ranges": {**before, **own}}}}
    return replace(cell, recipe=merged(cell.recipe, look))


def _ranges(cell: FigureCell, machine: Machine) -> Ranges:
    """Return the ranges in which a cell shows images, by their names."""
    if not cell.recipe:
        return {}
    state = machine.state(dict(cell.recipe))
    return dict(_of_state(state))


def _of_state(state: ViewerState) -> Iterator[tuple[str, Range]]:
    for shown in (chosen(state), chosen_b(state)) if state.mixing.uses_b else (chosen(state),):
        for name in shown.ranged:
            yield from _of_image(state, shown.slot, name)


def _of_image(state: ViewerState, slot: Run, name: str) -> Iterator[tuple[str, Range]]:
    """Yield the range of an image, unless it shows depths, whose range all slots share anyway."""
    image = slot.image(name)
    if not image.depths:
        yield range_name(slot, name), shown_range(state, slot, image)
