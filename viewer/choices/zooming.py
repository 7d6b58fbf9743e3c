"""Zoom the picture: around a point, to a rectangle, or to fit the whole image."""

from wheatstone.viewer.choices.regions import Rectangle
from wheatstone.viewer.choices.state import LARGEST_ZOOM, SMALLEST_ZOOM, ViewerState

BOX_SURROUND = 4
"""The factor by which the part of the image shown is longer and higher than the rectangle in it."""
BOX_ZOOM = 16.0
"""The largest zoom at which a rectangle is shown."""


def zoom_at(state: ViewerState, factor: float, point: tuple[float, float]) -> None:
    """Zoom by a factor so that one point of the image stays where it is on screen.

    Args:
        point: in fractions of the image (x, y).
    """
    zoom = min(max(state.zoom * factor, SMALLEST_ZOOM), LARGEST_ZOOM)
    shrink = state.zoom / zoom
    state.look_at(
        point[0] + (state.center[0] - point[0]) * shrink,
        point[1] + (state.center[1] - point[1]) * shrink,
    )
    state.zoom = zoom


def zoom_to(state: ViewerState, box: Rectangle, size: tuple[int, int]) -> None:
    """Show a rectangle of the image in the middle, with its surroundings.

    Args:
        size: width and height of the image.
    """
    sides = [(box[i], box[i + 2], size[i]) for i in range(2)]
    x, y = ((first + length / 2) / whole for first, length, whole in sides)
    fits = min(whole / (BOX_SURROUND * length) for _, length, whole in sides)
    state.center, state.zoom = (x, y), min(max(fits, 1.0), BOX_ZOOM)


def zoom_to_fit(state: ViewerState) -> None:
    """Show the whole image, as large as the window allows."""
    state.zoom, state.center = 1.0, (0.5, 0.5)
