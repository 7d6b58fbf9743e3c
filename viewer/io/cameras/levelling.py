"""Rectification of a rig's images: virtual cameras with common rows, and the maps to them."""

from dataclasses import replace

import numpy as np

from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.formats.rectified import pair_of_projections
from wheatstone.viewer.io.cameras.rectification import Rectification, map_of
from wheatstone.viewer.io.cameras.rig import (
    Camera,
    Matrix,
    RectifiedCameras,
    Rig,
    contiguous,
    degrees_of,
)

FAR = 60.0
"""Maximum degrees by which rectification may turn a camera; beyond, the views hardly overlap."""


def rectify_rig(rig: Rig, width: int, height: int, origin: str = "") -> Rectification:
    """Make the maps that rectify a rig's images, and the calibration of the rectified pair.

    Args:
        width, height: of the images, in pixels, and of the rectified views.
        origin: as ``Rectification.origin``.

    Raises:
        ValueError: the size does not fit, or the rig cannot be rectified.
    """
    fitted = rig.scaled(width, height)
    levelling = levelling_of(fitted)
    left, right = (
        map_of(camera, rotation, projection, width, height)
        for camera, rotation, projection in zip(
            fitted.cameras, levelling.rotations, levelling.projections, strict=True
        )
    )
    return Rectification(left, right, rectified_calibration(levelling, rig.unit), origin)


def levelling_of(rig: Rig) -> RectifiedCameras:
    """Return a rig's rectification: its file's, with square pixels, else one by OpenCV.

    Without a ``balance`` of the rig, no pixel from outside is shown; fisheye cameras keep their
    focal length, and thereby the resolution at the centre, because all of their valid rectangle
    would leave a fraction of it.

    Args:
        rig: one whose ``size`` is known.

    Raises:
        ValueError: the rig cannot be rectified.
    """
    return _squared(rig.levelling) if rig.levelling else _by_opencv(rig)


def rectified_calibration(levelling: RectifiedCameras, unit: str) -> Calibration:
    """Return the calibration of a rectified pair; raise ``ValueError`` for impossible values."""
    return replace(pair_of_projections(*levelling.projections), unit=unit)


def _squared(levelling: RectifiedCameras) -> RectifiedCameras:
    """Set both rectified cameras' focal lengths to the left fx, and their cy to the left cy."""
    left, right = (projection.copy() for projection in levelling.projections)
    for projection in (left, right):
        projection[[0, 1], [0, 1]] = left[0, 0]
        projection[1, 2] = left[1, 2]
    return replace(levelling, projections=(left, right))


def _by_opencv(rig: Rig) -> RectifiedCameras:
    import cv2

    try:
        rectified = _stereo_rectify(rig)
    except cv2.error as error:
        raise ValueError(f"the rig cannot be rectified (OpenCV: {error.err})") from None
    if not all(
        np.isfinite(matrix).all() for matrix in (*rectified.rotations, *rectified.projections)
    ):
        raise ValueError("the rig cannot be rectified: its distortion leaves no common view")
    if rectified.projections[1][1, 3]:
        raise ValueError("one camera stands above the other; only cameras side by side are known")
    turned = max(map(degrees_of, rectified.rotations))
    if turned > FAR:
        raise ValueError(
            f"the rig cannot be rectified: a camera would have to be turned by {turned:.0f} degrees"
        )
    return rectified


def _stereo_rectify(rig: Rig) -> RectifiedCameras:
    """Compute R1, R2, P1 and P2 with OpenCV; raise ``cv2.error`` if it fails."""
    import cv2

    left, right = rig.cameras
    fisheye = [camera.model == "fisheye" for camera in rig.cameras]
    if fisheye[0] != fisheye[1]:
        raise ValueError("both cameras must be fisheye, or neither, unless the file has R1 to P2")
    seen = (left.matrix, left.coefficients, right.matrix, right.coefficients, rig.size)
    pose = (rig.rotation, contiguous(rig.translation.reshape(3, 1)))
    flags = cv2.CALIB_ZERO_DISPARITY
    r1, r2, p1, p2, *_ = (
        cv2.fisheye.stereoRectify(*seen, *pose, flags=flags, balance=rig.balance or 0.0)
        if fisheye[0]
        else cv2.stereoRectify(*seen, *pose, flags=flags, alpha=rig.balance or 0.0)
    )
    rectified = RectifiedCameras((r1, r2), (p1, p2))
    return _with_focal_length(rig, rectified) if fisheye[0] and rig.balance is None else rectified


def _with_focal_length(rig: Rig, rectified: RectifiedCameras) -> RectifiedCameras:
    """Set the focal length of rectified fisheye cameras to that of the original cameras.

    It is larger only where pixels from outside would be seen otherwise. The centre of the image
    stays the centre, on average of both cameras.
    """
    assert rig.size
    focal = max(rectified.projections[0][0, 0], sum(camera.focal for camera in rig.cameras) / 2)
    middle = (np.array(rig.size, np.float64) - 1) / 2
    seen = [
        _rectified_ray(camera, rotation, middle)
        for camera, rotation in zip(rig.cameras, rectified.rotations, strict=True)
    ]
    left, right = (projection.copy() for projection in rectified.projections)
    right[0, 3] *= focal / right[0, 0]
    for projection in (left, right):
        projection[[0, 1], [0, 1]] = focal
        projection[:2, 2] = middle - focal * (seen[0] + seen[1]) / 2
    return replace(rectified, projections=(left, right))


def _rectified_ray(camera: Camera, rotation: Matrix, place: Matrix) -> Matrix:
    """Compute the ray of a fisheye camera's pixel in rectified axes: x and y at depth 1."""
    import cv2

    pixel = contiguous(place.reshape(1, 1, 2))
    ray = cv2.fisheye.undistortPoints(pixel, camera.matrix, camera.coefficients, R=rotation)
    return np.asarray(ray, np.float64).reshape(2)
