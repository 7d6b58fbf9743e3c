"""Calibrations in JSON of devices and programs: DepthAI (OAK cameras), Basalt and MATLAB.

MATLAB's ``stereoParameters`` are as ``jsonencode(toStruct(stereoParams))`` writes them: places
count from 1 there, and points are rows, so K, R and the rotation are transposed.
"""

from collections.abc import Mapping

import numpy as np

from wheatstone.viewer.io.cameras.formats.content import FileContent, Pair, one_size, two_of
from wheatstone.viewer.io.cameras.formats.distortion import camera_of
from wheatstone.viewer.io.cameras.formats.numbers import (
    Named,
    camera_matrix,
    matrix,
    number,
    numbers,
    pair_of_whole,
    table,
    whole,
)
from wheatstone.viewer.io.cameras.formats.poses import (
    inverse,
    pose_of,
    quaternion_pose,
    rig_of_pose,
)
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, Rig
from wheatstone.viewer.io.reading.matrices import Value
from wheatstone.viewer.io.reading.typed_values import shown

MOST_CAMERAS = 64
DEPTHAI_MODELS = ("", "fisheye")
"""Distortion models by DepthAI's ``cameraType``: perspective and fisheye."""
CENTIMETRES = (100.0, 1.0, 0.1)
"""Centimetres of DepthAI's ``lengthUnit``: metre, centimetre, millimetre."""
BASALT: Mapping[str, tuple[str, ...]] = {
    "pinhole": (),
    "kb4": ("k1", "k2", "k3", "k4"),
    "pinhole-radtan8": ("k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"),
}
"""The camera types of Basalt that are read, and their coefficients in OpenCV's order."""


def is_depthai(named: Named) -> bool:
    """Return whether a file is the calibration of an OAK camera, as DepthAI writes it."""
    return isinstance(named.get("cameraData"), list)


def depthai(named: Named, chosen: Pair | None) -> FileContent:
    """Make a rig from a DepthAI calibration, whose lengths are centimetres.

    The pair is the one in ``stereoRectificationData``; cameras are numbered by their socket.

    Raises:
        ValueError: a value is missing, a model is not known, or a choice is needed.
    """
    sections = _sockets(named["cameraData"])
    left, right = two_of(list(sections), chosen or _stereo_sockets(named, sections))
    both = sections[left], sections[right]
    sizes = [(whole(one, "width"), whole(one, "height")) for one in both]
    size = one_size(sizes, (f"socket {left}", f"socket {right}"))
    first, second = map(_depthai_camera, both)
    turn, remarks = _depthai_pose(sections, left, right)
    return FileContent(rig_of_pose((first, second), turn, size), size, "cm", remarks)


def _sockets(listed: Value) -> dict[int, Named]:
    """Return the sections of DepthAI's cameras by the number of their socket."""
    sections: dict[int, Named] = {}
    for one in listed if isinstance(listed, list) else []:
        if not (isinstance(one, list) and len(one) == 2 and isinstance(one[1], dict)):
            raise ValueError("cameraData must list sockets with their cameras")
        sections[whole({"socket": one[0]}, "socket")] = one[1]
    if len(sections) > MOST_CAMERAS:
        raise ValueError(f"cameraData has more than {MOST_CAMERAS} cameras")
    return sections


def _stereo_sockets(named: Named, sections: Mapping[int, Named]) -> Pair | None:
    stereo = named.get("stereoRectificationData")
    if not isinstance(stereo, dict):
        return None
    pair = tuple(stereo.get(f"{side}CameraSocket") for side in ("left", "right"))
    known = all(isinstance(one, float) and one in sections for one in pair)
    return (int(pair[0]), int(pair[1])) if known and pair[0] != pair[1] else None  # type: ignore[arg-type]


def _depthai_camera(named: Named) -> Camera:
    kind = whole(named, "cameraType") if "cameraType" in named else 0
    if not 0 <= kind < len(DEPTHAI_MODELS):
        raise ValueError(f"cameraType {kind} is not known; 0 (perspective) and 1 (fisheye) are")
    lens = numbers(named, "distortionCoeff") if "distortionCoeff" in named else np.zeros(0)
    if DEPTHAI_MODELS[kind]:
        lens = lens[:4]
    return camera_of(matrix(named, "intrinsicMatrix", 3, 3), lens, DEPTHAI_MODELS[kind])


def _depthai_pose(
    sections: Mapping[int, Named], left: int, right: int
) -> tuple[Matrix, tuple[str, ...]]:
    """Compute the pose from the left to the right camera by chaining extrinsics; add remarks."""
    steps: dict[tuple[int, int], Matrix] = {}
    remarks: tuple[str, ...] = ()
    for socket, section in sections.items():
        extrinsics = section.get("extrinsics")
        if isinstance(extrinsics, dict) and (to := whole(extrinsics, "toCameraSocket")) in sections:
            steps[socket, to], assumed = _extrinsics(extrinsics)
            steps[to, socket] = inverse(steps[socket, to])
            remarks = remarks or assumed
    reached = {left: np.eye(4)}
    for _ in sections:
        for (start, end), step in steps.items():
            if start in reached and end not in reached:
                reached[end] = step @ reached[start]
    if right not in reached:
        raise ValueError(f"no extrinsics lead from socket {left} to socket {right}")
    return reached[right], remarks


def _extrinsics(named: Named) -> tuple[Matrix, tuple[str, ...]]:
    """Return the pose in a camera's extrinsics, in centimetres, and remarks."""
    unit = whole(named, "lengthUnit") if "lengthUnit" in named else 1
    if not 0 <= unit < len(CENTIMETRES):
        raise ValueError(f"lengthUnit {unit} is not known; 0 (m), 1 (cm) and 2 (mm) are")
    remarks: tuple[str, ...] = ()
    along = _vector(named, "translation")
    if not along.any() and "specTranslation" in named:
        along = _vector(named, "specTranslation")
        remarks = ("no translation was calibrated: that of the design (specTranslation) is used",)
    turned = matrix(named, "rotationMatrix", 3, 3) if "rotationMatrix" in named else np.eye(3)
    if not turned.any():
        turned = np.eye(3)
    return pose_of(turned, along * CENTIMETRES[unit]), remarks


def _vector(named: Named, name: str) -> Matrix:
    axes = table(named, name)
    return np.array([number(axes, axis) for axis in "xyz"], np.float64)


def is_basalt(named: Named) -> bool:
    """Return whether a file is a calibration of Basalt."""
    inner = named.get("value0")
    return isinstance(inner, dict) and "T_imu_cam" in inner and "intrinsics" in inner


def basalt(named: Named, chosen: Pair | None) -> FileContent:
    """Make a rig of two cameras from a Basalt calibration.

    ``T_imu_cam`` in the file maps from a camera to the IMU.

    Raises:
        ValueError: a value is missing, a model is not known, or a choice is needed.
    """
    inner = table(named, "value0")
    poses, lenses = (_listed(inner, name) for name in ("T_imu_cam", "intrinsics"))
    left, right = two_of(range(min(len(poses), len(lenses), MOST_CAMERAS)), chosen)
    sizes = inner.get("resolution")
    size = None
    if isinstance(sizes, list) and len(sizes) > max(left, right):
        both = [numbers({"resolution": sizes[n]}, "resolution", (2,)) for n in (left, right)]
        listed = [(whole({"width": w}, "width"), whole({"height": h}, "height")) for w, h in both]
        size = one_size(listed, (f"camera {left}", f"camera {right}"))
    first, second = (_basalt_camera(lenses[n]) for n in (left, right))
    one, other = (quaternion_pose(poses[n]) for n in (left, right))
    return FileContent(rig_of_pose((first, second), inverse(other) @ one, size), size)


def _listed(named: Named, name: str) -> list[Named]:
    listed = named.get(name)
    if not (isinstance(listed, list) and all(isinstance(one, dict) for one in listed)):
        raise ValueError(f"{name} must list a table for each camera")
    return [one for one in listed if isinstance(one, dict)]


def _basalt_camera(named: Named) -> Camera:
    kind = str(named.get("camera_type", ""))
    if kind not in BASALT:
        raise ValueError(
            f"camera_type {shown(repr(kind))} is not known; calibrate with one of "
            f"{', '.join(BASALT)} (--cam-types)"
        )
    lens = table(named, "intrinsics")
    coefficients = np.array([number(lens, key) for key in BASALT[kind]], np.float64)
    return camera_of(camera_matrix(lens), coefficients, "fisheye" if kind == "kb4" else "")


CAMERAS = ("CameraParameters1", "CameraParameters2")


def is_matlab(named: Named) -> bool:
    """Return whether a file has the parameters of both cameras of MATLAB."""
    return all(isinstance(named.get(name), dict) for name in CAMERAS)


def matlab(named: Named) -> FileContent:
    """Make a rig from MATLAB's ``stereoParameters``, whose lengths are usually in millimetres.

    Raises:
        ValueError: a value is missing or invalid.
    """
    sections = [table(named, name) for name in CAMERAS]
    sizes = [
        pair_of_whole(section, "ImageSize")[::-1] if section.get("ImageSize") else None
        for section in sections
    ]
    left, right = map(_matlab_camera, sections)
    turned = matrix(named, "RotationOfCamera2", 3, 3).T
    along = numbers(named, "TranslationOfCamera2", (3,))
    rig = Rig(left, right, turned, along, one_size(sizes, CAMERAS))
    return FileContent(rig, rig.size, "mm")


def _matlab_camera(section: Named) -> Camera:
    sides = matrix(section, "IntrinsicMatrix", 3, 3).T.copy()
    sides[:2, 2] -= 1
    radial = numbers(section, "RadialDistortion", (2, 3)).tolist()
    tangential = numbers(section, "TangentialDistortion", (2,)).tolist()
    return camera_of(sides, np.array([*radial[:2], *tangential, *radial[2:]]), "radtan")
