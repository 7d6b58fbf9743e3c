"""Rigs: two cameras as they are, before their images are rectified."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Model = Literal["plumb-bob", "rational", "fisheye"]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Camera:
    """Describe how one camera projects.

    Attributes:
        matrix: (3, 3) float64, [fx s cx; 0 fy cy; 0 0 1] in pixels; (0, 0) is the centre of the top
            left pixel.
        distortion: coefficients in OpenCV's order: k1 k2 p1 p2 (k3) of ``plumb-bob``, with k4 k5 k6
            (and more) of ``rational``; k1 k2 k3 k4 of ``fisheye``, the equidistant model.
        model: which of them they are.
    """

    matrix: Matrix
    distortion: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    model: Model = "plumb-bob"

    @property
    def focal(self) -> float:
        """Compute the mean focal length in pixels."""
        return float(self.matrix[0, 0] + self.matrix[1, 1]) / 2

    @property
    def coefficients(self) -> Matrix:
        """List the distortion as OpenCV takes it."""
        return np.array(self.distortion, np.float64)

    def scaled(self, ratio: float) -> "Camera":
        """Describe the camera for images ``ratio`` times as large."""
        matrix = self.matrix.copy()
        matrix[:2] *= ratio
        matrix[:2, 2] += (ratio - 1) / 2
        return replace(self, matrix=matrix)


@dataclass(frozen=True, eq=False)
class Levelling:
    """Describe the two virtual cameras of a rectified pair, in OpenCV's words.

    Attributes:
        rotations: (3, 3) float64 each, R1 and R2: from each camera's axes to the common ones.
        projections: (3, 4) float64 each, P1 and P2, in pixels, and in pixels times the rig's unit.
    """

    rotations: tuple[Matrix, Matrix]
    projections: tuple[Matrix, Matrix]


@dataclass(frozen=True, eq=False)
class Rig:
    """Describe a pair of cameras whose images are not rectified yet.

    A point at X of the left camera's axes (X right, Y down, Z ahead) is at ``rotation`` X +
    ``translation`` of the right camera's.

    Attributes:
        rotation: (3, 3) float64.
        translation: (3,) float64, in ``unit``; its x is negative, for the right camera is right.
        size: width and height in pixels of the images that it was calibrated with.
        levelling: how it is to be rectified, where the file says; else OpenCV's rule decides.
        unit: of lengths: ``m``, or ``relative`` where no length is known.
    """

    left: Camera
    right: Camera
    rotation: Matrix
    translation: Matrix
    size: tuple[int, int]
    levelling: Levelling | None = None
    unit: str = "m"

    @property
    def cameras(self) -> tuple[Camera, Camera]:
        """List the left and the right camera."""
        return self.left, self.right

    @property
    def baseline(self) -> float:
        """Compute the distance of the cameras, in ``unit``."""
        return float(np.linalg.norm(self.translation))

    @property
    def angle(self) -> float:
        """Compute by how many degrees the cameras' axes are turned against each other."""
        cosine = (np.trace(self.rotation) - 1) / 2
        return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
