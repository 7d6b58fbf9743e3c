"""Calibrations of ROS: camera_info in YAML, one file per camera, and ``ost.txt`` of both.

A camera has the matrix K, distortion D, rectification R and projection P. R and P define how the
pair is rectified, and the poses of the cameras follow from them: the projections of a pair belong
to cameras with the rectified orientation, a baseline apart.
"""

from collections.abc import Sequence

import numpy as np

from wheatstone.viewer.io.cameras.formats.content import FileContent, Size
from wheatstone.viewer.io.cameras.formats.distortion import camera_of
from wheatstone.viewer.io.cameras.formats.numbers import Named, matrix, numbers, whole
from wheatstone.viewer.io.cameras.formats.rectified import pair_of_projections
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, RectifiedCameras, Rig
from wheatstone.viewer.io.reading.line_text import OST
from wheatstone.viewer.io.reading.matrices import Value

KEYS = {
    "K": ("camera_matrix", "camera matrix", "K", "k"),
    "D": ("distortion_coefficients", "distortion_coefficents", "distortion", "D", "d"),
    "R": ("rectification_matrix", "rectification", "R", "r"),
    "P": ("projection_matrix", "projection", "P", "p"),
    "width": ("image_width", "width"),
    "height": ("image_height", "height"),
}
"""Names of the same values in the calibrator's files, in ``ost.txt`` and in both messages."""
ONE = "camera_info describes one camera: give the left one's file, then the right"


def is_camera_info(files: Sequence[Named]) -> bool:
    """Return whether files are ROS camera_info, one of each camera."""
    if any("cam0" in named or "T_BS" in named for named in files):
        return False
    if any(_has(named, "P") and (_has(named, "K") or _has(named, "R")) for named in files):
        return True
    return all(_has(named, "K") or _has(named, "P") for named in files)


def is_ost(files: Sequence[Named]) -> bool:
    """Return whether files are ``ost.txt`` of ROS's calibrator."""
    return all(isinstance(named.get(OST), list) for named in files)


def ost(files: Sequence[Named]) -> FileContent:
    """Make a rig from one ``ost.txt`` of both cameras, or from that of each."""
    listed: list[Value] = []
    for named in files:
        found = named[OST]
        listed += found if isinstance(found, list) else []
    return camera_infos([one for one in listed if isinstance(one, dict)])


def camera_infos(files: Sequence[Named]) -> FileContent:
    """Make a rig from the left and the right camera, or a rectified pair where K is missing.

    Raises:
        ValueError: there is only one; a value is missing; or they contradict each other.
    """
    if len(files) != 2:
        raise ValueError(ONE)
    sizes = [_size(named) for named in files]
    if sizes[0] and sizes[1] and sizes[0] != sizes[1]:
        (width, height), (other, tall) = sizes[0], sizes[1]
        raise ValueError(
            f"the left camera's images are {width}x{height}, the right one's {other}x{tall}"
        )
    size = sizes[0] or sizes[1]
    if not all(_has(named, "P") for named in files):
        raise ValueError(
            "projection_matrix is missing: where the cameras stand is not known; give files of a "
            "stereo calibration, or one file with M1, D1, M2, D2, R and T"
        )
    p1, p2 = (matrix(named, _key(named, "P"), 3, 4) for named in files)
    if not (p1[0, 0] > 0 and p2[0, 0] > 0):
        raise ValueError("P has no focal length: the cameras are not calibrated")
    if not any(_has(named, "K") for named in files):
        return FileContent(
            pair_of_projections(p1, p2), size, remarks=("P without K: taken as rectified",)
        )
    lacking = [name for name in ("D", "R") if not all(_has(named, name) for named in files)]
    remarks = tuple(f"{name} is missing: taken as {ASSUMED[name]}" for name in lacking)
    r1, r2 = (_rotation(named) for named in files)
    left, right = (_camera(named) for named in files)
    return FileContent(
        rig_of_rectified((left, right), (r1, r2), (p1, p2), size), size, "m", remarks
    )


ASSUMED = {"D": "no distortion", "R": "the identity"}
"""The value of what a camera_info may lack."""


def rig_of_rectified(
    cameras: tuple[Camera, Camera],
    rotations: tuple[Matrix, Matrix],
    projections: tuple[Matrix, Matrix],
    size: Size | None,
) -> Rig:
    """Make a rig whose pose follows from its rectification."""
    (r1, r2), (p1, p2) = rotations, projections
    along = _place(p2) - _place(p1)
    levelling = RectifiedCameras(rotations, projections)
    return Rig(*cameras, r2.T @ r1, r2.T @ along, size, levelling)


def _camera(named: Named) -> Camera:
    sides = matrix(named, _key(named, "K"), 3, 3)
    model = str(named.get("distortion_model", ""))
    lens = numbers(named, _key(named, "D")) if _has(named, "D") else np.zeros(0)
    return camera_of(sides, lens, model)


def _rotation(named: Named) -> Matrix:
    return matrix(named, _key(named, "R"), 3, 3) if _has(named, "R") else np.eye(3)


def _size(named: Named) -> Size | None:
    if not (_has(named, "width") and _has(named, "height")):
        return None
    return whole(named, _key(named, "width")), whole(named, _key(named, "height"))


def _has(named: Named, name: str) -> bool:
    return _key(named, name) in named


def _key(named: Named, name: str) -> str:
    """Return a file's name of a value; if it has none, the first of the possible names."""
    return next((key for key in KEYS[name] if key in named), KEYS[name][0])


def _place(projection: Matrix) -> Matrix:
    """Compute the translation of a rectified camera from its projection, in metres."""
    return np.asarray(np.linalg.solve(projection[:, :3], projection[:, 3]), np.float64)
