"""Read calibrations from the files of data sets and of OpenCV."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viewer.cameras.calibration import Calibration
from viewer.reading.matrices import Value
from viewer.reading.named_values import read_named_values

MIDDLEBURY = "calib.txt"
"""What Middlebury and ETH3D call the file beside a pair."""
KITTI = ("calib_cam_to_cam", "calib")
"""KITTI's folders of calibrations, beside those of images, of 2015 and 2012; a file a pair."""
GREY_CAMERAS, COLOUR_CAMERAS = (0, 1), (2, 3)
KITTI_GREY = "image_0"
"""The folder of the left views of KITTI's grey cameras."""
KITTI_MATRIX = re.compile(r"P_?(?:rect_)?(\d{1,4})", re.ASCII)
LARGEST = 1e12
"""Of focal length, baseline and the rest: what is computed of them stays far from infinity."""
METRES = {"mm": 1e-3, "m": 1.0}


def read_calibration(path: Path, cameras: tuple[int, int] = COLOUR_CAMERAS) -> Calibration:
    """Read a calibration in any of three formats.

    - Middlebury's and ETH3D's ``calib.txt``: cam0, baseline in millimetres, doffs;
    - KITTI's projection matrices, ``P_rect_02`` or ``P2``, in metres;
    - YAML, XML or JSON of OpenCV with the matrix ``Q`` of ``cv2.stereoRectify``: lengths are in
      the unit of the calibration pattern, taken for metres.

    Args:
        cameras: numbers of the left and the right camera, where a file knows more than two; if it
            does not know these, its first two are taken.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file holds none of these; the message is one line for the user.
    """
    named = read_named_values(path)
    try:
        return _calibration(named, cameras)
    except ValueError as error:
        raise ValueError(
            f"{path}: no calibration ({error}); expected a calib.txt as Middlebury's, "
            "KITTI's projection matrices, or OpenCV's YAML, XML or JSON with Q"
        ) from None


def calibration_of(left: Path, given: str | None) -> tuple[Calibration | None, tuple[str, ...]]:
    """Find and read a pair's calibration: the file given, else the one beside the left image.

    KITTI's files lie in a folder of their own, by the number that begins an image's name; those of
    its sequences beside the folders of images.

    Returns:
        The calibration, None if there is neither; and a remark if the one beside the image cannot
        be used, for nobody asked for it.

    Raises:
        OSError, ValueError: as ``read_calibration``, for the file given.
    """
    cameras = GREY_CAMERAS if left.parent.name == KITTI_GREY else COLOUR_CAMERAS
    if given is not None:
        return read_calibration(Path(given), cameras), ()
    number = left.stem.split("_")[0]
    beside = [left.parent / MIDDLEBURY, left.parent.parent / MIDDLEBURY]
    beside += [left.parent.parent / folder / f"{number}.txt" for folder in KITTI]
    found = next((path for path in beside if os.path.isfile(path)), None)
    if found is None:
        return None, ()
    try:
        return read_calibration(found, cameras), ()
    except (OSError, ValueError) as error:
        why = str(error).removeprefix(f"{found}: ")
        return None, (f"{found.name}: left out, {why}",)


def searched_disparities(path: Path) -> int | None:
    """Read how many disparities a ``calib.txt`` says to search; None if the file does not say.

    Raises:
        OSError, ValueError: the file cannot be read, or is damaged.
    """
    count = read_named_values(path).get("ndisp")
    return int(count) if isinstance(count, float) and count.is_integer() else None


def _calibration(named: Mapping[str, Value], cameras: tuple[int, int]) -> Calibration:
    """Make a calibration of what a file calls by names, whichever convention it follows."""
    camera, q = named.get("cam0"), named.get("Q")
    if isinstance(camera, np.ndarray):
        return _middlebury(named, camera)
    if isinstance(q, np.ndarray):
        return _opencv(q)
    if projections := _projections(named):
        return _kitti(projections, cameras)
    raise ValueError("neither cam0 nor Q")


def _middlebury(named: Mapping[str, Value], camera: NDArray[Any]) -> Calibration:
    """Make a calibration of a ``calib.txt``, whose ``cam0`` is [f 0 cx; 0 f cy; 0 0 1]."""
    if camera.size != 9:
        raise ValueError(f"cam0 must have 3 rows of 3 numbers (got {camera.size} numbers)")
    focal, _, column, _, _, row, *_ = camera.ravel().tolist()
    baseline = _number(named, "baseline") * METRES["mm"]
    offset = _number(named, "doffs") if "doffs" in named else 0.0
    return _checked(Calibration(focal, baseline, (column, row), offset))


def _number(named: Mapping[str, Value], name: str) -> float:
    if name not in named:
        raise ValueError(f"{name} is missing")
    found = named[name]
    if not isinstance(found, float):
        raise ValueError(f"{name} must be a number")
    return found


def _projections(named: Mapping[str, Value]) -> dict[int, list[Any]]:
    """Find KITTI's projection matrices: rows one after the other, by camera."""
    found = {}
    for name, said in named.items():
        if (camera := KITTI_MATRIX.fullmatch(name)) and isinstance(said, list):
            if len(said) != 12 or not all(isinstance(item, float) for item in said):
                raise ValueError(f"{name} must have 12 numbers (got {len(said)})")
            found[int(camera[1])] = said
    return found


def _kitti(projections: dict[int, list[Any]], cameras: tuple[int, int]) -> Calibration:
    """Make a calibration of projection matrices.

    Each is [f 0 cx -f*X; 0 f cy 0; 0 0 1 0], X being the camera's place along the baseline.
    """
    if len(projections) < 2:
        raise ValueError("the projection matrices of two cameras are needed (got one)")
    if not set(cameras) <= set(projections):
        cameras = tuple(sorted(projections))[:2]  # type: ignore[assignment]
    left, right = (projections[camera] for camera in cameras)
    focal, middle, row = left[0], left[2], left[6]
    baseline = (left[3] - right[3]) / focal if focal else 0.0
    return _checked(Calibration(focal, baseline, (middle, row), right[2] - middle))


def _opencv(q: NDArray[Any]) -> Calibration:
    """Make a calibration of OpenCV's Q.

    Q is [1 0 0 -cx; 0 1 0 -cy; 0 0 0 f; 0 0 -1/Tx (cx - cx')/Tx].
    """
    if q.shape != (4, 4) or q[3, 2] == 0:
        raise ValueError("Q must be 4x4, with the baseline in its last row")
    per_baseline = float(q[3, 2])  # -1 / Tx, and Tx is negative
    principal = (-float(q[0, 3]), -float(q[1, 3]))
    offset = float(q[3, 3]) / per_baseline
    return _checked(Calibration(float(q[2, 3]), 1 / abs(per_baseline), principal, offset))


def _checked(calibration: Calibration) -> Calibration:
    """Return a calibration; raise ``ValueError`` for one that no cameras can have."""
    if not (calibration.focal > 0 and calibration.baseline > 0):
        raise ValueError(
            "focal length and baseline must be positive "
            f"(got {calibration.focal:g} and {calibration.baseline:g})"
        )
    numbers = (calibration.focal, calibration.baseline, *calibration.principal, calibration.offset)
    if not all(abs(number) <= LARGEST for number in numbers):
        raise ValueError(f"no camera has numbers beyond {LARGEST:g}")
    return calibration
