"""Counting of the values on screen, and fitting of the ranges in which they are shown."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from wheatstone.gpu.pipeline import Image
from wheatstone.viewer.choices.look import Range
from wheatstone.viewer.choices.table import choice
from wheatstone.viewer.display.frames.latest import stored_values
from wheatstone.viewer.display.picture.cell_contents import Seen, SeenImage, seen
from wheatstone.viewer.display.picture.combination import difference_reach
from wheatstone.viewer.display.picture.panes import Pane
from wheatstone.viewer.display.picture.range_choice import NOTHING
from wheatstone.viewer.display.picture.ranges import range_name, shown_range, with_range
from wheatstone.viewer.panels.histogram.counts import (
    Counts,
    count,
    count_difference,
    fitted,
    fitted_depths,
)
from wheatstone.viewer.panels.inspector.pixel_rows import decimals

if TYPE_CHECKING:
    from wheatstone.viewer.choices.state import ViewerState
    from wheatstone.viewer.display.frames.session import Session

Region = tuple[slice, slice]
EVERYWHERE: Region = (slice(None), slice(None))


def counts_of(session: "Session", what: Seen, region: Region = EVERYWHERE) -> Counts | None:
    """Count the values of an image, or of a difference, on screen; None without values.

    If two images are mixed in another way, the first is counted.
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
    """Fit the range of every image on screen to the 1st..99th percentile of visible values.

    The reach of a difference is a power of two that includes the 99th percentile.

    Returns:
        A message to the user about the new ranges, or why there are none.
    """
    state, shown = session.state, (session.a.shown, session.b.shown)
    cells = (seen(state, *shown, cell) for cell in range(len(session.drawing.picture.cells)))
    ranged = [what for what in cells if what and has_range(what)]
    if not ranged:
        return NOTHING
    visible = session.display.drawn.visible
    counted = [
        (what, counts_of(session, what, visible(what.cell) or EVERYWHERE)) for what in ranged
    ]
    fits = [(what, chosen) for what, counts in counted if counts and (chosen := fitted(counts))]
    if not fits:
        return NO_VALUE if all(counts for _, counts in counted) else NOT_COUNTED
    apply_fits(state, fits)
    return "shown: " + ", ".join(dict.fromkeys(range_text(state, what) for what, _ in fits))


def shows_depths(session: "Session") -> bool:
    """Return whether an image on screen shows depths, and the user has not set their range."""
    look, shown = session.state.look, (session.a.shown, session.b.shown)
    if look.near is not None or look.far is not None:
        return False
    images = (each.slot.image(name) for each in shown if each for name in each.ranged)
    return any(image.depths for image in images)


def fit_depths(session: "Session") -> None:
    """Fit the range of depths to the first depth image on screen, unless the user has set it."""
    if not shows_depths(session):
        return
    for slot, runner in (("a", session.a), ("b", session.b)):
        for name in runner.shown.ranged if runner.shown else ():
            part = SeenImage(slot, runner.shown, name)  # type: ignore[arg-type]
            values = stored_values(session, part) if part.image.depths else None
            if values is not None and (bounds := fitted_depths(values, part.invalid)):
                session.state.look = replace(session.state.look, fitted=bounds)
                return


NO_VALUE = "no range is fitted: no visible pixel has a value"
NOT_COUNTED = "no range is fitted: there are no values yet"


def apply_fits(state: "ViewerState", fits: Iterable[tuple[Seen, Range]]) -> None:
    """Set the fitted display ranges of images; all differences share one range."""
    ranges: dict[str, tuple[SeenImage, Range]] = {}
    shares = []
    for what, (low, high) in fits:
        part = what.parts[0]
        if what.difference:
            shares.append(reach_share(state, part, max(abs(low), abs(high)), math.ceil))
            continue
        name = range_name(part.shown.slot, part.name)
        _, before = ranges.get(name, (part, (low, high)))
        ranges[name] = part, (min(low, before[0]), max(high, before[1]))
    for part, chosen in ranges.values():
        state.look = with_range(state.look, part.shown.slot, part.image, chosen)
    if shares:
        state.mixing = replace(state.mixing, reach=max(shares))


def has_range(what: Seen) -> bool:
    """Return whether an image on screen has a display range, as every difference has."""
    part = what.parts[0]
    return bool(what.difference) or part.name in part.shown.ranged


def range_of(state: "ViewerState", what: Seen) -> Range:
    """Return the display range of an image on screen; of a difference, 0 or -limit to limit."""
    part = what.parts[0]
    low, high = shown_range(state, part.shown.slot, part.image)
    if not what.difference:
        return low, high
    reach = difference_reach(state, Pane("", part.image.scale, low, high))
    return (-reach if what.difference == "signed-difference" else 0.0), reach


AXES = {"difference": "|A - B|", "signed-difference": "A - B"}


def range_text(state: "ViewerState", what: Seen) -> str:
    """Format the display range of an image on screen, with name and unit."""
    part = what.parts[0]
    low, high = (value_text(value, part.image) for value in range_of(state, what))
    name = f"{AXES[what.difference]} of {part.name}" if what.difference else part.name
    return f"{name} {low} to {high} {part.image.unit}".rstrip()


def value_text(value: float, image: Image, digits: int = 6) -> str:
    """Format an image's value: exactly if values are discrete, else to ``digits`` digits."""
    if image.dtype.startswith("float"):
        return f"{value:.{digits}g}"
    return f"{round(value, decimals(image)):.{EXACT_DIGITS}g}"


EXACT_DIGITS = 12  # enough for sixteenths of whatever 32 bits hold


def reach_share(
    state: "ViewerState", part: SeenImage, largest: float, rounding: Callable[[float], int]
) -> float:
    """Compute the limit of a difference, a power of two, as a fraction of the image's range."""
    low, high = shown_range(state, part.shown.slot, part.image)
    reach = 2.0 ** rounding(math.log2(max(largest, part.image.scale)))
    control = choice("mixing.reach").control
    return float(min(max(reach / (high - low), control.low), control.high))
