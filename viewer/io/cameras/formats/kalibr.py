"""Chains of cameras in YAML: Kalibr's camchain, OpenVINS's imucam chain, and EuRoC's sensors.

``T_cn_cnm1`` of a camera maps from the camera before it; ``T_cam_imu`` maps from the IMU to the
camera, OpenVINS's ``T_imu_cam`` and EuRoC's ``T_BS`` from the camera to the IMU or the body.
"""

import re
from collections.abc import Sequence

import numpy as np

from wheatstone.viewer.io.cameras.formats.content import FileContent, Pair, Size, one_size, two_of
from wheatstone.viewer.io.cameras.formats.distortion import assumed_lens, camera_of, is_model
from wheatstone.viewer.io.cameras.formats.numbers import Named, numbers, pair_of_whole, table
from wheatstone.viewer.io.cameras.formats.poses import inverse, pose, rig_of_pose
from wheatstone.viewer.io.cameras.rig import Camera, Matrix
from wheatstone.viewer.io.reading.typed_values import shown

CAMERA = re.compile(r"cam(\d{1,3})", re.ASCII)
FROM_PREVIOUS, FROM_IMU, TO_IMU = "T_cn_cnm1", "T_cam_imu", "T_imu_cam"
COEFFICIENTS = ("distortion_coeffs", "distortion_coefficients", "distortion_parameters")


def is_camera_chain(named: Named) -> bool:
    """Return whether a file is a chain of cameras, of Kalibr or OpenVINS."""
    return any(
        CAMERA.fullmatch(name) and isinstance(content, dict) for name, content in named.items()
    )


def camera_chain(named: Named, chosen: Pair | None) -> FileContent:
    """Make a rig from two cameras of a chain, as Kalibr and OpenVINS write it.

    Raises:
        ValueError: a value is missing, a model is not known, or a choice is needed.
    """
    known = [
        int(camera[1])
        for name, content in named.items()
        if (camera := CAMERA.fullmatch(name)) and isinstance(content, dict)
    ]
    if known == [0]:
        raise ValueError("cam1 is missing")
    left, right = two_of(known, chosen)
    sections = [table(named, f"cam{number}") for number in (left, right)]
    names = [f"cam{left}", f"cam{right}"]
    size = one_size([_resolution(section) for section in sections], names)
    (one, assumed), (other, _) = map(_camera, sections)
    rig = rig_of_pose((one, other), _between(named, left, right), size)
    return FileContent(rig, size, remarks=assumed)


def _between(named: Named, left: int, right: int) -> Matrix:
    """Return the pose that maps from one camera of a chain to another."""
    low, high = sorted((left, right))
    chain = [named.get(f"cam{number}") for number in range(low + 1, high + 1)]
    ends = [table(named, f"cam{number}") for number in (left, right)]
    if not all(isinstance(one, dict) and FROM_PREVIOUS in one for one in chain):
        for name in (FROM_IMU, TO_IMU):
            if all(name in end for end in ends):
                first, second = (pose(end, name) for end in ends)
                ways = (first, second) if name == FROM_IMU else (inverse(first), inverse(second))
                return ways[1] @ inverse(ways[0])
    total = np.eye(4)
    for number in range(low + 1, high + 1):
        total = pose(table(named, f"cam{number}"), FROM_PREVIOUS) @ total
    return total if left < right else inverse(total)


def are_sensors(files: Sequence[Named]) -> bool:
    """Return whether any of the files is the ``sensor.yaml`` of an EuRoC camera."""
    return any("T_BS" in named and "intrinsics" in named for named in files)


def sensors(files: Sequence[Named]) -> FileContent:
    """Make a rig from the ``sensor.yaml`` of the left and of the right camera.

    Raises:
        ValueError: there is only one; a value is missing; or they contradict each other.
    """
    if len(files) != 2:
        raise ValueError(
            "sensor.yaml describes one camera: give cam0/sensor.yaml, then cam1/sensor.yaml"
        )
    size = one_size([_resolution(named) for named in files], ("the left", "the right camera"))
    left, right = (pose(named, "T_BS") for named in files)
    (one, assumed), (other, _) = map(_camera, files)
    rig = rig_of_pose((one, other), inverse(right) @ left, size)
    return FileContent(rig, size, remarks=assumed)


def _resolution(named: Named) -> Size | None:
    return pair_of_whole(named, "resolution") if "resolution" in named else None


def _camera(named: Named) -> tuple[Camera, tuple[str, ...]]:
    """Make a camera from its section, with remarks on missing values."""
    projection, model = (str(named.get(name, "")) for name in ("camera_model", "distortion_model"))
    if projection not in ("pinhole", ""):
        raise ValueError(
            f"camera_model {shown(repr(projection))} is not known; only pinhole cameras are: "
            "calibrate with pinhole-radtan or pinhole-equi"
        )
    if not is_model(model):
        raise ValueError(
            f"distortion_model {shown(repr(model))} is not known; radtan and equidistant are"
        )
    fu, fv, pu, pv = numbers(named, "intrinsics", (4,)).tolist()
    sides = np.array([[fu, 0.0, pu], [0.0, fv, pv], [0.0, 0.0, 1.0]], np.float64)
    key = next((name for name in COEFFICIENTS if name in named), None)
    lens = numbers(named, key) if key else np.zeros(0)
    remarks = () if key else ("no distortion in the file: taken as none",)
    camera = camera_of(sides, lens, model)
    return camera, remarks if model else (*remarks, *assumed_lens(camera))
