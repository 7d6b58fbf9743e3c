"""Calibrations in YAML: camera_info of ROS, one file per camera, and camchain of Kalibr.

A camera has the matrix K, distortion D, rectification R and projection P. R and P define how the
pair is rectified, and the poses of the cameras follow from them: the projections of a pair belong
to cameras with the rectified orientation, a baseline apart.
"""

from collections.abc import Sequence

import numpy as np

from wheatstone.viewer.io.cameras.formats.distortion import camera_of
from wheatstone.viewer.io.cameras.formats.numbers import (
    Named,
    matrix,
    numbers,
    pair_of_whole,
    table,
    whole,
)
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, RectifiedCameras, Rig
from wheatstone.viewer.io.reading.typed_values import shown

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


MODELS = ("radtan", "equidistant", "none")


def is_camera_chain(named: Named) -> bool:
    """Return whether a file is a Kalibr camera chain."""
    return isinstance(named.get("cam0"), dict)


def kalibr_rig(named: Named) -> Rig:
    """Make a rig of the first two cameras; ``T_cn_cnm1`` of the second maps from the first to it.

    Raises:
        ValueError: a value is missing, or a model is not known.
    """
    first, second = table(named, "cam0"), table(named, "cam1")
    sizes = [pair_of_whole(camera, "resolution") for camera in (first, second)]
    if sizes[0] != sizes[1]:
        raise ValueError(f"cam0 and cam1 must have one resolution (got {sizes[0]} and {sizes[1]})")
    pose = matrix(second, "T_cn_cnm1", 4, 4)
    if pose[3].tolist() != [0, 0, 0, 1]:
        raise ValueError("the last row of T_cn_cnm1 must be 0 0 0 1")
    return Rig(_kalibr_camera(first), _kalibr_camera(second), pose[:3, :3], pose[:3, 3], sizes[0])


def _kalibr_camera(named: Named) -> Camera:
    projection, model = (str(named.get(name, "")) for name in ("camera_model", "distortion_model"))
    if projection not in ("pinhole", ""):
        raise ValueError(
            f"camera_model {shown(repr(projection))} is not known; only pinhole cameras are"
        )
    if model not in MODELS:
        raise ValueError(
            f"distortion_model {shown(repr(model))} is not known; {' and '.join(MODELS[:2])} are"
        )
    fu, fv, pu, pv = numbers(named, "intrinsics", (4,)).tolist()
    sides = numbers({"K": [fu, 0.0, pu, 0.0, fv, pv, 0.0, 0.0, 1.0]}, "K").reshape(3, 3)
    return camera_of(sides, numbers(named, "distortion_coeffs"), model)
