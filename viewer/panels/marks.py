"""Marks over the picture: pixels, measured line and rectangle, visited difference or error."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from wheatstone.viewer.choices.panel_choices import Measuring
from wheatstone.viewer.choices.regions import Rectangle
from wheatstone.viewer.display.picture.drawn_picture import DrawnPicture
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.style import number
from wheatstone.viewer.panels.panel import PanelContext

CROSS = 9  # half the length of the mark of a pixel, in units of an unscaled screen
CASING, INK = number("rim"), number("on picture")


def strokes(scale: float) -> tuple[tuple[int, float], ...]:
    """List the colour and width of the two strokes of a mark's line, the dark outline first."""
    return ((CASING, 3 * scale), (INK, scale))


def draw_cross(context: PanelContext, row: int, column: int) -> None:
    """Draw a cross at a pixel, over every image that shows it."""
    area = context.area
    canvas, half = imgui.get_background_draw_list(), CROSS * context.scale
    for left, top in context.session.display.drawn.places(row + 0.5, column + 0.5):
        x, y = round(left) + area.x + 0.5, round(top) + area.y + 0.5
        for color, thick in strokes(context.scale):
            for dx, dy in ((1, 0), (0, 1)):
                for way in (-1, 1):
                    near, far = 0.35 * half * way, half * way
                    begin = (x + dx * near, y + dy * near)
                    canvas.add_line(begin, (x + dx * far, y + dy * far), color, thick)


def draw_dot(context: PanelContext, x: float, y: float) -> None:
    """Draw a dot at a position in the window."""
    canvas, place = imgui.get_background_draw_list(), (round(x) + 0.5, round(y) + 0.5)
    for color, radius in ((CASING, 3.5), (INK, 2.0)):
        canvas.add_circle_filled(place, radius * context.scale, color)


NOT_LEFT = ("right", "raw_")  # begin the names of images that do not lie as the left view does
LABEL = number("rim", 0.8)  # behind a label


@dataclass(frozen=True)
class MarkedPane:
    """An image on screen that shows the left view, or has the same geometry.

    Attributes:
        corners: left, top, right and bottom, in pixels of the picture's area.
    """

    number: int
    corners: tuple[int, int, int, int]


def panes(drawn: DrawnPicture) -> list[MarkedPane]:
    """List the images on screen in which pixels of the left view can be marked."""
    cells = zip(drawn.arrangement.cells, drawn.images, strict=True)
    return [
        MarkedPane(number, (cell.x, cell.y, cell.x + cell.width, cell.y + cell.height))
        for number, (cell, images) in enumerate(cells)
        if not drawn.in_space(number)
        and drawn.of_frame(number)
        and not all(image.removeprefix("B ").startswith(NOT_LEFT) for image in images)
    ]


def draw_marks(context: PanelContext, label: str) -> None:
    """Draw the marks of a measurement: both pixels, the labelled line, and the rectangle."""
    pin, measuring = context.state.look.pin, context.state.measuring
    for pixel in (pin, measuring.other):
        if pixel:
            draw_cross(context, *pixel)
    for pane in panes(context.session.display.drawn):
        with clipped(context, pane):
            if measuring.rectangle:
                _draw_rectangle(context, pane, measuring.rectangle)
            if pin and measuring.other:
                _draw_line(context, pane, _middles(pin, measuring), label)


Place = tuple[float, float]


def _middles(pin: tuple[int, int], measuring: Measuring) -> tuple[Place, Place]:
    """Return the centres (row, column) of the two pixels whose distance is measured."""
    assert measuring.other
    return (pin[0] + 0.5, pin[1] + 0.5), (measuring.other[0] + 0.5, measuring.other[1] + 0.5)


@contextmanager
def clipped(context: PanelContext, pane: MarkedPane) -> Iterator[None]:
    """Restrict drawing to the area of an image within the ``with`` block."""
    canvas = imgui.get_background_draw_list()
    (left, top, right, bottom), (x, y) = pane.corners, (context.area.x, context.area.y)
    canvas.push_clip_rect((x + left, y + top), (x + right, y + bottom), True)
    yield
    canvas.pop_clip_rect()


def place_of(context: PanelContext, pane: MarkedPane, row: float, column: float) -> Place:
    """Convert a position in the image to a position in the window."""
    x, y = context.session.display.drawn.arrangement.place(row, column, pane.number)
    return x + context.area.x, y + context.area.y


def _draw_rectangle(context: PanelContext, pane: MarkedPane, rectangle: Rectangle) -> None:
    x, y, width, height = rectangle
    left, top = (round(place) + 0.5 for place in place_of(context, pane, y, x))
    right, bottom = (round(place) + 0.5 for place in place_of(context, pane, y + height, x + width))
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    canvas = imgui.get_background_draw_list()
    for color, thick in strokes(context.scale):
        for begin, end in zip(corners, (*corners[1:], corners[0]), strict=True):
            canvas.add_line(begin, end, color, thick)


def _draw_line(
    context: PanelContext, pane: MarkedPane, ends: tuple[Place, Place], label: str
) -> None:
    first, last = (place_of(context, pane, *end) for end in ends)
    canvas = imgui.get_background_draw_list()
    for color, thick in strokes(context.scale):
        canvas.add_line(first, last, color, thick)
    if label:
        _draw_label(((first[0] + last[0]) / 2, (first[1] + last[1]) / 2), label)


def _draw_label(middle: Place, label: str) -> None:
    """Draw a text on a dark background, centred at a position in the window."""
    canvas, size = imgui.get_background_draw_list(), imgui.calc_text_size(label)
    rim = imgui.get_font_size() * 0.3
    left, top = middle[0] - size.x / 2, middle[1] - size.y / 2
    begin, end = (left - rim, top - rim), (left + size.x + rim, top + size.y + rim)
    canvas.add_rect_filled(begin, end, LABEL, rim)
    canvas.add_rect(begin, end, CASING, rim)
    canvas.add_text((left, top), INK, label)


ASIDE = 5  # units of an unscaled screen between the place and its mark
WIDTHS = ((CASING, 4), (number("place"), 2))


def draw_place_mark(context: PanelContext) -> None:
    """Draw a box around the last visited difference or error, in every image with the left view."""
    box = context.state.marked
    if not box:
        return
    x, y, width, height = box
    canvas, aside = imgui.get_background_draw_list(), ASIDE * context.scale
    for pane in panes(context.session.display.drawn):
        left, top = place_of(context, pane, y, x)
        right, bottom = place_of(context, pane, y + height, x + width)
        corners = (left - aside, top - aside), (right + aside, bottom + aside)
        with clipped(context, pane):
            for color, thick in WIDTHS:
                canvas.add_rect(*corners, color, aside, thickness=thick * context.scale)
