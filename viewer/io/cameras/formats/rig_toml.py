"""The program's own TOML format of a rig, which ``wheatstone calibrate`` writes.

[rig]
size = [1280, 720]      # width and height of the images it was calibrated with
unit = "m"              # of lengths, or "cm", "mm"; "relative" if the scale is not known

[left]                  # and [right]
matrix = [[905.0, 0.0, 639.5], [0.0, 905.0, 359.5], [0.0, 0.0, 1.0]]
distortion = [-0.1, 0.02, 0.0, 0.0, 0.0]   # in OpenCV's order
model = "plumb-bob"     # or "rational", "fisheye"
rectification = [...]   # 3x3 and 3x4, of both cameras or of none: how to rectify the pair
projection = [...]

[stereo]                # a point X of the left camera's axes is rotation X + translation
rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
translation = [-0.065, 0.0, 0.0]

[calibration]           # its input and its quality, for people
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from wheatstone.viewer.io.cameras.calibration import RELATIVE
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, Model, RectifiedCameras, Rig

SUFFIX = ".toml"
Row = tuple[float, float, float]
Three = tuple[Row, Row, Row]
Wide = tuple[float, float, float, float]


@dataclass(frozen=True)
class SavedRig:
    """The section ``rig`` of the program's rig file: size of the images and unit of lengths."""

    size: tuple[int, int]
    unit: Literal["m", "cm", "mm", "relative"] = "m"


@dataclass(frozen=True)
class SavedCamera:
    """A section ``left`` or ``right`` of the program's rig file: one camera of the rig."""

    matrix: Three
    distortion: tuple[float, ...]
    model: Model
    rectification: Three | None = None
    projection: tuple[Wide, Wide, Wide] | None = None

    def camera(self) -> Camera:
        """Make the camera that a section of the rig file describes."""
        return Camera(np.array(self.matrix, np.float64), self.distortion, self.model)


@dataclass(frozen=True)
class SavedStereo:
    """The section ``stereo`` of the program's rig file: the pose between the cameras."""

    rotation: Three
    translation: Row


@dataclass(frozen=True)
class RigDocument:
    """The complete content of the program's rig file."""

    rig: SavedRig
    left: SavedCamera
    right: SavedCamera
    stereo: SavedStereo
    calibration: Mapping[str, Any] = field(default_factory=dict)  # how good it is


def rig_of(document: RigDocument) -> Rig:
    """Make the rig that a rig file describes, with lengths in the unit of the file.

    Raises:
        ValueError: rectification or projection is incomplete.
    """
    return Rig(
        document.left.camera(),
        document.right.camera(),
        np.array(document.stereo.rotation, np.float64),
        np.array(document.stereo.translation, np.float64),
        document.rig.size,
        _levelling(document.left, document.right),
        RELATIVE if document.rig.unit == RELATIVE else "m",
    )


def _levelling(left: SavedCamera, right: SavedCamera) -> RectifiedCameras | None:
    sides = (left.rectification, right.rectification, left.projection, right.projection)
    if all(side is None for side in sides):
        return None
    if any(side is None for side in sides):
        raise ValueError("rectification and projection must be said of both cameras, or of none")
    r1, r2, p1, p2 = (np.array(side, np.float64) for side in sides)
    return RectifiedCameras((r1, r2), (p1, p2))


def rig_sections(rig: Rig, digits: int | None = None) -> dict[str, Any]:
    """Convert a rig to the sections of the program's own rig file.

    Args:
        digits: number of decimals; None: all.

    Raises:
        ValueError: the rig's size is not known.
    """
    if rig.size is None:
        raise ValueError("a rig is written with the size of its images, which is not known")
    cameras = [
        {
            "matrix": _listed(camera.matrix, digits),
            "distortion": _listed(camera.coefficients, digits),
            "model": camera.model,
        }
        for camera in rig.cameras
    ]
    if rig.levelling:
        known = zip(cameras, rig.levelling.rotations, rig.levelling.projections, strict=True)
        for camera, rotation, projection in known:
            camera["rectification"] = _listed(rotation, digits)
            camera["projection"] = _listed(projection, digits)
    return {
        "rig": {"size": list(rig.size), "unit": rig.unit},
        "left": cameras[0],
        "right": cameras[1],
        "stereo": {
            "rotation": _listed(rig.rotation, digits),
            "translation": _listed(rig.translation.ravel(), digits),
        },
    }


def _listed(numbers: Matrix, digits: int | None) -> list[Any]:
    listed: list[Any] = (numbers if digits is None else numbers.round(digits)).tolist()
    return listed
