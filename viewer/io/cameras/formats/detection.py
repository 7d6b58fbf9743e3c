"""Detection of a calibration file's format, and conversion to a calibration or a rig."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.calibration import RELATIVE, Calibration
from wheatstone.viewer.io.cameras.checks import checked_calibration, checked_rig
from wheatstone.viewer.io.cameras.formats.content import METRES, FileContent, Pair, Size
from wheatstone.viewer.io.cameras.formats.devices import (
    basalt,
    depthai,
    is_basalt,
    is_depthai,
    is_matlab,
    matlab,
)
from wheatstone.viewer.io.cameras.formats.distortion import plain
from wheatstone.viewer.io.cameras.formats.kalibr import (
    are_sensors,
    camera_chain,
    is_camera_chain,
    sensors,
)
from wheatstone.viewer.io.cameras.formats.numbers import Named
from wheatstone.viewer.io.cameras.formats.opencv import (
    has_projections,
    know_cameras,
    opencv_projections,
    opencv_rig,
)
from wheatstone.viewer.io.cameras.formats.orb_slam import is_orb_slam, orb_slam
from wheatstone.viewer.io.cameras.formats.rectified import (
    cityscapes,
    foundation_stereo,
    is_cityscapes,
    is_foundation_stereo,
    is_pinhole,
    kitti,
    kitti_matrices,
    middlebury,
    opencv_q,
    pinhole,
)
from wheatstone.viewer.io.cameras.formats.rig_toml import SUFFIX, RigDocument, rig_of
from wheatstone.viewer.io.cameras.formats.ros import camera_infos, is_camera_info, is_ost, ost
from wheatstone.viewer.io.cameras.formats.zed import is_zed, zed_rig
from wheatstone.viewer.io.cameras.rig import Rig
from wheatstone.viewer.io.reading.documents import read_document
from wheatstone.viewer.io.reading.named_values import read_named_values
from wheatstone.viewer.io.reading.typed_values import shown

NONE_KNOWN = "no name in it is one that calibrations have, such as cam0, Q, M1 or camera_matrix"
SPELLED = {"millimeter": "mm", "centimeter": "cm", "meter": "m"}
UNITS = ("unit", "units", "worldunits")
"""The names of the unit of lengths in a file; as ``plain`` writes them."""
TABLES = {
    **{name: "left_" for name in ("left", "leftcamera", "cameraleft", "camleft", "leftcam")},
    **{name: "right_" for name in ("right", "rightcamera", "cameraright", "camright")},
    **{"rightcam": "right_", "stereo": "", "extrinsics": "", "cameraparameters1": ""},
}
"""Tables of a file whose values are read as if they had this beginning and no table."""
NOT_NUMBERED = "no cameras need to be chosen: the file has two"
AS_OPENCV = "write M1, D1, M2, D2, R and T of cv2.stereoCalibrate into a YAML or JSON file"
SHORT, LONG = 0.01, 1.0
"""Metres between which a baseline needs no question."""


CALIBRATIONS = (".yml", ".yaml", ".xml", ".json", ".toml", ".conf", ".txt", ".gz", ".npz")
"""The suffixes of calibration files."""


@dataclass(frozen=True)
class CalibrationChoices:
    """User options that replace or complete values of calibration files; None: as in the files.

    Attributes:
        unit: of the lengths in the files: ``mm``, ``cm`` or ``m``.
        cameras: numbers of the left and the right camera, for files with several.
        balance: as for ``Rig``, for files that do not say how the pair is rectified.
        scale: ``any``: a calibration for images of another size is scaled by any ratio.
    """

    unit: str | None = None
    cameras: Pair | None = None
    balance: float | None = None
    scale: str | None = None


Files = Sequence[Named]
NPZ = ".npz"
"""The suffix of NumPy's archives."""


@dataclass(frozen=True)
class CalibrationFormat:
    """A format of calibration files, with the functions that recognise and read it.

    Attributes:
        name: for the user.
        matches: whether a file has this format.
        read: makes the cameras of a file that matches.
        options: the options of ``understood`` that ``read`` also takes. With ``cameras``, a file
            may have more than two cameras, of which the user chooses.
        several: whether it may be two files that belong together; both functions take a list then.
    """

    name: str
    matches: Callable[[Any], bool]
    read: Callable[..., FileContent]
    options: tuple[str, ...] = ()
    several: bool = False


def _has_matrix(name: str) -> Callable[[Named], bool]:
    return lambda named: isinstance(named.get(name), np.ndarray)


FORMATS = (
    CalibrationFormat("FoundationStereo", is_foundation_stereo, foundation_stereo),
    CalibrationFormat("ROS", is_ost, ost, ("size",), several=True),
    CalibrationFormat("EuRoC", are_sensors, sensors, several=True),
    CalibrationFormat(
        "ROS",
        lambda files: is_camera_info(files) and not know_cameras(files),
        camera_infos,
        ("size",),
        several=True,
    ),
    CalibrationFormat("ZED", is_zed, zed_rig, ("size",)),
    CalibrationFormat("Basalt", is_basalt, basalt, ("cameras",)),
    CalibrationFormat("DepthAI", is_depthai, depthai, ("cameras",)),
    CalibrationFormat("MATLAB", is_matlab, matlab),
    CalibrationFormat("Cityscapes", is_cityscapes, cityscapes),
    CalibrationFormat("Kalibr", is_camera_chain, camera_chain, ("cameras",)),
    CalibrationFormat("OpenCV", know_cameras, opencv_rig, several=True),
    CalibrationFormat("ORB-SLAM", is_orb_slam, orb_slam),
    CalibrationFormat("Middlebury", _has_matrix("cam0"), middlebury),
    CalibrationFormat("OpenCV", _has_matrix("Q"), opencv_q),
    CalibrationFormat(
        "KITTI", lambda named: bool(kitti_matrices(named)), kitti, ("usual", "cameras", "size")
    ),
    CalibrationFormat("one pinhole", is_pinhole, pinhole),
    CalibrationFormat("OpenCV", has_projections, opencv_projections),
)
"""The formats that are read, besides our own; the first that matches counts."""
OTHERS: Mapping[str, Callable[[Named], bool]] = {
    "VINS-Fusion's settings name the files of the cameras, which are": lambda one: (
        "cam0_calib" in one or "body_T_cam0" in one
    ),
    "camodocal's file of one camera is": lambda one: "projection_parameters" in one,
    "RealSense's intrinsics have no fixed order of R, and are": lambda one: "left_ppx" in one,
}
"""The names of formats that are not read, as messages begin, and a test of each for a file."""


def load(path: Path) -> Named | RigDocument:
    """Read a calibration file as named values, or our own ``.toml`` as a ``RigDocument``.

    Raises:
        OSError, ValueError: it cannot be read, or is damaged; the message names it.
    """
    suffix = path.suffix.lower()
    if suffix == SUFFIX:
        return read_document(path, RigDocument)
    if suffix == NPZ:
        from wheatstone.viewer.io.reading.archives import read_archive

        return read_archive(path)
    return read_named_values(path)


def understood(
    loaded: Sequence[Named | RigDocument],
    choices: CalibrationChoices,
    size: Size | None = None,
    usual: Pair | None = None,
    unit_of_file: str | None = None,
) -> tuple[str, FileContent]:
    """Detect the format of loaded calibration files, and convert them to cameras in metres.

    Args:
        choices: the user's answers.
        size: of the images, for files with several resolutions; None: not known.
        usual: numbers of the left and the right camera in data sets, for files with several.
        unit_of_file: the unit in a file next to them; None: there is none.

    Returns:
        The name of the format, and the cameras with lengths in metres.

    Raises:
        ValueError: they have no known format, or impossible values.
    """
    named = [_with_tables(one) for one in loaded if not isinstance(one, RigDocument)]
    stated = choices.unit or unit_of_file
    if len(named) == len(loaded):
        options = {"size": size, "usual": usual, "cameras": choices.cameras}
        name, content = _read(named, options)
        stated = stated or _unit_in(named)
    elif len(loaded) == 1 and isinstance(loaded[0], RigDocument):
        rig = rig_of(loaded[0])
        unit = loaded[0].rig.unit
        name, content = "wheatstone", FileContent(rig, rig.size)
        stated = stated or (unit if unit in METRES and unit != "m" else None)
    else:
        raise ValueError(f"a rig of ours ({SUFFIX}) is one file")
    return name, _in_metres(content, stated, choices.balance)


def _read(files: Files, options: Mapping[str, Any]) -> tuple[str, FileContent]:
    for one in FORMATS:
        given = files if one.several else files[0]
        if (one.several or len(files) == 1) and one.matches(given):
            with np.errstate(all="ignore"):  # numbers that overflow are refused by the checks
                content = one.read(given, *(options[name] for name in one.options))
            if options["cameras"] and "cameras" not in one.options:
                content = replace(content, remarks=(*content.remarks, NOT_NUMBERED))
            return one.name, content
    for words, matches in OTHERS.items():
        if any(map(matches, files)):
            raise ValueError(f"{words} not read; {AS_OPENCV}")
    raise ValueError(NONE_KNOWN)


def checked_unit(text: str) -> str:
    """Return the short form of a unit of length: ``mm`` for ``MM`` or ``millimetres``.

    Raises:
        ValueError: it is not known.
    """
    word = text.lower().removesuffix("s").replace("metre", "meter")
    unit = SPELLED.get(word, word)
    if unit not in METRES:
        raise ValueError(f"unit must be one of {', '.join(METRES)} (got {shown(repr(text))})")
    return unit


def _unit_in(files: Files) -> str | None:
    """Return the unit that files name for their lengths; None if they do not."""
    named = {str(value) for one in files for name, value in one.items() if plain(name) in UNITS}
    units = {checked_unit(unit) for unit in named - {RELATIVE}}
    if len(units) > 1:
        raise ValueError(f"the files name two units: {', '.join(sorted(units))}")
    return units.pop() if units else None


def _with_tables(named: Named) -> Named:
    """Copy values of known tables (``TABLES``) to the top level, unless they exist there."""
    added = {
        f"{TABLES[plain(name)]}{inner}": value
        for name, table in named.items()
        if isinstance(table, dict) and plain(name) in TABLES
        for inner, value in table.items()
    }
    return {**added, **named}


def _in_metres(content: FileContent, stated: str | None, balance: float | None) -> FileContent:
    """Convert the lengths of the cameras to metres, and check the cameras.

    Args:
        stated: the unit of the lengths; None: that of the format, and an unusual baseline is
            questioned.
    """
    cameras = content.cameras
    if cameras.unit == RELATIVE and not stated:
        return _checked(content, cameras, balance)
    unit = stated or content.unit
    factor = METRES[unit]
    if isinstance(cameras, Rig):
        with np.errstate(all="ignore"):
            cameras = replace(cameras.in_unit(factor), unit="m")
    else:
        cameras = replace(cameras, baseline=cameras.baseline * factor, unit="m")
    checked = _checked(content, cameras, balance)
    if not stated and (asked := _question(cameras.baseline, unit)):
        return replace(checked, remarks=(*checked.remarks, asked))
    return checked


def _checked(
    content: FileContent, cameras: Calibration | Rig, balance: float | None
) -> FileContent:
    if isinstance(cameras, Rig):
        rig = checked_rig(replace(cameras, balance=balance))
        if balance is not None and rig.levelling:
            remark = "balance is not used: the file says how the pair is rectified"
            content = replace(content, remarks=(*content.remarks, remark))
        return replace(content, cameras=rig, size=rig.size)
    return replace(content, cameras=checked_calibration(cameras))


def _question(baseline: float, unit: str) -> str:
    """Return a remark that asks if the unit is right, for an unusual baseline; else empty.

    Args:
        baseline: in metres.
        unit: of the lengths in the file, as they were taken.
    """
    if SHORT <= baseline <= LONG:
        return ""
    other = "m" if baseline < SHORT and unit != "m" else "mm" if unit != "mm" else "m"
    value = baseline / METRES[unit] * METRES[other]
    length = f"{baseline:.4g} m" if baseline > LONG else f"{baseline * 1e3:.4g} mm"
    read = f"{value * 1e3:.4g} mm" if value < SHORT else f"{value:.4g} m"
    return Finding("calibration unit", baseline=length, unit=unit, other=other, otherwise=read)
