"""Settings files of ORB-SLAM2 and ORB-SLAM3: one camera model for both cameras of a pair."""

import numpy as np

from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.checks import checked_calibration
from wheatstone.viewer.io.cameras.formats.content import FileContent, Size
from wheatstone.viewer.io.cameras.formats.distortion import camera_of
from wheatstone.viewer.io.cameras.formats.numbers import Named, camera_matrix, number, pair_of_whole
from wheatstone.viewer.io.cameras.formats.poses import inverse, pose, rig_of_pose
from wheatstone.viewer.io.cameras.rig import Camera
from wheatstone.viewer.io.reading.typed_values import shown

PINHOLE, FISHEYE, RECTIFIED = "pinhole", "kannalabrandt8", "rectified"
COEFFICIENTS = {PINHOLE: ("k1", "k2", "p1", "p2", "k3"), FISHEYE: ("k1", "k2", "k3", "k4")}
POSES = ("Stereo.T_c1_c2", "Tlr")
"""The pose that maps from the right camera to the left one, in new and in older files."""


def is_orb_slam(named: Named) -> bool:
    """Return whether a file has the settings of ORB-SLAM2 or ORB-SLAM3."""
    return "Camera.fx" in named or "Camera1.fx" in named


def orb_slam(named: Named) -> FileContent:
    """Make a rig, or the calibration of a rectified pair, from a settings file.

    Raises:
        ValueError: a value is missing, or the camera type is not known.
    """
    kind = str(named.get("Camera.type", PINHOLE)).lower()
    if kind not in (*COEFFICIENTS, RECTIFIED):
        raise ValueError(
            f"Camera.type {shown(repr(named['Camera.type']))} is not known; "
            "PinHole, KannalaBrandt8 and Rectified are"
        )
    left = "Camera1" if "Camera1.fx" in named else "Camera"
    size = _size(named)
    placed = next((name for name in POSES if name in named), None)
    if kind == RECTIFIED or (placed is None and "Camera2.fx" not in named):
        return _rectified(named, left, kind, size)
    if placed is None:
        raise ValueError(f"{POSES[0]} is missing: where the right camera stands is not known")
    cameras = _camera(named, left, kind), _camera(named, "Camera2", kind)
    rig = rig_of_pose(cameras, inverse(pose(named, placed)), size)
    return FileContent(rig, size)


def _rectified(named: Named, left: str, kind: str, size: Size | None) -> FileContent:
    """Make the calibration of a pair whose images are rectified already."""
    focal, column, row = (number(named, f"{left}.{key}") for key in ("fx", "cx", "cy"))
    if "Stereo.b" in named:
        baseline = number(named, "Stereo.b")
    elif "Camera.bf" in named and focal:
        baseline = number(named, "Camera.bf") / focal
    else:
        raise ValueError("Stereo.b or Camera.bf is missing: the baseline is not known")
    if kind != RECTIFIED and any(_coefficients(named, left, kind)):
        raise ValueError(
            f"{left} has distortion, so its images have to be rectified first, for which Camera2 "
            f"(Camera2.fx and the like) and {POSES[0]} are missing"
        )
    other = number(named, "Camera2.cx") if "Camera2.cx" in named else column
    pair = Calibration(focal, baseline, (column, row), other - column)
    remarks = () if kind == RECTIFIED else ("one camera without distortion: taken as rectified",)
    return FileContent(checked_calibration(pair), size, remarks=remarks)


def _camera(named: Named, name: str, kind: str) -> Camera:
    sides = camera_matrix(named, f"{name}.")
    lens = np.array(_coefficients(named, name, kind), np.float64)
    return camera_of(sides, lens, "fisheye" if kind == FISHEYE else "")


def _coefficients(named: Named, name: str, kind: str) -> list[float]:
    """List a camera's distortion coefficients; those that the file lacks are 0."""
    keys = [f"{name}.{key}" for key in COEFFICIENTS[kind]]
    return [number(named, key) if key in named else 0.0 for key in keys]


def _size(named: Named) -> Size | None:
    keys = ("Camera.width", "Camera.height")
    if not all(key in named for key in keys):
        return None
    return pair_of_whole({"image size": [named[key] for key in keys]}, "image size")
