"""Detection of a calibration file's format, and conversion to a calibration or a rig."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.checks import checked_rig
from wheatstone.viewer.io.cameras.formats.numbers import Named
from wheatstone.viewer.io.cameras.formats.opencv import knows_cameras, opencv_rig
from wheatstone.viewer.io.cameras.formats.rectified import (
    kitti,
    middlebury,
    middlebury_size,
    opencv_q,
    projections,
)
from wheatstone.viewer.io.cameras.formats.rig_toml import SUFFIX, RigDocument, rig_of
from wheatstone.viewer.io.cameras.formats.ros import (
    is_camera_chain,
    is_camera_info,
    kalibr_rig,
    ros_rig,
)
from wheatstone.viewer.io.cameras.formats.zed import is_zed, zed_rig
from wheatstone.viewer.io.cameras.rig import Rig
from wheatstone.viewer.io.reading.documents import read_document
from wheatstone.viewer.io.reading.matrices import Value
from wheatstone.viewer.io.reading.named_values import read_named_values
from wheatstone.viewer.io.reading.typed_values import shown

NONE_KNOWN = "no name in it is one that calibrations have, such as cam0, Q, M1 or camera_matrix"
WITHOUT_CAMERAS = "no M1 beside R and T, so the images are taken as rectified; else give M1 to D2"
MILLIMETRES = "where the pattern was measured in millimetres, add unit: mm to the file"
LONG = 5.0
"""Metres of a baseline that is doubtful and gets a remark."""
Size = tuple[int, int]
"""Width and height in pixels."""
Understood = tuple[str, Calibration | Rig, Size | None, str]
"""The format, the calibration or rig, the size of its images, and a remark."""


def load(path: Path) -> Named | RigDocument:
    """Read a calibration file as named values, or our own ``.toml`` as a ``RigDocument``.

    Raises:
        OSError, ValueError: it cannot be read, or is damaged; the message names it.
    """
    if path.suffix.lower() == SUFFIX:
        return read_document(path, RigDocument)
    return read_named_values(path)


def understood(
    loaded: Sequence[Named | RigDocument], size: Size | None, cameras: tuple[int, int]
) -> Understood:
    """Convert the content of calibration files of any known format.

    Args:
        size: of the images, for files with several resolutions.
        cameras: as for ``read_calibration``.

    Raises:
        ValueError: they have no known format, or impossible values.
    """
    named = [one for one in loaded if not isinstance(one, RigDocument)]
    if len(named) == len(loaded):
        rig = _rig(named, size)
        found = _rectified(named[0], cameras) if rig is None and len(named) == 1 else None
    elif len(loaded) == 1 and isinstance(loaded[0], RigDocument):
        rig, found = ("wheatstone", rig_of(loaded[0])), None
    else:
        raise ValueError(f"a rig of ours ({SUFFIX}) is one file")
    if rig:
        return rig[0], checked_rig(rig[1]), rig[1].size, _remark_on(rig[1])
    if found is None:
        raise ValueError(NONE_KNOWN)
    return found


def _rig(named: Sequence[Named], size: Size | None) -> tuple[str, Rig] | None:
    """Make the rig of the files, with the name of their format; None if they contain no rig."""
    if any(map(is_camera_info, named)):
        return "ROS", ros_rig(named)
    if len(named) == 1 and is_zed(named[0]):
        return "ZED", zed_rig(named[0], size)
    if len(named) == 1 and is_camera_chain(named[0]):
        return "Kalibr", kalibr_rig(named[0])
    both = _merged(named)
    return ("OpenCV", opencv_rig(both)) if knows_cameras(both) else None


def _merged(named: Sequence[Named]) -> Named:
    """Merge two files, such as ``intrinsics.yml`` and ``extrinsics.yml``."""
    both: dict[str, Value] = {}
    for one in named:
        if twice := [key for key in one if key in both and not isinstance(one[key], float | str)]:
            raise ValueError(f"both files have {shown(twice[0])}")
        both.update(one)
    return both


def _rectified(named: Named, cameras: tuple[int, int]) -> Understood | None:
    """Make the calibration of a rectified pair from a file; None if it contains no such pair."""
    if isinstance(named.get("cam0"), np.ndarray):
        return "Middlebury", middlebury(named), middlebury_size(named), ""
    if isinstance(q := named.get("Q"), np.ndarray):
        remark = WITHOUT_CAMERAS if "R" in named and "T" in named else ""
        return "OpenCV", opencv_q(q), None, remark
    if found := projections(named):
        return "KITTI", kitti(found, cameras), None, ""
    return None


def _remark_on(rig: Rig) -> str:
    if rig.unit == "m" and rig.baseline > LONG:
        return f"a baseline of {rig.baseline:g} m: {MILLIMETRES}"
    return ""
