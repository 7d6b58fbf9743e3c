"""Rigs: two calibrated cameras whose images are not rectified."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.findings import Finding, Refused

Model = Literal["plumb-bob", "rational", "fisheye"]
Matrix = NDArray[np.float64]


def contiguous(matrix: Matrix) -> Matrix:
    """Convert a matrix to the form that all OpenCV functions accept: contiguous float64."""
    return np.ascontiguousarray(matrix, np.float64)


def degrees_of(rotation: Matrix) -> float:
    """Compute the angle in degrees of a rotation matrix."""
    return float(np.degrees(np.arccos(np.clip((np.trace(rotation) - 1) / 2, -1, 1))))


@dataclass(frozen=True, eq=False)
class Camera:
    """The projection of one camera: its matrix and the distortion of its lens.

    Attributes:
        matrix: (3, 3) float64, [fx s cx; 0 fy cy; 0 0 1] in pixels; (0, 0) is the centre of the top
            left pixel.
        distortion: coefficients in OpenCV's order: k1 k2 p1 p2 (k3) of ``plumb-bob``, with k4 k5 k6
            (and more) of ``rational``; k1 k2 k3 k4 of ``fisheye``, the equidistant model.
        model: the distortion model.
    """

    matrix: Matrix
    distortion: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    model: Model = "plumb-bob"

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", contiguous(self.matrix))

    @property
    def focal(self) -> float:
        """Compute the mean focal length in pixels."""
        return float(self.matrix[0, 0] + self.matrix[1, 1]) / 2

    @property
    def coefficients(self) -> Matrix:
        """Return the lens distortion as an array for OpenCV."""
        return np.array(self.distortion, np.float64)

    def scaled(self, ratio: float) -> "Camera":
        """Return the camera for images that are enlarged by the factor ``ratio``."""
        return replace(self, matrix=_scaled(self.matrix, ratio))


@dataclass(frozen=True, eq=False)
class RectifiedCameras:
    """The virtual cameras of a rectified pair: OpenCV's R1 and R2, P1 and P2.

    Attributes:
        rotations: (3, 3) float64 each, R1 and R2: from each camera's axes to the common ones.
        projections: (3, 4) float64 each, P1 and P2, in pixels, and in pixels times the rig's unit.
    """

    rotations: tuple[Matrix, Matrix]
    projections: tuple[Matrix, Matrix]

    def __post_init__(self) -> None:
        for name in ("rotations", "projections"):
            left, right = getattr(self, name)
            object.__setattr__(self, name, (contiguous(left), contiguous(right)))

    def scaled(self, ratio: float) -> "RectifiedCameras":
        """Return the virtual cameras for images that are enlarged by the factor ``ratio``."""
        left, right = (_scaled(projection, ratio) for projection in self.projections)
        return replace(self, projections=(left, right))


@dataclass(frozen=True, eq=False)
class Rig:
    """A pair of calibrated cameras whose images are not rectified.

    A point at X of the left camera's axes (X right, Y down, Z forward) is at ``rotation`` X +
    ``translation`` of the right camera's.

    Attributes:
        rotation: (3, 3) float64.
        translation: (3,) float64, in ``unit``; x is negative: the right camera is on the right.
        size: width and height in pixels of the images that it was calibrated with; None if the
            file does not contain it.
        levelling: its rectification, if the file contains it; else OpenCV's rule is used.
        unit: of lengths: ``m``, or ``relative`` if no length is known.
        balance: how much of the views is shown, if ``levelling`` is None: from 0, only pixels that
            both cameras see, to 1, every pixel; None: as ``levelling_of`` chooses.
    """

    left: Camera
    right: Camera
    rotation: Matrix
    translation: Matrix
    size: tuple[int, int] | None
    levelling: RectifiedCameras | None = None
    unit: str = "m"
    balance: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", contiguous(self.rotation))
        object.__setattr__(self, "translation", contiguous(self.translation))

    @property
    def cameras(self) -> tuple[Camera, Camera]:
        """Return the left and the right camera of the rig."""
        return self.left, self.right

    def scaled(self, width: int, height: int, *, by_any: bool = False) -> "Rig":
        """Return the rig for images of another size, an integer multiple or fraction of its own.

        Args:
            by_any: allow every ratio of the sizes; see ``size_ratio``.

        Raises:
            OtherSize: the sizes differ by any other ratio.
        """
        if self.size is None:
            return replace(self, size=(width, height))
        ratio = size_ratio(self.size, (width, height), by_any=by_any)
        left, right = (camera.scaled(ratio) for camera in self.cameras)
        levelling = self.levelling.scaled(ratio) if self.levelling else None
        return replace(self, left=left, right=right, size=(width, height), levelling=levelling)

    def in_unit(self, factor: float) -> "Rig":
        """Return the rig with all lengths multiplied by a factor, to change their unit."""
        levelling = self.levelling
        if levelling:
            left, right = (projection.copy() for projection in levelling.projections)
            left[:, 3] *= factor
            right[:, 3] *= factor
            levelling = replace(levelling, projections=(left, right))
        return replace(self, translation=self.translation * factor, levelling=levelling)

    @property
    def principal(self) -> tuple[float, float]:
        """Return the principal point of the left camera: column, row."""
        return float(self.left.matrix[0, 2]), float(self.left.matrix[1, 2])

    @property
    def baseline(self) -> float:
        """Compute the distance between the two cameras, in ``unit``."""
        return float(np.linalg.norm(self.translation))

    @property
    def angle(self) -> float:
        """Compute the angle in degrees of the rotation between the cameras."""
        return degrees_of(self.rotation)


SIMILAR = 0.01  # relative difference of two ratios of width and height that counts as none


def similar(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Return whether two sizes have about the same ratio of width and height."""
    (width, height), (new_width, new_height) = one, other
    return abs(new_width * height - new_height * width) <= SIMILAR * abs(new_height * width)


class OtherSize(Refused):
    """An error raised if a calibration is for images of another size.

    Attributes:
        calibrated, images: width and height each.
        finding: explains it; without a button that scales images of another shape.
    """

    def __init__(
        self, calibrated: tuple[int, int], images: tuple[int, int], files: Sequence[Path] = ()
    ) -> None:
        self.calibrated, self.images = calibrated, images
        named = f"{', '.join(map(str, files))}: " if files else ""
        names = ", ".join(file.name for file in files)
        sizes = dict(zip(("width", "height"), calibrated, strict=True))
        sizes |= dict(zip(("new_width", "new_height"), images, strict=True))
        kind = "calibration size" if similar(calibrated, images) else "calibration shape"
        self.finding = Finding(kind, name=names, **sizes)
        (width, height), (new_width, new_height) = calibrated, images
        super().__init__(
            f"{named}calibrated at {width}x{height}, images are {new_width}x{new_height}; "
            "give images of that size, an integer multiple of it, or an integer fraction"
        )

    def __reduce__(self) -> tuple[type[ValueError], tuple[str]]:
        """Pickle only the message, which is all that other processes receive."""
        return ValueError, (str(self),)

    @property
    def whole(self) -> bool:
        """Return whether one of the two sizes is an integer multiple of the other."""
        (width, height), (new_width, new_height) = self.calibrated, self.images
        larger, smaller = max(width, new_width), min(width, new_width)
        return new_width * height == new_height * width and larger % smaller == 0


def size_ratio(
    calibrated: tuple[int, int], images: tuple[int, int], *, by_any: bool = False
) -> float:
    """Compute by which factor images are larger than those of a calibration: 2, 1/3, ...

    Args:
        calibrated, images: width and height each.
        by_any: allow ratios such as 1.5, of sizes whose width and height have about one ratio.

    Raises:
        OtherSize: width and height differ in ratio, or it is no integer nor the inverse of one.
    """
    other = OtherSize(calibrated, images)
    if not (other.whole or (by_any and similar(calibrated, images))):
        raise other
    return images[0] / calibrated[0]


def _scaled(matrix: Matrix, ratio: float) -> Matrix:
    """Scale a camera matrix or projection to images enlarged by a factor."""
    scaled = matrix.copy()
    scaled[:2] *= ratio
    scaled[:2, 2] += (ratio - 1) / 2
    return scaled
