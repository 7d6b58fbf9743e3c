"""Draw the rectangle that a view lets the user choose, such as the template of a correlation."""

import math
from dataclasses import replace

from wheatstone.gpu.parameters import controls
from wheatstone.viewer.choices.state import ViewerState

Rectangle = tuple[int, int, int, int]
"""x, y, width, height, in texels of an image."""


def draw_region(
    state: ViewerState, start: tuple[float, float], end: tuple[float, float], size: tuple[int, int]
) -> None:
    """Set the view's region parameter to the drawn rectangle, with a message.

    Args:
        start, end: where the mouse was pressed and where it is, in texels (x, y).
        size: width and height of the image.
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
        smallest: shortest side.
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
