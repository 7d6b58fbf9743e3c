"""Our own file of a rig, TOML, which ``wheatstone calibrate`` writes.

[rig]
size = [1280, 720]      # width and height of the images it was calibrated with
unit = "m"              # of lengths; "relative" where nobody knows

[left]                  # and [right]
matrix = [[905.0, 0.0, 639.5], [0.0, 905.0, 359.5], [0.0, 0.0, 1.0]]
distortion = [-0.1, 0.02, 0.0, 0.0, 0.0]   # in OpenCV's order
model = "plumb-bob"     # or "rational", "fisheye"
rectification = [...]   # 3x3 and 3x4, of both cameras or of none: how to rectify the pair
projection = [...]

[stereo]                # a point X of the left camera's axes is rotation X + translation
rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
translation = [-0.065, 0.0, 0.0]
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from viewer.cameras.rig import Camera, Levelling, Matrix, Model, Rig

SUFFIX = ".toml"
Row = tuple[float, float, float]
Three = tuple[Row, Row, Row]
Wide = tuple[float, float, float, float]


@dataclass(frozen=True)
class SavedRig:
    """The section ``rig``."""

    size: tuple[int, int]
    unit: Literal["m", "relative"] = "m"


@dataclass(frozen=True)
class SavedCamera:
    """The sections ``left`` and ``right``."""

    matrix: Three
    distortion: tuple[float, ...]
    model: Model
    rectification: Three | None = None
    projection: tuple[Wide, Wide, Wide] | None = None

    def camera(self) -> Camera:
        """Make the camera that the section describes."""
        return Camera(np.array(self.matrix, np.float64), self.distortion, self.model)


@dataclass(frozen=True)
class SavedStereo:
    """The section ``stereo``."""

    rotation: Three
    translation: Row


@dataclass(frozen=True)
class RigDocument:
    """The whole file."""

    rig: SavedRig
    left: SavedCamera
    right: SavedCamera
    stereo: SavedStereo


def rig_of(found: RigDocument) -> Rig:
    """Make the rig that a file describes. Raises ``ValueError`` if it says only half."""
    return Rig(
        found.left.camera(),
        found.right.camera(),
        np.array(found.stereo.rotation, np.float64),
        np.array(found.stereo.translation, np.float64),
        found.rig.size,
        _levelling(found.left, found.right),
        found.rig.unit,
    )


def _levelling(left: SavedCamera, right: SavedCamera) -> Levelling | None:
    sides = (left.rectification, right.rectification, left.projection, right.projection)
    if all(side is None for side in sides):
        return None
    if any(side is None for side in sides):
        raise ValueError("rectification and projection must be said of both cameras, or of none")
    r1, r2, p1, p2 = (np.array(side, np.float64) for side in sides)
    return Levelling((r1, r2), (p1, p2))


def rig_text(rig: Rig) -> str:
    """Write a rig as our own file has it; ``rig_of`` finds the same numbers there.

    Raises:
        ValueError: the rig's size is not known.
    """
    if rig.size is None:
        raise ValueError("a rig is written with the size of its images, which is not known")
    lines = ["[rig]", f"size = {list(rig.size)}", f'unit = "{rig.unit}"', ""]
    for number, (name, camera) in enumerate(zip(("left", "right"), rig.cameras, strict=True)):
        lines += [
            f"[{name}]",
            f"matrix = {_rows(camera.matrix)}",
            f"distortion = {_rows(camera.coefficients)}",
            f'model = "{camera.model}"',
        ]
        if rig.levelling:
            lines.append(f"rectification = {_rows(rig.levelling.rotations[number])}")
            lines.append(f"projection = {_rows(rig.levelling.projections[number])}")
        lines.append("")
    lines += ["[stereo]", f"rotation = {_rows(rig.rotation)}"]
    return "\n".join([*lines, f"translation = {_rows(rig.translation.ravel())}", ""])


def _rows(numbers: Matrix) -> str:
    """Write numbers as TOML does, with all their digits; a matrix a row a line."""
    return str(numbers.tolist()).replace("], [", "],\n    [")
