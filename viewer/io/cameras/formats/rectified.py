"""Formats for pairs that are rectified already.

These are Middlebury's and ETH3D's, KITTI's, Cityscapes', FoundationStereo's, and OpenCV's Q.
"""

import re
from dataclasses import replace
from typing import Any

import numpy as np

from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.calibration import RELATIVE, Calibration
from wheatstone.viewer.io.cameras.checks import SWAPPED, checked_calibration
from wheatstone.viewer.io.cameras.formats.content import METRES, FileContent, Pair, two_of
from wheatstone.viewer.io.cameras.formats.numbers import (
    Named,
    matrix,
    number,
    numbers,
    pair_of_whole,
    table,
)
from wheatstone.viewer.io.cameras.rig import Matrix
from wheatstone.viewer.io.reading.matrices import Value

AGREEING = 0.02
"""Relative difference up to which the baselines of P and T are the same: T has few digits."""
FOUNDATION_STEREO = {"K", "baseline"}
KITTI_MATRIX = re.compile(r"P_?(?:rect_)?(\d{1,4})", re.ASCII)


def middlebury(named: Named) -> FileContent:
    """Make a calibration from a ``calib.txt``, whose ``cam0`` is [f 0 cx; 0 f cy; 0 0 1].

    Its baseline is in millimetres, unless a line ``unit=relative`` marks it as unknown. Without
    ``doffs``, the offset of the principal points follows from ``cam1``.

    Raises:
        ValueError: a value is missing or impossible.
    """
    focal, _, column, _, _, row, *_ = matrix(named, "cam0", 3, 3).ravel().tolist()
    baseline = number(named, "baseline")
    if "doffs" in named:
        offset = number(named, "doffs")
    else:
        offset = float(matrix(named, "cam1", 3, 3)[0, 2]) - column if "cam1" in named else 0.0
    unit = RELATIVE if named.get("unit") == RELATIVE else "m"
    pair = Calibration(focal, baseline, (column, row), offset, unit)
    return FileContent(checked_calibration(pair), middlebury_size(named), "mm")


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


def kitti_matrices(named: Named) -> dict[int, list[Any]]:
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


def kitti(named: Named, usual: Pair | None, chosen: Pair | None) -> FileContent:
    """Make a calibration from KITTI's projection matrices.

    Each is [f 0 cx -f*X; 0 f cy 0; 0 0 1 0], X being the camera's place along the baseline. If the
    places of the cameras in ``T_00`` and the like contradict them, these are used.

    Args:
        usual: numbers of the left and the right camera, if the file has them; None: the colour
            cameras, with a remark.
        chosen: numbers that the user chose.

    Raises:
        ValueError: there is only one matrix, or the values are impossible.
    """
    found = kitti_matrices(named)
    if len(found) < 2:
        raise ValueError("the projection matrices of two cameras are needed (got one)")
    assumed = usual or COLOUR_CAMERAS
    pair = chosen or (assumed if set(assumed) <= set(found) else None)
    cameras = two_of(list(found), pair)
    left, right = (np.array(found[camera], np.float64).reshape(3, 4) for camera in cameras)
    calibration = pair_of_projections(left, right)
    remarks: tuple[str, ...] = ()
    if not chosen and not usual and len(found) > 2:
        remarks = (Finding("cameras", left=cameras[0], right=cameras[1], count=len(found)),)
    placed = _kitti_baseline(named, cameras)
    if placed and abs(placed - calibration.baseline) > AGREEING * placed:
        names = [f"{{}}_{camera:02d}" for camera in cameras]
        by_p, by_t = (" and ".join(name.format(of) for name in names) for of in ("P_rect", "T"))
        remarks += (
            f"baseline {calibration.baseline:g} m by {by_p}, but {placed:g} m by {by_t}: T is used",
        )
        calibration = replace(calibration, baseline=placed)
    return FileContent(calibration, remarks=remarks)


COLOUR_CAMERAS = (2, 3)
"""KITTI's numbers of the left and the right colour camera."""


def _kitti_baseline(named: Named, cameras: Pair) -> float:
    """Compute the distance of two cameras from their T, and R if there is one; 0: not known."""
    places = []
    for camera in cameras:
        name = next((n for n in (f"T_{camera:02d}", f"T_{camera}") if n in named), None)
        if name is None:
            return 0.0
        along = numbers(named, name, (3,))
        turned = next((n for n in (f"R_{camera:02d}", f"R_{camera}") if n in named), None)
        rotation = matrix(named, turned, 3, 3) if turned else np.eye(3)
        places.append(rotation.T @ along)
    return float(np.linalg.norm(places[1] - places[0]))


def pair_of_projections(left: Matrix, right: Matrix) -> Calibration:
    """Make a calibration from the 3x4 projections of a rectified pair.

    Raises:
        ValueError: the values are impossible.
    """
    focal, middle, row = float(left[0, 0]), float(left[0, 2]), float(left[1, 2])
    baseline = float(left[0, 3] - right[0, 3]) / focal if focal else 0.0
    offset = float(right[0, 2]) - middle
    return checked_calibration(Calibration(focal, baseline, (middle, row), offset))


def is_cityscapes(named: Named) -> bool:
    """Return whether a file is a ``camera.json`` of Cityscapes."""
    tables = named.get("intrinsic"), named.get("extrinsic")
    return all(isinstance(one, dict) for one in tables) and "baseline" in table(named, "extrinsic")


def cityscapes(named: Named) -> FileContent:
    """Make a calibration from Cityscapes' ``camera.json``, whose images are rectified.

    Raises:
        ValueError: a value is missing or impossible.
    """
    inner, outer = table(named, "intrinsic"), table(named, "extrinsic")
    focal, column, row = (number(inner, key) for key in ("fx", "u0", "v0"))
    pair = Calibration(focal, number(outer, "baseline"), (column, row))
    return FileContent(checked_calibration(pair))


def foundation_stereo(named: Named) -> FileContent:
    """Make a calibration from ``K.txt``: nine numbers of K, then the baseline in metres.

    Raises:
        ValueError: a value is impossible.
    """
    focal, _, column, _, _, row, *_ = numbers(named, "K", (9,)).tolist()
    pair = Calibration(focal, number(named, "baseline"), (column, row))
    return FileContent(checked_calibration(pair))


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
