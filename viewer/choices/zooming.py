"""Functions that zoom the image, or move the viewpoint of a point cloud."""

from dataclasses import replace

from wheatstone.viewer.choices.cloud import ASIDE, FARTHEST, NEAREST, STEEPEST, Orbit
from wheatstone.viewer.choices.regions import Rectangle
from wheatstone.viewer.choices.state import FITTED, LARGEST_ZOOM, SMALLEST_ZOOM, ViewerState
from wheatstone.viewer.choices.table import choose

BOX_SURROUND = 4
"""The factor by which the part of the image shown is longer and higher than the rectangle in it."""
BOX_ZOOM = 16.0
"""The largest zoom at which a rectangle is shown."""


def zoom_at(state: ViewerState, factor: float, point: tuple[float, float]) -> None:
    """Zoom by a factor; a point of the image, in fractions (x, y), keeps its place on screen."""
    zoom = min(max(state.zoom * factor, SMALLEST_ZOOM), LARGEST_ZOOM)
    shrink = state.zoom / zoom
    state.look_at(
        point[0] + (state.center[0] - point[0]) * shrink,
        point[1] + (state.center[1] - point[1]) * shrink,
    )
    state.zoom = zoom


def zoom_to(state: ViewerState, box: Rectangle, size: tuple[int, int]) -> None:
    """Zoom to a rectangle of the image with a margin around it, centred in the image area.

    Args:
        size: width and height of the image.
    """
    sides = [(box[i], box[i + 2], size[i]) for i in range(2)]
    x, y = ((first + length / 2) / whole for first, length, whole in sides)
    fits = min(whole / (BOX_SURROUND * length) for _, length, whole in sides)
    state.center, state.zoom = (x, y), min(max(fits, 1.0), BOX_ZOOM)


def zoom_to_fit(state: ViewerState) -> None:
    """Zoom so that the whole image is shown, as large as the window allows."""
    state.zoom, state.center = FITTED


def fit_unmoved(state: ViewerState) -> None:
    """Fit the image to the window again, unless the user zoomed or moved it."""
    if state.fits:
        zoom_to_fit(state)
    state.held = FITTED


HALF_TURN = 180.0  # degrees that a drag across the picture turns the cloud by


def turn(state: ViewerState, right: float, down: float) -> None:
    """Turn the point cloud by a drag, in fractions of the shorter side of its area on screen."""
    yaw, pitch, distance = state.cloud.orbit
    yaw = (yaw - right * HALF_TURN + 180.0) % 360.0 - 180.0
    pitch = min(max(pitch + down * HALF_TURN, -STEEPEST), STEEPEST)
    _see_from(state, (yaw, pitch, distance))


def approach(state: ViewerState, factor: float) -> None:
    """Divide the distance from viewpoint to rotation centre by a factor, within bounds."""
    yaw, pitch, distance = state.cloud.orbit
    _see_from(state, (yaw, pitch, min(max(distance / factor, NEAREST), FARTHEST)))


def _see_from(state: ViewerState, orbit: Orbit) -> None:
    """Set the viewpoint of the point cloud, rounded to a few decimal digits."""
    yaw, pitch, distance = orbit
    choose(state, "cloud.orbit", (round(yaw, 2), round(pitch, 2), round(distance, 4)))


def go_home(state: ViewerState, orbit: Orbit = ASIDE) -> None:
    """Show the whole point cloud from a viewpoint, turned about the frame's median depth."""
    state.cloud = replace(state.cloud, pivot=None)
    zoom_to_fit(state)
    choose(state, "cloud.orbit", orbit)
