"""Formats for pairs that are rectified already: Middlebury, ETH3D, KITTI, and OpenCV's Q."""

import re
from typing import Any

from wheatstone.viewer.io.cameras.calibration import RELATIVE, Calibration
from wheatstone.viewer.io.cameras.checks import SWAPPED, checked_calibration
from wheatstone.viewer.io.cameras.formats.numbers import Named, matrix, number, pair_of_whole
from wheatstone.viewer.io.reading.matrices import Value

METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
KITTI_MATRIX = re.compile(r"P_?(?:rect_)?(\d{1,4})", re.ASCII)


def middlebury(named: Named) -> Calibration:
    """Make a calibration from a ``calib.txt``, whose ``cam0`` is [f 0 cx; 0 f cy; 0 0 1].

    Its baseline is in millimetres, unless a line ``unit=relative`` marks it as unknown.

    Raises:
        ValueError: a value is missing or impossible.
    """
    focal, _, column, _, _, row, *_ = matrix(named, "cam0", 3, 3).ravel().tolist()
    baseline = number(named, "baseline")
    offset = number(named, "doffs") if "doffs" in named else 0.0
    if named.get("unit") == RELATIVE:
        relative = Calibration(focal, baseline, (column, row), offset, RELATIVE)
        return checked_calibration(relative)
    in_metres = baseline * METRES["mm"]
    return checked_calibration(Calibration(focal, in_metres, (column, row), offset))


def middlebury_size(named: Named) -> tuple[int, int] | None:
    """Return width and height from a ``calib.txt``; None if they are missing."""
    if "width" not in named or "height" not in named:
        return None
    return pair_of_whole({"size": [named["width"], named["height"]]}, "size")


def middlebury_text(calibration: Calibration, width: int, height: int) -> str:
    """Format a rectified pair as the text of a ``calib.txt``, which ``middlebury`` reads."""
    focal, (column, row) = calibration.focal, calibration.principal
    known = calibration.unit in METRES
    baseline = calibration.baseline * METRES[calibration.unit] / METRES["mm"] if known else None
    lines = [
        f"cam0=[{focal!r} 0 {column!r}; 0 {focal!r} {row!r}; 0 0 1]",
        f"cam1=[{focal!r} 0 {column + calibration.offset!r}; 0 {focal!r} {row!r}; 0 0 1]",
        f"doffs={calibration.offset!r}",
        f"baseline={calibration.baseline if baseline is None else baseline!r}",
        f"width={width}",
        f"height={height}",
    ]
    lines += [] if known else [f"unit={RELATIVE}"]
    return "\n".join(lines) + "\n"


def projections(named: Named) -> dict[int, list[Any]]:
    """Return KITTI's projection matrices, row by row, by camera number.

    Raises:
        ValueError: a matrix does not have 12 numbers.
    """
    found = {}
    for name, said in named.items():
        if (camera := KITTI_MATRIX.fullmatch(name)) and isinstance(said, list):
            if len(said) != 12 or not all(isinstance(item, float) for item in said):
                raise ValueError(f"{name} must have 12 numbers (got {len(said)})")
            found[int(camera[1])] = said
    return found


def kitti(projections: dict[int, list[Any]], cameras: tuple[int, int]) -> Calibration:
    """Make a calibration from KITTI's projection matrices.

    Each is [f 0 cx -f*X; 0 f cy 0; 0 0 1 0], X being the camera's place along the baseline.

    Args:
        cameras: numbers of the left and the right camera; the first two if these are missing.

    Raises:
        ValueError: there is only one matrix, or the values are impossible.
    """
    if len(projections) < 2:
        raise ValueError("the projection matrices of two cameras are needed (got one)")
    if not set(cameras) <= set(projections):
        cameras = tuple(sorted(projections))[:2]  # type: ignore[assignment]
    left, right = (projections[camera] for camera in cameras)
    focal, middle, row = left[0], left[2], left[6]
    baseline = (left[3] - right[3]) / focal if focal else 0.0
    return checked_calibration(Calibration(focal, baseline, (middle, row), right[2] - middle))


def opencv_q(q: Value) -> Calibration:
    """Make a calibration from OpenCV's Q, whose lengths are assumed to be metres.

    Q is [1 0 0 -cx; 0 1 0 -cy; 0 0 0 f; 0 0 -1/Tx (cx - cx')/Tx].

    Raises:
        ValueError: it is no such matrix, or its values are impossible.
    """
    sides = matrix({"Q": q}, "Q", 4, 4).tolist()
    per_baseline = sides[3][2]  # -1 / Tx, and Tx is negative
    if not per_baseline:
        raise ValueError("Q must be 4x4, with the baseline in its last row")
    if per_baseline < 0:
        raise ValueError(f"by Q depth would be negative: {SWAPPED}")
    principal = (-sides[0][3], -sides[1][3])
    offset = sides[3][3] / per_baseline
    return checked_calibration(Calibration(sides[2][3], 1 / per_baseline, principal, offset))
