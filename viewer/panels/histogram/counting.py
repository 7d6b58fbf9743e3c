"""Counts of what is on screen, and ranges fitted to it, once, when asked."""

from dataclasses import replace
from typing import TYPE_CHECKING

from viewer.comparing.mixing import BOUNDS
from viewer.panels.histogram.histogram import Counts, count, count_difference, fitted
from viewer.panels.histogram.ranges import limits, range_name, shown_range
from viewer.panels.inspector.look import Range
from viewer.panels.inspector.seen import Part, Seen, seen, stored_values

if TYPE_CHECKING:
    from viewer.session import Session
    from viewer.state import ViewerState

Region = tuple[slice, slice]
EVERYWHERE: Region = (slice(None), slice(None))


def counts_of(session: "Session", what: Seen, region: Region = EVERYWHERE) -> Counts | None:
    """Counts of a cell's values, or of its difference; None before there are values.

    Of two images that are mixed otherwise, those of the first.

    Args:
        region: the rows and columns counted.
    """
    first = what.parts[0]
    if not what.difference:
        values = stored_values(session, first)
        if values is None:
            return None
        return count(values[region], first.image.scale, first.invalid)
    stored = [stored_values(session, part) for part in what.parts]
    if stored[0] is None or stored[1] is None:
        return None
    invalid = first.invalid, what.parts[1].invalid
    signed = what.difference == "signed-difference"
    return count_difference(
        stored[0][region], stored[1][region], first.image.scale, invalid, signed
    )


def fit_ranges(session: "Session") -> str:
    """Show every image on screen from its 1st to its 99th percentile, of what is seen of it.

    A difference gets the reach that shows the 99th percentile.

    Returns:
        what was done, for the user.
    """
    found: dict[str, Range] = {}
    said: dict[str, str] = {}
    state = session.state
    for cell in range(len(session.picture.cells)):
        what = seen(state, session.a.shown, session.b.shown, cell)
        if not what or not has_range(what.parts[0]):
            continue
        counts = counts_of(session, what, session.display.visible(cell) or EVERYWHERE)
        chosen = fitted(counts) if counts else None
        if not chosen:
            continue
        part = what.parts[0]
        if what.difference:
            set_reach(state, part, max(map(abs, chosen)))
            said[what.difference] = state.mixing.described()
            continue
        name = range_name(part.shown.slot, part.name)
        low, high = found.get(name, chosen)
        found[name] = min(low, chosen[0]), max(high, chosen[1])
        said[name] = f"{part.name} {found[name][0]:g} to {found[name][1]:g} {part.image.unit}"
    for name, chosen in found.items():
        state.look = state.look.with_range(name, chosen)
    return "shown: " + ", ".join(map(str.rstrip, said.values())) if said else NOTHING


NOTHING = "nothing on screen has a range: photos and labels are shown as they are"


def has_range(part: Part) -> bool:
    """Whether an image on screen is shown in a range of values."""
    return part.name in part.shown.ranged


def set_reach(state: "ViewerState", part: Part, largest: float) -> None:
    """Let a difference of this size, in the image's unit, have the last colour, or nearly."""
    low, high = shown_range(state, part.shown.slot, part.image)
    least, most = BOUNDS["reach"]
    state.mixing = replace(state.mixing, reach=min(max(largest / (high - low), least), most))


def reset_ranges(state: "ViewerState") -> None:
    """Show what is on screen in the ranges declared, and say so."""
    from viewer.frames.shown import chosen, chosen_b

    said = []
    for shown in (chosen(state), chosen_b(state)):
        for name in shown.ranged:
            image = shown.slot.pipeline.image(name)
            state.look = state.look.with_range(range_name(shown.slot, name), None)
            low, high = limits(image, shown.slot)
            said.append(f"{name} {low:g} to {high:g} {image.unit}".rstrip())
    state.message = "shown: " + ", ".join(dict.fromkeys(said)) if said else NOTHING
