"""Handles at the ends of the colour bars, which the user drags to change the range shown."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wheatstone.viewer.choices.look import Range
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.colorbar import Box, Colorbar, tick_text
from wheatstone.viewer.display.picture.ranges import with_range
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.panels.marks import strokes
from wheatstone.viewer.panels.panel import PanelContext

GRIP = 8  # pixels beside an end that still take hold of it, unscaled
REACH = 3  # pixels by which a handle is longer than its bar is thick, each way, unscaled
DOUBLE_CLICK = 0.4  # seconds between the presses of a double click at most
SMALLEST = 1e-3  # of the range before a drag: the least that remains of it


@dataclass(frozen=True)
class PlacedBar:
    """A colour bar whose display range can be changed, with the box of its colours in pixels."""

    bar: Colorbar
    box: Box

    def value_at(self, x: float) -> float:
        """Return the bar's value at column ``x``, also beyond the ends of the bar."""
        left, _, right, _ = self.box
        return self.bar.low + (x - left) / max(right - left, 1) * self.bar.span

    def covers(self, x: float, y: float, margin: float) -> bool:
        """Return whether a position is on the bar, or at most ``margin`` pixels away."""
        left, top, right, bottom = self.box
        return left - margin <= x <= right + margin and top - margin <= y <= bottom + margin


def placed_bars(session: Session) -> Iterator[PlacedBar]:
    """Yield the colour bars below the picture whose range can be changed."""
    for bar, box in session.display.bars:
        if bar.image:
            yield PlacedBar(bar, box)


class RangeMouse:
    """Mouse handling of colour bars: drag an end to change the range, double-click to fit it."""

    def __init__(self, session: Session, clock: Callable[[], float] = time.monotonic) -> None:
        self._session, self._state, self._clock = session, session.state, clock
        self._held: tuple[PlacedBar, bool] | None = None  # and whether it is held by its upper end
        self._pressed = (-math.inf, 0.0)  # when, as the clock counts, and at which column

    def takes(self, event: Event, scale: float) -> bool:
        """Handle a mouse event on a colour bar; return False if the event has another meaning."""
        if event.kind == "press" and event.button == 0:
            return self._press(event, scale)
        if not self._held or event.kind == "scroll":
            return False
        if event.kind == "move":
            self._drag(event.x, *self._held)
        else:
            self._held = None
        return True

    def _press(self, event: Event, scale: float) -> bool:
        margin = GRIP * scale
        placed = next(
            (bar for bar in placed_bars(self._session) if bar.covers(event.x, event.y, margin)),
            None,
        )
        if not placed:
            return False
        now, (before, x) = self._clock(), self._pressed
        self._pressed = now, event.x
        if now - before < DOUBLE_CLICK and abs(event.x - x) <= margin:
            self._pressed = -math.inf, 0.0
            self._state.request("fit range")
            return True
        left, _, right, _ = placed.box
        ends = abs(event.x - left), abs(event.x - right)
        self._held = (placed, ends[1] < ends[0]) if min(ends) <= margin else None
        return True

    def _drag(self, x: float, placed: PlacedBar, upper: bool) -> None:
        """Set the dragged end of a colour bar's range to the value at column ``x``."""
        bar, least = placed.bar, placed.bar.span * SMALLEST
        value = placed.value_at(x)
        if upper:
            self._choose(bar, (bar.low, max(value, bar.low + least)))
        else:
            self._choose(bar, (min(value, bar.high - least), bar.high))

    def _choose(self, bar: Colorbar, chosen: Range) -> None:
        (low, high), (pipeline, _, name) = chosen, bar.image.partition(".")
        shown = (runner.shown for runner in (self._session.a, self._session.b) if runner.shown)
        slot = next((each.slot for each in shown if each.slot.pipeline.name == pipeline), None)
        if not slot:
            return
        image = slot.image(name)
        low = max(low, bar.low * SMALLEST) if image.depths else low
        self._state.look = with_range(self._state.look, slot, image, (low, high))
        self._state.hint(f"{bar.title} {tick_text(low)} to {tick_text(high)} {bar.unit}".rstrip())


def draw_range_handles(context: PanelContext) -> None:
    """Draw the handles at both ends of every colour bar."""
    area, scale = context.area, context.scale
    canvas, reach = imgui.get_background_draw_list(), REACH * scale
    for placed in placed_bars(context.session):
        left, top, right, bottom = placed.box
        for x in (left, right):
            at = area.x + x + 0.5
            begin, end = (at, area.y + top - reach), (at, area.y + bottom + reach)
            for color, thick in strokes(scale):
                canvas.add_line(begin, end, color, 2 * thick)
