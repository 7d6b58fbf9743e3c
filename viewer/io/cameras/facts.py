"""Description of a calibration for the user, as names and values."""

from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.calibration_files import FoundCalibration
from wheatstone.viewer.io.cameras.levelling import levelling_of, rectified_calibration
from wheatstone.viewer.io.cameras.rig import Camera, Rig

Fact = tuple[str, str]
"""Name and value."""
SUMMED = ("size", "focal length", "focal lengths", "baseline", "angle between cameras")
"""The names of facts in a summary."""


def facts(calibration: FoundCalibration) -> list[Fact]:
    """List the properties of a calibration by name, for display to the user.

    Raises:
        ValueError: the rig cannot be rectified.
    """
    size = f"{calibration.size[0]}x{calibration.size[1]}" if calibration.size else "not said"
    listed = [("format", calibration.form), ("size", size)]
    cameras = calibration.cameras
    try:
        if isinstance(cameras, Rig):
            listed += [("images", "to be rectified"), *rig_facts(cameras)]
        else:
            listed += [("images", "rectified already"), *pair_facts(cameras)]
    except ValueError as error:
        raise ValueError(f"{calibration.name}: {error}") from None
    return listed + ([("remark", calibration.remark)] if calibration.remark else [])


def summary(calibration: FoundCalibration) -> str:
    """Return a calibration's properties in one line, without warnings.

    Raises:
        ValueError: as ``facts``.
    """
    by_name = dict(facts(calibration))
    listed = [f"{name} {by_name[name]}" for name in SUMMED if name in by_name]
    done = "to be rectified" if calibration.rig else "rectified already"
    remark = "".join(f"; {each}" for each in calibration.remarks if not isinstance(each, Finding))
    return f"{calibration.name} ({calibration.form}): {', '.join(listed)}; images {done}{remark}"


def length(value: float, unit: str) -> str:
    """Format a length with its unit, or state that the scale is unknown."""
    return "relative, not known in metres" if unit == "relative" else f"{value:.4g} {unit}"


def rig_facts(rig: Rig) -> list[Fact]:
    """List the properties of an unrectified rig; raise ``ValueError`` if it cannot be rectified."""
    listed = [
        ("focal lengths", " and ".join(f"{camera.focal:.2f}" for camera in rig.cameras) + " px"),
        ("baseline", length(rig.baseline, rig.unit)),
        ("angle between cameras", f"{rig.angle:.2f} degrees"),
        ("distortion", _distortion(rig.left, rig.right)),
        ("rectified", "as the file says" if rig.levelling else "by OpenCV's rule"),
    ]
    if rig.size:
        known = rectified_calibration(levelling_of(rig), rig.unit)
        listed.append(("rectified focal length", f"{known.focal:.2f} px"))
    return listed


def _distortion(left: Camera, right: Camera) -> str:
    words = [
        f"{camera.model}, {len(camera.distortion)} coefficients"
        if camera.model == "fisheye" or any(camera.distortion)
        else "none"
        for camera in (left, right)
    ]
    return words[0] if words[0] == words[1] else f"left {words[0]}; right {words[1]}"


def pair_facts(known: Calibration) -> list[Fact]:
    """List the properties of a rectified pair's calibration."""
    column, row = known.principal
    listed = [
        ("focal length", f"{known.focal:.2f} px"),
        ("baseline", length(known.baseline, known.unit)),
        ("principal point", f"column {column:.2f}, row {row:.2f}"),
    ]
    return listed + ([("offset", f"{known.offset:.2f} px")] if known.offset else [])
