"""Functions that set the pixels and rectangles that the user clicks or draws in an image."""

import math
from dataclasses import replace

from wheatstone.gpu.parameters import controls
from wheatstone.viewer.choices.state import ViewerState

Rectangle = tuple[int, int, int, int]
"""x, y, width, height, in texels of an image."""


def draw_region(
    state: ViewerState, start: tuple[float, float], end: tuple[float, float], size: tuple[int, int]
) -> None:
    """Set the region that a view needs, such as a template, to a rectangle that the user drew.

    Positions are texels (x, y) of an image of the given width and height.
    """
    name, params = state.view.region, state.slot.params
    smallest = int(controls(type(params))[name].low)
    region = drawn_rectangle(start, end, smallest, size)
    x, y, width, height = region
    state.slot = replace(state.slot, params=params.changed(**{name: region}))
    state.hint(f"{name} {x},{y} {width} x {height}")


def drawn_rectangle(
    start: tuple[float, float], end: tuple[float, float], smallest: int, size: tuple[int, int]
) -> Rectangle:
    """Return the rectangle of the texels from one position to another, both included.

    It stays within the image. Where it would be shorter than ``smallest`` it grows towards
    ``end``, at the image's border away from it. An image smaller than that is exceeded.

    Args:
        start, end: in texels (x, y); they may lie outside the image.
        size: width and height of the image.
    """
    spans = [_span(*sides, smallest) for sides in zip(start, end, size, strict=True)]
    (x, width), (y, height) = spans
    return x, y, width, height


def _span(start: float, end: float, length: int, smallest: int) -> tuple[int, int]:
    """Return the first texel and the number of texels of a rectangle along one side of an image."""
    here, there = (min(max(math.floor(place), 0), length - 1) for place in (start, end))
    count = max(abs(there - here) + 1, smallest)
    first = here if there >= here else here - count + 1
    return max(min(first, length - count), 0), count


SMALLEST = 3  # pixels of a rectangle's shorter side
PANEL = "measure"
WANTED = {
    "pin": "to pin",
    "pin another": "to pin for the table",
    "measure to": "to measure to",
    "measure from": "to measure from",
    "explain": "to explain",
    "show costs": "whose costs to show",
    "copy values": "whose values to copy",
    "template here": "to use as the template's centre",
    "range from here": "with the value of the first colour",
    "range to here": "with the value of the last colour",
}
"""The purpose of a pixel, by the effect that waits for a click."""


def pick(state: ViewerState, pixel: tuple[int, int]) -> None:
    """Set the pixel (row, column) where a distance begins or, if that is set, where it ends."""
    if state.look.pin and not state.measuring.other:
        pick_other(state, pixel)
    else:
        pick_first(state, pixel)


def pick_first(state: ViewerState, pixel: tuple[int, int]) -> None:
    """Set the pixel (row, column) where a distance to measure begins, and clear its end."""
    state.look = replace(state.look, pin=pixel)
    state.measuring = replace(state.measuring, other=None)
    state.hint(f"measuring from x {pixel[1]}, y {pixel[0]}")
    state.show_panel(PANEL)


def pick_other(state: ViewerState, pixel: tuple[int, int] | None) -> None:
    """Set the pixel (row, column) where a distance ends; None or the same pixel clears it."""
    other = None if pixel == state.measuring.other else pixel
    state.measuring = replace(state.measuring, other=other)
    state.hint(f"measuring to x {other[1]}, y {other[0]}" if other else "distance removed")
    state.show_panel(PANEL)


def pick_rectangle(
    state: ViewerState, start: tuple[float, float], end: tuple[float, float], size: tuple[int, int]
) -> None:
    """Set the rectangle in which a plane is measured to one that the user drew.

    Positions are texels (x, y) of an image of the given width and height.
    """
    _measure(state, drawn_rectangle(start, end, SMALLEST, size))


def switch_rectangle(state: ViewerState, size: tuple[int, int]) -> None:
    """Set a centred rectangle of half the image's size for measuring, or remove the present one.

    It is removed if one is set.
    """
    if state.measuring.rectangle:
        _measure(state, None)
        return
    width, height = size
    half = max(width // 2, 1), max(height // 2, 1)
    _measure(state, ((width - half[0]) // 2, (height - half[1]) // 2, *half))


def _measure(state: ViewerState, rectangle: Rectangle | None) -> None:
    state.measuring = replace(state.measuring, rectangle=rectangle)
    state.hint("rectangle removed")
    if rectangle:
        x, y, width, height = rectangle
        state.hint(f"measuring in {x},{y} {width} x {height}")
    state.show_panel(PANEL)


def wait_for_click(state: ViewerState, effect: str) -> None:
    """Let the user's next click choose the pixel that a command needs, with a message."""
    state.picks = effect
    state.hint(f"click the pixel {WANTED[effect]}; Esc cancels")
