"""Calibrations of ROS: camera_info in YAML, one file per camera, and ``ost.txt`` of both.

A camera has the matrix K, distortion D, rectification R and projection P. R and P define how the
pair is rectified, and the poses of the cameras follow from them: the projections of a pair belong
to cameras with the rectified orientation, a baseline apart.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wheatstone.viewer.io.cameras.formats.content import FileContent, Size
from wheatstone.viewer.io.cameras.formats.distortion import assumed_lens, camera_of
from wheatstone.viewer.io.cameras.formats.numbers import Named, matrix, numbers, table, whole
from wheatstone.viewer.io.cameras.formats.poses import rig_of_rectified
from wheatstone.viewer.io.cameras.formats.rectified import pair_of_projections
from wheatstone.viewer.io.cameras.rig import Camera
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
ROI = ("x_offset", "y_offset", "width", "height")
"""The fields of the region of an image that a camera reads out."""
ONE = "camera_info describes one camera: give the left one's file, then the right"
ONE_OF_PAIR = "K and D are those of one camera, and R and T those of a pair: give M1, D1, M2 and D2"
ALONE = (
    "P of both cameras has no baseline: they were calibrated one by one, and where they stand is "
    "not known; calibrate them as a pair"
)


def is_camera_info(files: Sequence[Named]) -> bool:
    """Return whether files are ROS camera_info, one of each camera."""
    if any("cam0" in named or "T_BS" in named for named in files):
        return False
    if any(_has(named, "P") and (_has(named, "K") or _has(named, "R")) for named in files):
        return True
    return all(_has(named, "K") or _has(named, "P") for named in files)


def is_ost(files: Sequence[Named]) -> bool:
    """Return whether all files are ``ost.txt``, which ROS's calibrator writes."""
    return all(isinstance(named.get(OST), list) for named in files)


def ost(files: Sequence[Named], images: Size | None = None) -> FileContent:
    """Make a rig from ``ost.txt``: one file for both cameras, or one file for each."""
    listed: list[Value] = []
    for named in files:
        text = named[OST]
        listed += text if isinstance(text, list) else []
    return camera_infos([one for one in listed if isinstance(one, dict)], images)


def camera_infos(files: Sequence[Named], images: Size | None = None) -> FileContent:
    """Make a rig from the camera_info of both cameras, or a rectified pair if K is missing.

    Args:
        images: size of the images; see ``of_regions``.

    Raises:
        ValueError: there is only one; a value is missing; or they contradict each other.
    """
    if len(files) != 2:
        raise ValueError(ONE_OF_PAIR if "T" in files[0] else ONE)
    files = of_regions(files, images)
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
    if not p1[0, 3] and not p2[0, 3]:
        raise ValueError(ALONE)
    lacking = [name for name in ("D", "R") if not all(_has(named, name) for named in files)]
    remarks = tuple(f"{name} is missing: taken as {ASSUMED[name]}" for name in lacking)
    r1, r2 = (
        matrix(named, _key(named, "R"), 3, 3) if _has(named, "R") else np.eye(3) for named in files
    )
    left, right = (_camera(named) for named in files)
    if not any(_model(named) for named in files):
        remarks += assumed_lens(left, right)
    return FileContent(
        rig_of_rectified((left, right), (r1, r2), (p1, p2), size), size, "m", remarks
    )


ASSUMED = {"D": "no distortion", "R": "the identity"}
"""The value of what a camera_info may lack."""


def of_regions(
    cameras: Sequence[Mapping[str, Any]], images: Size | None
) -> list[Mapping[str, Any]]:
    """Convert two cameras' camera_info from full resolution to the region (``roi``) of the images.

    Its K, P, width and height are of the full resolution. A region without a size is all of it.

    Args:
        images: size of the images; if it is the full resolution, the region is ignored.

    Raises:
        ValueError: a region is no part of the image, or those of both cameras differ.
    """
    regions = [_region(named, images) for named in cameras]
    if not all(region[1:] == regions[0][1:] for region in regions):
        raise ValueError("the regions (roi) of both cameras must have one size and first row")
    pairs = zip(cameras, regions, strict=True)
    return [_moved(named, *region) if any(region) else named for named, region in pairs]


Region = tuple[int, int, int, int]
"""The first column and row of a part of an image, its width and height; 0: the whole image."""


def _region(named: Named, images: Size | None) -> Region:
    """Return the region (``roi``) of the full resolution that a camera reads out; zeros for all."""
    full = _size(named)
    if "roi" not in named or full is None or full == images:
        return 0, 0, 0, 0
    roi = table(named, "roi")
    column, row, width, height = (whole(roi, key) for key in ROI)
    if not width or not height or (width, height) == full:
        return 0, 0, 0, 0
    if min(column, row) < 0 or column + width > full[0] or row + height > full[1]:
        raise ValueError(
            f"the region (roi) of {width}x{height} from column {column}, row {row} on is not "
            f"inside the image of {full[0]}x{full[1]}"
        )
    return column, row, width, height


def _moved(named: Named, column: int, row: int, width: int, height: int) -> Named:
    """Convert a camera_info of the whole image to that of a region that begins at (column, row)."""
    renamed: dict[str, Any] = dict(named)
    for name, columns in (("K", 3), ("P", 4)):
        if _has(named, name) and numbers(named, _key(named, name)).size == 3 * columns:
            moved = matrix(named, _key(named, name), 3, columns).copy()
            moved[:2, 2] -= column, row
            renamed[_key(named, name)] = moved.ravel().tolist()
    sides = {_key(named, "width"): float(width), _key(named, "height"): float(height)}
    return {**renamed, **sides}


def _camera(named: Named) -> Camera:
    sides = matrix(named, _key(named, "K"), 3, 3)
    lens = numbers(named, _key(named, "D")) if _has(named, "D") else np.zeros(0)
    return camera_of(sides, lens, _model(named))


def _model(named: Named) -> str:
    return str(named.get("distortion_model", ""))


def _size(named: Named) -> Size | None:
    if not (_has(named, "width") and _has(named, "height")):
        return None
    return whole(named, _key(named, "width")), whole(named, _key(named, "height"))


def _has(named: Named, name: str) -> bool:
    return _key(named, name) in named


def _key(named: Named, name: str) -> str:
    """Return the key of a value in a camera_info; if missing, the first of the known keys."""
    return next((key for key in KEYS[name] if key in named), KEYS[name][0])
