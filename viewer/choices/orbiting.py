"""Move around a cloud of points: turn it, approach it, return to the first viewpoint."""

from dataclasses import replace

from wheatstone.viewer.choices.cloud import ASIDE, FARTHEST, NEAREST, STEEPEST, Orbit
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.choices.zooming import zoom_to_fit

HALF_TURN = 180.0  # degrees that a drag across the picture turns the cloud by


def turn(state: ViewerState, right: float, down: float) -> None:
    """Turn the cloud as if it were dragged.

    Args:
        right, down: distances dragged, in fractions of the picture's shorter side.
    """
    yaw, pitch, distance = state.cloud.orbit
    yaw = (yaw - right * HALF_TURN + 180.0) % 360.0 - 180.0
    pitch = min(max(pitch + down * HALF_TURN, -STEEPEST), STEEPEST)
    _see_from(state, (yaw, pitch, distance))


def approach(state: ViewerState, factor: float) -> None:
    """Divide the eye's distance from its pivot by a factor, within its bounds."""
    yaw, pitch, distance = state.cloud.orbit
    _see_from(state, (yaw, pitch, min(max(distance / factor, NEAREST), FARTHEST)))


def _see_from(state: ViewerState, orbit: Orbit) -> None:
    """Set the viewpoint of the cloud, rounded to the digits that make a visible difference."""
    yaw, pitch, distance = orbit
    choose(state, "cloud.orbit", (round(yaw, 2), round(pitch, 2), round(distance, 4)))


def go_home(state: ViewerState, orbit: Orbit = ASIDE) -> None:
    """Show the whole cloud from a viewpoint, around the median depth of the frame shown."""
    state.cloud = replace(state.cloud, pivot=None)
    zoom_to_fit(state)
    choose(state, "cloud.orbit", orbit)
