"""The user's choices for point clouds in 3D: the viewpoint, and how points are drawn."""

from dataclasses import dataclass

from wheatstone.viewer.choices.declared import ChoiceGroup, amount, numbers, on_off, one_of
from wheatstone.viewer.choices.look import FARTHEST_DEPTH, NEAREST_DEPTH

Orbit = tuple[float, float, float]
"""Yaw and pitch in degrees, and the distance as a share of the left camera's."""

FROM_CAMERA: Orbit = (0.0, 0.0, 1.0)
"""The left camera's own place, from where a cloud looks like the image."""
ASIDE: Orbit = (20.0, 12.0, 1.15)
"""The first viewpoint of a cloud: from the right, a little above and behind."""
STEEPEST = 90.0  # degrees of pitch
NEAREST, FARTHEST = 0.05, 20.0  # distances

COLORS = {
    "left": "The left view.",
    "colormap": "Disparity in the chosen colour map and range.",
    "confidence": "Confidence of each disparity, in the chosen colour map.",
}
SURFACES = {
    "points": "One square per pixel, of the pixel's size at its depth.",
    "mesh": "Triangles between neighbouring pixels, except across jumps.",
}


def _orbit_says(cloud: "CloudChoice") -> str:
    yaw, pitch, distance = cloud.orbit
    return f"turned by {yaw:.0f}, {pitch:.0f} degrees, at {distance:.2f} of the camera's distance"


@dataclass(frozen=True)
class CloudChoice(ChoiceGroup):
    """The viewpoint of a point cloud, the colours of its points, and whether it is a mesh."""

    heading = "3D views"

    orbit: tuple[float, float, float] = numbers(
        ASIDE,
        -180.0,
        180.0,
        "yaw to the right and pitch up, in degrees, and distance from the rotation centre, "
        "relative to the left camera's; 0,0,1: the left camera; default: 20,12,1.15",
        option="orbit",
        undone=False,
        metavar="YAW,PITCH,DISTANCE",
        says=_orbit_says,
    )
    pivot: float | None = numbers(
        None,
        NEAREST_DEPTH,
        FARTHEST_DEPTH,
        "Depth of the rotation centre, in the calibration's unit; absent: the median depth of "
        "the first frame shown.",
        of_source=True,
        undone=False,
    )
    color: str = one_of(
        "left",
        tuple(COLORS),
        "Colours of the points.",
        title="colours of points",
        option="cloud-color",
        meanings=COLORS,
        keys=("Shift+C",),
        row=True,
        row_when=lambda state: bool(state.view.cloud),
    )
    surface: str = one_of(
        "points",
        tuple(SURFACES),
        "Drawing of the points: as squares, or as a mesh.",
        option="surface",
        meanings=SURFACES,
        keys=("Ctrl+M",),
        row=True,
        row_when=lambda state: bool(state.view.cloud),
    )
    jump: float = amount(
        1.0,
        1 / 16,
        64.0,
        "mesh: largest disparity difference, in pixels, between joined neighbours",
        step=0.25,
        option="jump",
        row=True,
        row_when=lambda state: bool(state.view.cloud),
    )
    guides: bool = on_off(
        True,
        "grid and axes with distances, and the left camera, in 3D views",
        title="grid and axes",
        option="guides",
        keys=("Ctrl+L",),
        says=("no grid, axes and camera", "grid, axes and camera"),
        row=True,
        row_when=lambda state: bool(state.view.cloud),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_orbit(self.orbit)


def check_orbit(orbit: Orbit) -> None:
    """Raise ``ValueError`` if a viewpoint's pitch or distance is out of bounds."""
    _, pitch, distance = orbit
    if abs(pitch) > STEEPEST:
        raise ValueError(
            f"orbit's pitch must be in [-{STEEPEST:g}, {STEEPEST:g}] degrees (got {pitch:g})"
        )
    if not NEAREST <= distance <= FARTHEST:
        raise ValueError(
            f"orbit's distance must be in [{NEAREST:g}, {FARTHEST:g}] (got {distance:g})"
        )
