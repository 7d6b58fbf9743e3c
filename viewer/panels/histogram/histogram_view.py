"""The data that the histogram panel draws, and the changes of the range by dragging its ends."""

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.look import Range
from wheatstone.viewer.display.picture.cell_contents import Seen, seen
from wheatstone.viewer.display.picture.ranges import limits, with_range
from wheatstone.viewer.panels.histogram.counting import (
    AXES,
    EVERYWHERE,
    counts_of,
    has_range,
    range_of,
    range_text,
    reach_share,
)
from wheatstone.viewer.panels.histogram.counts import Counts
from wheatstone.viewer.words import spoken

if TYPE_CHECKING:
    from wheatstone.viewer.choices.state import ViewerState
    from wheatstone.viewer.display.frames.session import Session

EVERY = 0.1  # seconds between two counts at least
MOST_BARS = 96
FAR = 98.0  # per cent of the depths, which the axis spans


@dataclass(frozen=True, eq=False)
class Plot:
    """A histogram with its title and axes, ready to be drawn.

    Attributes:
        bars: (N, 2) the middle of every bar and its pixel count.
        width: of a bar, in the unit.
        extent: values that the axis spans at least.
        labels: for an image of labels, their names; the values are their numbers.
    """

    what: Seen
    counts: Counts
    title: str
    axis: str
    bars: NDArray[np.float64]
    width: float
    extent: Range
    labels: tuple[str, ...] = ()


@dataclass
class Counting:
    """The histogram of the image under the cursor, counted again when the image changes."""

    plot: Plot | None = None  # the newest histogram; None before there is something to count
    _cell: int = 0
    _key: tuple[object, ...] = ()
    _counted_at: float = field(default=float("-inf"))

    def update(self, session: "Session", cell: int | None) -> None:
        """Update the histogram of the image under the cursor, at most once every ``EVERY`` seconds.

        Without a pane under the cursor, the last pane is counted.
        """
        self._cell = self._cell if cell is None else cell
        state, a, b = session.state, session.a.shown, session.b.shown
        what = seen(state, a, b, self._cell) or seen(state, a, b, 0)
        if not what:
            self.plot, self._key = None, ()
            return
        region = EVERYWHERE
        if not session.state.look.whole:
            region = session.display.drawn.visible(what.cell) or EVERYWHERE
        bounds = [(side.start, side.stop) for side in region]  # slices cannot be hashed
        mixed = what.difference, what.cell, has_range(what)
        key = (mixed, *_values_key(session, what), *bounds)
        now = time.perf_counter()
        if key == self._key or now - self._counted_at < EVERY:
            return
        counts = counts_of(session, what, region)
        if counts:
            self.plot, self._key, self._counted_at = plotted(what, counts), key, now


def _values_key(session: "Session", what: Seen) -> list[object]:
    """Return a key that changes whenever the values of an image on screen change."""
    key: list[object] = []
    for part in what.parts:
        runner = session.a if part.slot == "a" else session.b
        if part.of_source:
            key += [runner.frame, part.name]
        else:
            key += [session.latest.image(runner, part.name), part.slot, part.name]
    return key


def plotted(what: Seen, counts: Counts) -> Plot:
    """Build the histogram of an image on screen from the counts of its values."""
    part = what.parts[0]
    image = part.image
    axis = AXES.get(what.difference, "")
    name = spoken(part.name)
    unit = f", {image.unit}" if image.unit else ""
    title = f"{name}, {axis}" if axis else f"{name} of {part.slot.upper()}"
    last = counts.first + counts.step * max(len(counts.counts) - 1, 0)
    if image.depths:  # a few wrong ones may lie a thousand times as far away as the rest
        last = counts.percentile(FAR) or last
    low, high = counts.first, last
    if not what.difference and not part.of_source:
        least, most = limits(image, part.shown.slot)
        low, high = min(low, least), max(high, most)
    if part.of_source:
        title, low, high = f"{name}, grey levels", 0.0, 255.0
    bars, width = counts.bars(low, max(high, low + counts.step), MOST_BARS)
    return Plot(
        what, counts, title, f"{axis or name}{unit}", bars, width, (low, high), image.labels
    )


def handles(state: "ViewerState", plot: Plot) -> Range | None:
    """Return the range whose ends can be dragged in the histogram; None for photos and labels.

    For a difference of A and B this is its reach.
    """
    return range_of(state, plot.what) if has_range(plot.what) else None


def fixed_ends(plot: Plot) -> tuple[bool, bool]:
    """Return for each end of a range whether it is fixed, as is only the low end (0) of |A - B|."""
    return plot.what.difference == "difference", False


def drag(state: "ViewerState", plot: Plot, low: float, high: float) -> None:
    """Set the range shown to the positions to which its ends were dragged; ignore impossible ones.

    The reach of a difference becomes the nearest power of two, which a message shows.
    """
    if not np.isfinite([low, high]).all():
        return
    part = plot.what.parts[0]
    if plot.what.difference:
        _drag_difference(state, plot, low, high)
    elif low < high:
        state.look = with_range(state.look, part.shown.slot, part.image, (low, high))


def _drag_difference(state: "ViewerState", plot: Plot, low: float, high: float) -> None:
    """Set the display limit of the difference A - B to the position of the dragged end."""
    part, before = plot.what.parts[0], range_of(state, plot.what)
    if high != before[1]:
        largest = high
    elif low != before[0] and not fixed_ends(plot)[0]:
        largest = -low
    else:
        return
    state.mixing = replace(state.mixing, reach=reach_share(state, part, largest, round))
    state.hint("shown: " + range_text(state, plot.what))


def summary(counts: Counts) -> str:
    """Describe how many pixels were counted, and how many have no value."""
    total = counts.valid + counts.invalid
    text = f"{counts.valid:,} pixels"
    if counts.invalid:
        text += f" and {counts.invalid:,} without a value ({counts.invalid / max(total, 1):.1%})"
    return text
