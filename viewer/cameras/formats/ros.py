"""ROS's camera_info, one file per camera: saved by the calibrator, or written from a topic.

A camera has the matrix K, distortion D, rectification R and projection P. R and P define how the
pair is rectified, and the poses of the cameras follow from them: the projections of a pair belong
to cameras with the rectified orientation, a baseline apart.
"""

from collections.abc import Sequence

import numpy as np

from wheatstone.viewer.cameras.formats.distortion import camera_of
from wheatstone.viewer.cameras.formats.numbers import Named, matrix, numbers, whole
from wheatstone.viewer.cameras.rig import Camera, Matrix, RectifiedCameras, Rig

KEYS = {
    "K": ("camera_matrix", "K", "k"),
    "D": ("distortion_coefficients", "D", "d"),
    "R": ("rectification_matrix", "R", "r"),
    "P": ("projection_matrix", "P", "p"),
    "width": ("image_width", "width"),
    "height": ("image_height", "height"),
}
"""Names of the same values in the calibrator's files and in the two message versions."""


def is_camera_info(named: Named) -> bool:
    """Return whether a file is a ROS camera_info of one camera."""
    return _key(named, "K") in named and _key(named, "P") in named and "cam0" not in named


def ros_rig(files: Sequence[Named]) -> Rig:
    """Make a rig from the files of the left and of the right camera.

    Raises:
        ValueError: there is only one; a value is missing; or they contradict each other.
    """
    if len(files) != 2:
        raise ValueError(
            "camera_info describes one camera: give the left one's file, then the right"
        )
    (left, width, height), (right, *size) = (_camera(named) for named in files)
    if size != [width, height]:
        raise ValueError(
            f"the left camera's images are {width}x{height}, the right one's {size[0]}x{size[1]}"
        )
    r1, r2 = (matrix(named, _key(named, "R"), 3, 3) for named in files)
    p1, p2 = (matrix(named, _key(named, "P"), 3, 4) for named in files)
    if not (p1[0, 0] > 0 and p2[0, 0] > 0):
        raise ValueError("P has no focal length: the cameras are not calibrated")
    along = _place(p2) - _place(p1)
    levelling = RectifiedCameras((r1, r2), (p1, p2))
    return Rig(left, right, r2.T @ r1, r2.T @ along, (width, height), levelling)


def _camera(named: Named) -> tuple[Camera, int, int]:
    sides = matrix(named, _key(named, "K"), 3, 3)
    model = str(named.get("distortion_model", ""))
    camera = camera_of(sides, numbers(named, _key(named, "D")), model)
    return camera, whole(named, _key(named, "width")), whole(named, _key(named, "height"))


def _key(named: Named, name: str) -> str:
    """Return a file's name of a value; if it has none, the first of the possible names."""
    return next((key for key in KEYS[name] if key in named), KEYS[name][0])


def _place(projection: Matrix) -> Matrix:
    """Compute the translation of a rectified camera from its projection, in metres."""
    return np.asarray(np.linalg.solve(projection[:, :3], projection[:, 3]), np.float64)
