"""Poses: 4x4 matrices that map points from the axes of one camera or body to another's."""

import numpy as np

from wheatstone.viewer.io.cameras.formats.content import Size
from wheatstone.viewer.io.cameras.formats.numbers import Named, number, numbers
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, RectifiedCameras, Rig

LAST_ROW = (0.0, 0.0, 0.0, 1.0)
EXACT = 1e-6
"""Tolerance of a pose's last row."""


def pose(named: Named, name: str) -> Matrix:
    """Return a file's pose by its name, of 4x4 or 3x4 numbers, as a 4x4 matrix.

    Raises:
        ValueError: it is missing, of another size, or its last row is not 0 0 0 1.
    """
    matrix = numbers(named, name, (16, 12)).reshape(-1, 4)
    if len(matrix) == 4 and np.abs(matrix[3] - LAST_ROW).max() > EXACT:
        raise ValueError(f"the last row of {name} must be 0 0 0 1")
    return np.vstack([matrix[:3], LAST_ROW])


def pose_of(rotation: Matrix, translation: Matrix) -> Matrix:
    """Make a pose from a rotation matrix and a translation."""
    return np.vstack([np.column_stack([rotation, translation]), LAST_ROW])


def quaternion_pose(named: Named) -> Matrix:
    """Make a pose from a table of px py pz and the quaternion qx qy qz qw.

    Raises:
        ValueError: a number is missing, or the quaternion is 0.
    """
    x, y, z, w = (number(named, f"q{axis}") for axis in "xyzw")
    place = np.array([number(named, f"p{axis}") for axis in "xyz"], np.float64)
    length = np.sqrt(x * x + y * y + z * z + w * w)
    if not 0 < length < np.inf:
        raise ValueError("the quaternion of a pose must not be 0")
    x, y, z, w = (part / length for part in (x, y, z, w))
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    return pose_of(rotation, place)


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a pose: the map in the opposite direction."""
    rotation = matrix[:3, :3].T
    return pose_of(rotation, -rotation @ matrix[:3, 3])


def rig_of_pose(
    cameras: tuple[Camera, Camera], right_of_left: Matrix, size: tuple[int, int] | None
) -> Rig:
    """Make a rig from two cameras and the pose that maps from the left one to the right one."""
    return Rig(*cameras, right_of_left[:3, :3], right_of_left[:3, 3], size)


def rig_of_rectified(
    cameras: tuple[Camera, Camera],
    rotations: tuple[Matrix, Matrix],
    projections: tuple[Matrix, Matrix],
    size: Size | None,
) -> Rig:
    """Make a rig whose pose follows from its rectification: rotations and projections."""
    (r1, r2), (p1, p2) = rotations, projections
    along = _place(p2) - _place(p1)
    levelling = RectifiedCameras(rotations, projections)
    return Rig(*cameras, r2.T @ r1, r2.T @ along, size, levelling)


def _place(projection: Matrix) -> Matrix:
    """Compute a rectified camera's translation from its projection matrix (3, 4)."""
    return np.asarray(np.linalg.solve(projection[:, :3], projection[:, 3]), np.float64)
