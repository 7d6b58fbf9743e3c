"""Calibration formats of data sets and OpenCV whose image pairs are rectified already.

These are Middlebury's and ETH3D's, KITTI's, Cityscapes', FoundationStereo's, and OpenCV's Q.
"""

import re
from dataclasses import replace
from typing import Any

import numpy as np

from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.calibration import RELATIVE, Calibration
from wheatstone.viewer.io.cameras.checks import SWAPPED, checked_calibration
from wheatstone.viewer.io.cameras.formats.content import (
    METRES,
    FileContent,
    Pair,
    Size,
    is_central,
    one_size,
    two_of,
)
from wheatstone.viewer.io.cameras.formats.distortion import camera_of
from wheatstone.viewer.io.cameras.formats.numbers import (
    Named,
    matrix,
    number,
    numbers,
    pair_of_whole,
    table,
)
from wheatstone.viewer.io.cameras.formats.poses import rig_of_rectified
from wheatstone.viewer.io.cameras.rig import Matrix, Rig

AGREEING = 0.02
"""Relative difference up to which the baselines of P and T are the same: T has few digits."""
ALIKE = 0.1
"""Pixels up to which two statements on one offset are the same."""
CITYSCAPES_SIZE = (2048, 1024)
"""Width and height of Cityscapes' images, which its files do not name."""
WITHOUT_CAMERAS = "R and T without M1, so the images are taken as rectified; else give M1 to D2"
KITTI_MATRIX = re.compile(r"P_?(?:rect_)?(\d{1,4})", re.ASCII)


def middlebury(named: Named) -> FileContent:
    """Make a calibration from Middlebury's ``calib.txt``; its ``cam0`` is [f 0 cx; 0 f cy; 0 0 1].

    Its baseline is in millimetres, unless a line ``unit=relative`` marks it as unknown. Without
    ``doffs``, the offset of the principal points follows from ``cam1``.

    Raises:
        ValueError: a value is missing or impossible.
    """
    focal, _, column, _, _, row, *_ = matrix(named, "cam0", 3, 3).ravel().tolist()
    baseline = number(named, "baseline")
    shift = float(matrix(named, "cam1", 3, 3)[0, 2]) - column if "cam1" in named else None
    offset = number(named, "doffs") if "doffs" in named else shift or 0.0
    remarks: tuple[str, ...] = ()
    if shift is not None and abs(shift - offset) > ALIKE:
        remarks = (f"doffs is {offset:g}, but {shift:g} by cam0 and cam1: doffs is used",)
    unit = RELATIVE if named.get("unit") == RELATIVE else "m"
    pair = Calibration(focal, baseline, (column, row), offset, unit)
    return FileContent(checked_calibration(pair), middlebury_size(named), "mm", remarks)


def middlebury_size(named: Named) -> tuple[int, int] | None:
    """Return width and height from Middlebury's ``calib.txt``; None if they are missing."""
    if "width" not in named or "height" not in named:
        return None
    return pair_of_whole({"size": [named["width"], named["height"]]}, "size")


def middlebury_text(calibration: Calibration, width: int, height: int) -> str:
    """Format a rectified pair's calibration as a ``calib.txt``, like those of Middlebury."""
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
    matrices = {}
    for name, value in named.items():
        if (camera := KITTI_MATRIX.fullmatch(name)) and isinstance(value, list):
            if len(value) != 12 or not all(isinstance(item, float) for item in value):
                raise ValueError(f"{name} must have 12 numbers (got {len(value)})")
            matrices[int(camera[1])] = value
    return matrices


def kitti(
    named: Named, usual: Pair | None, chosen: Pair | None, images: Size | None
) -> FileContent:
    """Make a calibration from KITTI's projection matrices, or a rig for unrectified images.

    Each is [f 0 cx -f*X; 0 f cy 0; 0 0 1 0], X being the camera's place along the baseline. If the
    places of the cameras in ``T_00`` and the like contradict them, these are used.

    Args:
        usual: numbers of the left and the right camera, if the file has them; None: the colour
            cameras, with a remark.
        chosen: numbers that the user chose.
        images: size of the images; that of unrectified ones (``S_02`` and the like, not
            ``S_rect_02``) means a rig.

    Raises:
        ValueError: there is only one matrix, or the values are impossible.
    """
    matrices = kitti_matrices(named)
    if len(matrices) < 2:
        raise ValueError("the projection matrices of two cameras are needed (got one)")
    assumed = usual or COLOUR_CAMERAS
    pair = chosen or (assumed if set(assumed) <= set(matrices) else None)
    cameras = two_of(list(matrices), pair)
    left, right = (np.array(matrices[camera], np.float64).reshape(3, 4) for camera in cameras)
    calibration = pair_of_projections(left, right)
    remarks: tuple[str, ...] = ()
    if not chosen and not usual and len(matrices) > 2:
        remarks = (Finding("cameras", left=cameras[0], right=cameras[1], count=len(matrices)),)
    placed = _kitti_baseline(named, cameras)
    if placed and abs(placed - calibration.baseline) > AGREEING * placed:
        names = [f"{{}}_{camera:02d}" for camera in cameras]
        by_p, by_t = (" and ".join(name.format(of) for name in names) for of in ("P_rect", "T"))
        remarks += (
            f"baseline {calibration.baseline:g} m by {by_p}, but {placed:g} m by {by_t}: T is used",
        )
        calibration = replace(calibration, baseline=placed)
    sizes = [[f"{name}_{camera:02d}" for camera in cameras] for name in ("S_rect", "S")]
    rectified, taken = (
        one_size(
            [pair_of_whole(named, n) if n in named else None for n in names], ("left", "right")
        )
        for names in sizes
    )
    if taken and images == taken != rectified:
        rig = _kitti_rig(named, cameras, (left, right), taken)
        return FileContent(rig, taken, remarks=remarks)
    return FileContent(calibration, rectified, remarks=remarks)


def _kitti_rig(named: Named, cameras: Pair, projections: tuple[Matrix, Matrix], size: Size) -> Rig:
    """Make the rig of KITTI's unrectified images."""
    one, other = (
        camera_of(matrix(named, f"K_{at:02d}", 3, 3), numbers(named, f"D_{at:02d}"), "radtan")
        for at in cameras
    )
    first, second = (matrix(named, f"R_rect_{at:02d}", 3, 3) for at in cameras)
    return rig_of_rectified((one, other), (first, second), projections, size)


COLOUR_CAMERAS = (2, 3)
"""KITTI's numbers of the left and the right colour camera."""


def _kitti_baseline(named: Named, cameras: Pair) -> float:
    """Compute the distance of two KITTI cameras from T and the optional R; 0 if T is missing."""
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
    size = CITYSCAPES_SIZE if is_central(pair.principal, CITYSCAPES_SIZE) else None
    return FileContent(checked_calibration(pair), size)


def is_pinhole(named: Named) -> bool:
    """Return whether a file has focal length, principal point and baseline as named numbers."""
    return all(isinstance(named.get(name), float) for name in ("fx", "cx", "cy", "baseline"))


def pinhole(named: Named) -> FileContent:
    """Make a calibration from ``fx``, ``cx``, ``cy`` and ``baseline`` of a rectified pair.

    Raises:
        ValueError: the images have distortion, or a value is impossible.
    """
    if any(named.get(name, 0.0) != 0.0 for name in ("k1", "k2", "k3", "p1", "p2")):
        raise ValueError("one camera with distortion: M1, D1, M2, D2, R and T are needed")
    focal, column, row, baseline = (number(named, key) for key in ("fx", "cx", "cy", "baseline"))
    pair = Calibration(focal, baseline, (column, row))
    remarks = ("one camera without distortion: taken as rectified",)
    return FileContent(checked_calibration(pair), middlebury_size(named), "m", remarks)


def is_foundation_stereo(named: Named) -> bool:
    """Return whether a file is ``K.txt`` of FoundationStereo."""
    return named.keys() - {"unit"} == {"K", "baseline"}


def foundation_stereo(named: Named) -> FileContent:
    """Make a calibration from ``K.txt``: nine numbers of K, then the baseline in metres.

    Raises:
        ValueError: a value is impossible.
    """
    focal, _, column, _, _, row, *_ = numbers(named, "K", (9,)).tolist()
    pair = Calibration(focal, number(named, "baseline"), (column, row))
    return FileContent(checked_calibration(pair))


def opencv_q(named: Named) -> FileContent:
    """Make a calibration from OpenCV's Q, whose lengths are assumed to be metres.

    Q is [1 0 0 -cx; 0 1 0 -cy; 0 0 0 f; 0 0 -1/Tx (cx - cx')/Tx].

    Raises:
        ValueError: it is no such matrix, or its values are impossible.
    """
    sides = matrix(named, "Q", 4, 4).tolist()
    per_baseline = sides[3][2]  # -1 / Tx, and Tx is negative
    if not per_baseline:
        raise ValueError("Q must be 4x4, with the baseline in its last row")
    if per_baseline < 0:
        raise ValueError(f"by Q depth would be negative: {SWAPPED}")
    principal = (-sides[0][3], -sides[1][3])
    offset = sides[3][3] / per_baseline
    pair = Calibration(sides[2][3], 1 / per_baseline, principal, offset)
    remarks = (WITHOUT_CAMERAS,) if "R" in named and "T" in named else ()
    return FileContent(checked_calibration(pair), remarks=remarks)
