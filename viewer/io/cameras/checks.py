"""Checks of calibrations and rigs from files: impossible or unsupported values raise an error."""

import numpy as np

from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, Model, RectifiedCameras, Rig

LARGEST = 1e12
"""Maximum of focal length, baseline and other numbers, so that results stay finite."""
LARGEST_SIDE = 2**15
"""Maximum pixels of an image's side: more than any source provides."""
TURNED = 1e-3
"""Tolerance of a rotation's numbers, for files with few digits."""
OPPOSITE = 90.0
"""Degrees between the cameras from which on no pair can be rectified."""
LEVEL = 0.05
"""Tolerance in pixels for values that must be equal in a rectified pair's projections."""
COEFFICIENTS: dict[Model, tuple[int, ...]] = {
    "plumb-bob": (4, 5),
    "rational": (8, 12, 14),
    "fisheye": (4,),
}
"""The possible numbers of distortion coefficients of each model."""
SWAPPED = "exchange the two cameras, in the calibration and as images"


def checked_calibration(calibration: Calibration) -> Calibration:
    """Return the calibration; raise ``ValueError`` for impossible values."""
    if not (calibration.focal > 0 and calibration.baseline > 0):
        raise ValueError(
            "focal length and baseline must be positive "
            f"(got {calibration.focal:g} and {calibration.baseline:g})"
            + (f": {SWAPPED}" if calibration.focal > 0 > calibration.baseline else "")
        )
    numbers = (calibration.focal, calibration.baseline, *calibration.principal, calibration.offset)
    _check_numbers("a calibration", np.array(numbers))
    return calibration


def checked_rig(rig: Rig) -> Rig:
    """Return the rig; raise ``ValueError`` for one that is impossible or cannot be rectified."""
    if rig.size is not None and not all(1 <= side <= LARGEST_SIDE for side in rig.size):
        raise ValueError(
            f"image sizes go from 1x1 to {LARGEST_SIDE}x{LARGEST_SIDE} "
            f"(got {rig.size[0]}x{rig.size[1]})"
        )
    _check_camera("left", rig.left)
    _check_camera("right", rig.right)
    _check_rotation("R", rig.rotation)
    if rig.angle > OPPOSITE:
        raise ValueError(
            f"the cameras are turned against each other by {rig.angle:.0f} degrees: turn the right "
            "one's images as the left one's are, and calibrate again"
        )
    _check_translation(rig.translation)
    if rig.levelling:
        _check_levelling(rig.levelling, rig.baseline)
    return rig


def _check_numbers(name: str, numbers: Matrix) -> None:
    if not np.all(np.abs(numbers) <= LARGEST):  # which NaN is not
        raise ValueError(f"{name}: no camera has numbers beyond {LARGEST:g}")


def _check_camera(side: str, camera: Camera) -> None:
    name = f"matrix of the {side} camera"
    _check_numbers(name, camera.matrix)
    (fx, skew, _), (below, fy, _), last = camera.matrix.tolist()
    if below or last != [0, 0, 1] or not (fx > 0 and fy > 0):
        raise ValueError(
            f"{name} must be [fx 0 cx; 0 fy cy; 0 0 1] with fx and fy above 0 "
            f"(got {_written(camera.matrix)})"
        )
    if abs(skew) > LEVEL:
        raise ValueError(f"{name} has a skew of {skew:g} px; only cameras without one are known")
    _check_numbers(f"distortion of the {side} camera", camera.coefficients)
    counts = COEFFICIENTS[camera.model]
    if len(camera.distortion) not in counts:
        raise ValueError(
            f"distortion of the {side} camera: {camera.model} has "
            f"{' or '.join(map(str, counts))} coefficients (got {len(camera.distortion)})"
        )


def _check_rotation(name: str, rotation: Matrix) -> None:
    _check_numbers(name, rotation)
    off = float(np.abs(rotation @ rotation.T - np.eye(3)).max())
    if off > TURNED or np.linalg.det(rotation) < 0:
        raise ValueError(f"{name} is no rotation (got {_written(rotation)})")


def _check_translation(translation: Matrix) -> None:
    _check_numbers("T", translation)
    x, y, z = translation.tolist()
    if not np.any(translation):
        raise ValueError("the baseline is 0: both cameras stand in one place")
    if abs(y) > abs(x):
        raise ValueError(
            f"one camera stands above the other (T is {_written(translation)}); "
            "only cameras side by side are known"
        )
    if abs(z) > abs(x):
        raise ValueError(
            f"one camera stands behind the other (T is {_written(translation)}); "
            "such a pair cannot be rectified"
        )
    if x > 0:
        raise ValueError(
            f"the right camera stands left of the left one (x of T is {x:g}, must be negative), "
            f"so depth would be negative; if R and T are those from the right to the left camera, "
            f"invert them; else {SWAPPED}"
        )


def _check_levelling(levelling: RectifiedCameras, baseline: float) -> None:
    """Raise ``ValueError`` if a rig's rectification, R1, R2, P1 and P2, is impossible."""
    for name, rotation in zip(("R1", "R2"), levelling.rotations, strict=True):
        _check_rotation(name, rotation)
    left, right = levelling.projections
    for name, projection in zip(("P1", "P2"), levelling.projections, strict=True):
        _check_numbers(name, projection)
        (fx, skew, _, _), (below, fy, _, along), last = projection.tolist()
        if not (fx > 0 and fy > 0) or skew or below or last[:3] != [0, 0, 1]:
            raise ValueError(f"{name} must be [f 0 cx a; 0 f cy 0; 0 0 1 0], f above 0")
        if abs(along) > abs(projection[0, 3]) + LEVEL:
            raise ValueError(f"{name} is of cameras above each other; only side by side are known")
    if np.abs((left - right)[[0, 1, 1], [0, 1, 2]]).max() > LEVEL:
        raise ValueError("P1 and P2 must have one focal length and one row of principal points")
    of_projections = (left[0, 3] - right[0, 3]) / left[0, 0]
    if abs(of_projections - baseline) > 0.01 * baseline:
        raise ValueError(f"the baseline is {baseline:g} by T, but {of_projections:g} by P1 and P2")


def _written(numbers: Matrix) -> str:
    rows = np.atleast_2d(numbers).tolist()
    return "; ".join(" ".join(f"{number:g}" for number in row) for row in rows)
