"""Rectification of a rig's images: virtual cameras with common rows, and the maps to them."""

from dataclasses import replace

import numpy as np

from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.checks import checked_calibration
from wheatstone.viewer.io.cameras.rectification import Rectification, map_of
from wheatstone.viewer.io.cameras.rig import Matrix, RectifiedCameras, Rig

FAR = 60.0
"""Maximum degrees by which rectification may turn a camera; beyond, the views hardly overlap."""


def rectify_rig(
    rig: Rig, width: int, height: int, alpha: float = 0.0, origin: str = ""
) -> Rectification:
    """Make the maps that rectify a rig's images, and the calibration of the rectified pair.

    Args:
        width, height: of the images, in pixels, and of the rectified views.
        alpha: as for ``levelling_of``.
        origin: as ``Rectification.origin``.

    Raises:
        ValueError: the size does not fit, or the rig cannot be rectified.
    """
    fitted = rig.scaled(width, height)
    levelling = levelling_of(fitted, alpha)
    left, right = (
        map_of(camera, rotation, projection, width, height)
        for camera, rotation, projection in zip(
            fitted.cameras, levelling.rotations, levelling.projections, strict=True
        )
    )
    return Rectification(left, right, rectified_calibration(levelling, rig.unit), origin)


def levelling_of(rig: Rig, alpha: float = 0.0) -> RectifiedCameras:
    """Return the rectification in the rig's file, with square pixels, else OpenCV's rectification.

    Args:
        rig: one whose ``size`` is known.
        alpha: of OpenCV's rule: 0 shows no pixel outside the image, 1 shows every image pixel.

    Raises:
        ValueError: the rig cannot be rectified.
    """
    return _squared(rig.levelling) if rig.levelling else _by_opencv(rig, alpha)


def rectified_calibration(levelling: RectifiedCameras, unit: str) -> Calibration:
    """Return the calibration of a rectified pair; raise ``ValueError`` for impossible values."""
    left, right = levelling.projections
    focal = float(left[0, 0])
    baseline = float(left[0, 3] - right[0, 3]) / focal
    principal = (float(left[0, 2]), float(left[1, 2]))
    offset = float(right[0, 2] - left[0, 2])
    return checked_calibration(Calibration(focal, baseline, principal, offset, unit))


def _squared(levelling: RectifiedCameras) -> RectifiedCameras:
    """Set both virtual cameras to the left one's fx and cy, so that pixels are square."""
    left, right = (projection.copy() for projection in levelling.projections)
    for projection in (left, right):
        projection[[0, 1], [0, 1]] = left[0, 0]
        projection[1, 2] = left[1, 2]
    return replace(levelling, projections=(left, right))


def _by_opencv(rig: Rig, alpha: float) -> RectifiedCameras:
    import cv2

    try:
        found = _stereo_rectify(rig, alpha)
    except cv2.error as error:
        raise ValueError(f"the rig cannot be rectified (OpenCV: {error.err})") from None
    if not all(np.isfinite(matrix).all() for matrix in (*found.rotations, *found.projections)):
        raise ValueError("the rig cannot be rectified: its distortion leaves no common view")
    if found.projections[1][1, 3]:
        raise ValueError("one camera stands above the other; only cameras side by side are known")
    turned = max(_degrees(rotation) for rotation in found.rotations)
    if turned > FAR:
        raise ValueError(
            f"the rig cannot be rectified: a camera would have to be turned by {turned:.0f} degrees"
        )
    return found


def _stereo_rectify(rig: Rig, alpha: float) -> RectifiedCameras:
    """Compute R1, R2, P1 and P2 with OpenCV; raise ``cv2.error`` if it fails."""
    import cv2

    left, right = rig.cameras
    fisheye = [camera.model == "fisheye" for camera in rig.cameras]
    if fisheye[0] != fisheye[1]:
        raise ValueError("both cameras must be fisheye, or neither, unless the file has R1 to P2")
    seen = (left.matrix, left.coefficients, right.matrix, right.coefficients, rig.size)
    pose = (rig.rotation, rig.translation.reshape(3, 1))
    flags = cv2.CALIB_ZERO_DISPARITY
    r1, r2, p1, p2, *_ = (
        cv2.fisheye.stereoRectify(*seen, *pose, flags=flags, balance=alpha)
        if fisheye[0]
        else cv2.stereoRectify(*seen, *pose, flags=flags, alpha=alpha)
    )
    return RectifiedCameras(
        (np.asarray(r1, np.float64), np.asarray(r2, np.float64)),
        (np.asarray(p1, np.float64), np.asarray(p2, np.float64)),
    )


def _degrees(rotation: Matrix) -> float:
    return float(np.degrees(np.arccos(np.clip((np.trace(rotation) - 1) / 2, -1, 1))))
