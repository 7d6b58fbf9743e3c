"""Labels over the picture with the values of the pixel under the cursor and of pinned pixels."""

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest

from wheatstone.viewer.display.picture.layout import Cell
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.style import number
from wheatstone.viewer.panels.inspector.pixel_label import PixelLabel, PixelPlace, Row, label_of
from wheatstone.viewer.panels.inspector.pixel_words import pixel_of
from wheatstone.viewer.panels.inspector.reading import Pixel
from wheatstone.viewer.panels.marks import CASING, INK, draw_dot, panes
from wheatstone.viewer.panels.panel import Area, PanelContext

EVERY = 0.2  # seconds between two readings of a pixel while frames pass
GROUND, NAME = number("rim", 0.92), number("quiet")
ASIDE = 14  # units of an unscaled screen between a pixel and its label
DOT = 5  # units of an unscaled screen around a pin that labels of pins leave free
STEPS = 8  # places across and down that are tried for a label that has no room next to its pixel
GRIP = 7  # units of an unscaled screen from a pin's dot that still belong to it
Box = tuple[float, float, float, float]
"""Left, top, right and bottom in the window, in pixels."""


@dataclass(frozen=True)
class PlacedLabel:
    """A label, and the position in the window of its pixel or of the cursor."""

    place: PixelPlace
    x: float
    y: float
    number: int = 0  # of the pin, from 1; 0 for the label at the cursor


class PictureLabels:
    """The labels over the picture of one window, with their positions and values."""

    def __init__(self) -> None:
        self._placed: list[PlacedLabel] = []
        self._known: dict[PixelPlace, tuple[tuple[object, ...], float, PixelLabel]] = {}
        self._boxes: list[tuple[Pixel, Box]] = []  # of the pins, as drawn last

    def update(self, context: PanelContext) -> None:
        """Place the labels, and read the values of those whose pixel or picture has changed."""
        self._placed = list(_pins(context))
        cursor = at_cursor(context) if context.state.look.cursor_values else None
        if cursor and cursor.place not in [pin.place for pin in self._placed]:
            self._placed.append(cursor)
        known, self._known = self._known, {}
        for placed in self._placed:
            self._known[placed.place] = self._read(context, placed.place, known.get(placed.place))

    def _read(
        self,
        context: PanelContext,
        place: PixelPlace,
        known: tuple[tuple[object, ...], float, PixelLabel] | None,
    ) -> tuple[tuple[object, ...], float, PixelLabel]:
        """Return a pixel's label with cache key and time; read again if ``known`` is outdated."""
        session, now = context.session, time.perf_counter()
        runners = session.a, session.b
        shown = [(each.shown, each.frame, each.execution) for each in runners]
        key = session.display.drawn.picture, *shown
        if known and (known[0] == key or now - known[1] < EVERY):
            return known
        return key, now, label_of(session, place)

    def draw(self, context: PanelContext) -> None:
        """Draw the labels over the picture, but under the panels."""
        self._boxes.clear()
        pins = [placed for placed in self._placed if placed.number]
        taken = [_around(pin.x, pin.y, DOT * context.scale) for pin in pins]
        for placed in self._placed:
            label = self._known[placed.place][2]
            if not placed.number:  # it follows the cursor
                _draw(context, placed, label, ())
                continue
            draw_dot(context, placed.x, placed.y)
            box = _draw(context, placed, label, taken)
            taken.append(box)
            self._boxes.append((label.pixel, box))

    def text(self, context: PanelContext) -> str:
        """Return the values under the cursor as text; without any, those of the pinned pixels."""
        cursor = at_cursor(context)
        wanted = [cursor] if cursor else _pins(context)
        labels = {label_of(context.session, each.place).text: None for each in wanted}
        return "\n\n".join(labels)

    def pin_under(self, context: PanelContext) -> Pixel | None:
        """Return the pinned pixel whose dot or label is under the cursor; None without one."""
        if not context.cursor:
            return None
        x, y = context.cursor
        for pixel, (left, top, right, bottom) in reversed(self._boxes):
            if left <= x <= right and top <= y <= bottom:
                return pixel
        grip = GRIP * context.scale
        for placed in self._placed:
            if placed.number and max(abs(placed.x - x), abs(placed.y - y)) <= grip:
                return placed.place.pixel
        return None


def at_cursor(context: PanelContext) -> PlacedLabel | None:
    """Return the label of the pixel under the cursor; None if there is no pixel."""
    session, hit, cursor = context.session, context.hit, context.cursor
    drawn = session.display.drawn
    if not (hit and cursor and hit.pane < len(drawn.arrangement.sizes)):
        return None
    pixel = pixel_of(hit, *drawn.arrangement.sizes[hit.pane])
    if not pixel:
        return None
    beyond = drawn.beyond_seam(cursor[0] - context.area.x, cursor[1] - context.area.y)
    of_left = drawn.in_space(hit.pane) or any(pane.number == hit.pane for pane in panes(drawn))
    return PlacedLabel(PixelPlace(pixel, hit.pane, beyond, of_left), *cursor)


def _pins(context: PanelContext) -> Iterator[PlacedLabel]:
    """Yield the labels of the pinned pixels, one for every image that shows the pixel."""
    drawn, area = context.session.display.drawn, context.area
    for count, pixel in enumerate(context.state.look.pins, 1):
        for pane in panes(drawn):
            x, y = drawn.arrangement.place(pixel[0] + 0.5, pixel[1] + 0.5, pane.number)
            height, width = drawn.arrangement.sizes[pane.number]
            inside = pixel[0] < height and pixel[1] < width
            if inside and drawn.arrangement.cells[pane.number].holds(x, y):
                place = PixelPlace(pixel, pane.number, drawn.beyond_seam(x, y))
                yield PlacedLabel(place, x + area.x, y + area.y, count)


def _draw(
    context: PanelContext, placed: PlacedLabel, label: PixelLabel, taken: Sequence[Box]
) -> Box:
    """Draw a label near its pixel, and return its box; it avoids other boxes if possible.

    Where its values have no room it only names its pixel.
    """
    (y, x), letter = label.pixel, imgui.get_font_size()
    heading = f"{placed.number}   x {x}  y {y}" if placed.number else f"x {x}  y {y}"
    gap, line, rim = 0.8 * letter, imgui.get_text_line_height() * 1.15, 0.45 * letter
    aside, area = ASIDE * context.scale, _box_of(context.area)
    outer = (_cell_of(context, placed.place.pane), area) if placed.number else (area,)
    for rows in (label.rows, ()):
        widths = _widths(rows)
        wide = max(sum(widths) + gap * max(len(widths) - 1, 0), imgui.calc_text_size(heading).x)
        size = wide + 2 * rim, line * (1 + len(rows)) + 2 * rim
        corner = free_corner((placed.x, placed.y), size, outer, taken, aside)
        if corner:
            break
    left, top = corner or area[:2]
    canvas, box = imgui.get_background_draw_list(), (left, top, left + size[0], top + size[1])
    canvas.add_rect_filled(box[:2], box[2:], GROUND, rim)
    canvas.add_rect(box[:2], box[2:], CASING, rim)
    canvas.add_text((left + rim, top + rim), NAME, heading)
    for count, row in enumerate(rows, 1):
        at, baseline = left + rim, top + rim + count * line
        for column, text in enumerate(row):
            spare = widths[column] - imgui.calc_text_size(text).x if column else 0.0
            canvas.add_text((at + spare, baseline), INK if column else NAME, text)
            at += widths[column] + gap
    return box


def _widths(rows: tuple[Row, ...]) -> list[float]:
    """Measure the width of each column of a label, in pixels."""
    columns = zip_longest(*rows, fillvalue="")
    return [max(imgui.calc_text_size(text).x for text in column) for column in columns]


def _box_of(area: Area | Cell, x: int = 0, y: int = 0) -> Box:
    """Convert an area to a box (left, top, right, bottom), shifted by ``x`` and ``y`` pixels."""
    return area.x + x, area.y + y, area.x + area.width + x, area.y + area.height + y


def _cell_of(context: PanelContext, pane: int) -> Box:
    """Return the rectangle of the window in which an image of the picture is drawn."""
    cell = context.session.display.drawn.arrangement.cells[pane]
    return _box_of(cell, context.area.x, context.area.y)


def _around(x: float, y: float, radius: float) -> Box:
    return x - radius, y - radius, x + radius, y + radius


def free_corner(
    at: tuple[float, float],
    size: tuple[float, float],
    outer: Iterable[Box],
    taken: Sequence[Box],
    aside: float,
) -> tuple[int, int] | None:
    """Choose the left top corner of a box near a point; None if no place is free.

    The box stands right of and below the point or on its other sides if it has room there; else at
    a free place near the point.

    Args:
        outer: boxes that have to contain the whole box, the most wanted first.
        taken: boxes that it must not overlap.
        aside: distance from the point across and down.
    """
    width, height = size
    for around in outer:
        for x, y in _corners(at, size, around, aside):
            if not any(
                x < right and left < x + width and y < low and top < y + height
                for left, top, right, low in taken
            ):
                return round(x), round(y)
    return None


def _corners(
    at: tuple[float, float], size: tuple[float, float], around: Box, aside: float
) -> Iterator[tuple[float, float]]:
    """Yield possible left top corners of a box: next to a point, then all over ``around``."""
    spans = [(around[n], around[n + 2] - size[n]) for n in (0, 1)]
    if any(first > last for first, last in spans):
        return
    usual = [
        [begin for begin in (at[n] + aside, at[n] - aside - size[n]) if first <= begin <= last]
        for n, (first, last) in enumerate(spans)
    ]
    yield from ((x, y) for y in usual[1] for x in usual[0])
    everywhere = [
        [*usual[n], *(first + (last - first) * step / STEPS for step in range(STEPS + 1))]
        for n, (first, last) in enumerate(spans)
    ]
    middle = at[0] - size[0] / 2, at[1] - size[1] / 2
    yield from sorted(
        product(everywhere[0], everywhere[1]), key=lambda corner: math.dist(corner, middle)
    )
