"""Fitting of cameras, and of a rig of two, to the board corners in their images."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.cameras.rig import Camera, Matrix, Model, Rig

Points = NDArray[np.float32]
Pose = tuple[Matrix, Matrix]
"""Rotation vector and translation, from a board to a camera."""
NO_CAMERA = "no {} camera fits the views; tilt the board more, or try another --model"
NO_RIG = "no rig fits the views; give pairs, both images of which were taken at the same moment"
COEFFICIENTS: dict[Model, int] = {"plumb-bob": 5, "rational": 8, "fisheye": 4}
"""The number of distortion coefficients of each model."""


@dataclass(frozen=True, eq=False)
class CameraFit:
    """A camera fitted to views of a board.

    Attributes:
        errors: for every view (N,) float64, the reprojection error of each corner in pixels.
        spread: standard deviation of the focal length in pixels; NaN if it is not computed.
    """

    camera: Camera
    errors: tuple[Matrix, ...]
    spread: float


@dataclass(frozen=True, eq=False)
class RigFit:
    """A rig fitted to the views of both its cameras.

    Attributes:
        errors: as in ``CameraFit``, of the left and of the right camera.
        tilt: the largest angle in degrees between the board's planes in two views.
    """

    rig: Rig
    errors: tuple[tuple[Matrix, ...], tuple[Matrix, ...]]
    tilt: float


def fit_camera(
    points: Sequence[Points], places: Sequence[Points], size: tuple[int, int], model: Model
) -> CameraFit:
    """Fit a camera to views of a board.

    Args:
        points: for every view (N, 3), the corners on the board.
        places: for every view (N, 2), their places in the image.
        size: width and height of the images.

    Raises:
        ValueError: the views do not determine a camera.
    """
    import cv2

    fit = _fit_fisheye if model == "fisheye" else _fit_pinhole
    try:
        camera, poses, spread = fit(points, places, size, model)
        errors = tuple(map(distances, [camera] * len(points), points, poses, places))
    except cv2.error as error:
        raise ValueError(NO_CAMERA.format(model)) from error
    if not (np.isfinite(camera.matrix).all() and np.isfinite(camera.coefficients).all()):
        raise ValueError(NO_CAMERA.format(model))
    return CameraFit(camera, errors, spread)


def fit_rig(
    cameras: tuple[Camera, Camera],
    points: Sequence[Points],
    places: tuple[Sequence[Points], Sequence[Points]],
    size: tuple[int, int],
) -> RigFit:
    """Fit rotation and translation between the cameras, which themselves are not changed.

    Corners of fisheye cameras are converted to places in pinhole cameras of the same focal length.

    Args:
        points, places: as for ``fit_camera``, the places in the left and in the right images.

    Raises:
        ValueError: the views do not determine a rig.
    """
    import cv2

    try:
        rotation, translation, before_left = _stereo(cameras, points, places, size)
        before_right = [_moved(rotation, translation, pose) for pose in before_left]
        left, right = (
            tuple(map(distances, [camera] * len(points), points, poses, seen))
            for camera, poses, seen in zip(
                cameras, (before_left, before_right), places, strict=True
            )
        )
    except cv2.error as error:
        raise ValueError(NO_RIG) from error
    if not (np.isfinite(rotation).all() and np.isfinite(translation).all()):
        raise ValueError(NO_RIG)
    rig = Rig(*cameras, rotation, translation, size)
    return RigFit(rig, (left, right), _tilt(before_left))


def _stereo(
    cameras: tuple[Camera, Camera],
    points: Sequence[Points],
    places: tuple[Sequence[Points], Sequence[Points]],
    size: tuple[int, int],
) -> tuple[Matrix, Matrix, list[Pose]]:
    """Compute rotation and translation between cameras, and board poses in the left camera."""
    import cv2

    flags = cv2.CALIB_FIX_INTRINSIC
    if "rational" in (cameras[0].model, cameras[1].model):
        flags |= cv2.CALIB_RATIONAL_MODEL  # without it k4 to k6 are taken for 0
    left, right = map(_for_pinhole, cameras, places)
    known = [*left[1:], *right[1:], size, None, None]
    calibrate: Any = cv2.stereoCalibrateExtended  # its types ask for single arguments
    found = calibrate(points, left[0], right[0], *known, flags=flags)
    poses = [(np.asarray(turn), np.asarray(move)) for turn, move in zip(*found[9:11], strict=True)]
    return np.asarray(found[5], np.float64), np.asarray(found[6], np.float64).ravel(), poses


def _for_pinhole(camera: Camera, places: Sequence[Points]) -> tuple[Any, Matrix, Matrix]:
    """Convert a camera's corners for functions without support of fisheye cameras.

    Returns:
        The places of the corners for every view, matrix and distortion.
    """
    if camera.model != "fisheye":
        return places, camera.matrix, camera.coefficients
    return [flattened(camera, view) for view in places], camera.matrix, np.zeros(4)


def levelled(rig: Rig) -> tuple[Matrix, Matrix]:
    """Compute the rotations (3, 3) that rectify both cameras, by OpenCV's rule.

    They depend on rotation and translation only, not on the camera matrices.
    """
    import cv2

    matrix, straight = np.diag([rig.left.focal, rig.left.focal, 1.0]), np.zeros(4)
    known = (matrix, straight, matrix, straight, rig.size, rig.rotation)
    left, right, *_ = cv2.stereoRectify(*known, rig.translation.reshape(3, 1))
    return np.asarray(left, np.float64), np.asarray(right, np.float64)


def flattened(
    camera: Camera, places: Points, turned: Matrix | None = None, projection: Matrix | None = None
) -> Points:
    """Map places in an image to those in an undistorted pinhole camera: (N, 2) pixels.

    Args:
        turned: (3, 3) from the camera's axes to the pinhole camera's; None: they are the same.
        projection: (3, 3) or (3, 4) of the pinhole camera; None: the camera's own matrix.
    """
    import cv2

    given = np.asarray(places, np.float64).reshape(-1, 1, 2)
    turn = np.eye(3) if turned is None else turned
    matrix = (camera.matrix if projection is None else projection)[:, :3]
    enough = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 100, 1e-9)
    known = (camera.matrix, camera.coefficients)
    found: Any
    if camera.model == "fisheye":
        found = cv2.fisheye.undistortPoints(given, *known, None, turn, matrix, enough)
    elif hasattr(cv2, "undistortPointsIter"):  # before OpenCV 5
        found = cv2.undistortPointsIter(given, *known, turn, matrix, enough)
    else:
        found = cv2.undistortPoints(given, *known, None, turn, matrix, enough)
    return np.asarray(found, np.float32).reshape(-1, 2)


def distances(camera: Camera, points: Points, pose: Pose, places: Points) -> Matrix:
    """Compute the reprojection errors of corners: (N,) pixels.

    Args:
        points: (N, 3) on the board.
        pose: of the board in the camera's coordinates.
        places: (N, 2) in the image.
    """
    import cv2

    project = cv2.fisheye.projectPoints if camera.model == "fisheye" else cv2.projectPoints
    given = np.asarray(points, np.float64).reshape(-1, 1, 3)
    seen, _ = project(given, *pose, camera.matrix, camera.coefficients)
    return np.asarray(np.linalg.norm(seen.reshape(-1, 2) - places, axis=1), np.float64)


def _tilt(poses: Sequence[Pose]) -> float:
    """Compute the largest angle between the planes of boards, in degrees."""
    import cv2

    normals = np.array([cv2.Rodrigues(turn)[0][:, 2] for turn, _ in poses])
    return float(np.degrees(np.arccos(np.clip(normals @ normals.T, -1, 1)).max()))


def _fit_pinhole(
    points: Sequence[Points], places: Sequence[Points], size: tuple[int, int], model: Model
) -> tuple[Camera, list[Pose], float]:
    import cv2

    flags = cv2.CALIB_RATIONAL_MODEL if model == "rational" else 0
    _, matrix, distortion, turns, moves, spread, *_ = cv2.calibrateCameraExtended(
        points, places, size, None, None, flags=flags
    )
    coefficients = tuple(np.asarray(distortion).ravel().tolist()[: COEFFICIENTS[model]])
    mean = float(np.mean(np.asarray(spread).ravel()[:2]))
    camera = Camera(np.asarray(matrix, np.float64), coefficients, model)
    return camera, list(zip(turns, moves, strict=True)), mean


def _fit_fisheye(
    points: Sequence[Points], places: Sequence[Points], size: tuple[int, int], model: Model
) -> tuple[Camera, list[Pose], float]:
    import cv2

    flags = _fisheye_flag("CALIB_RECOMPUTE_EXTRINSIC") | _fisheye_flag("CALIB_FIX_SKEW")
    _, matrix, distortion, turns, moves = cv2.fisheye.calibrate(
        [np.asarray(view, np.float64).reshape(1, -1, 3) for view in points],
        [np.asarray(view, np.float64).reshape(1, -1, 2) for view in places],
        size,
        np.zeros((3, 3)),
        np.zeros((4, 1)),
        flags=flags,
    )
    coefficients = tuple(np.asarray(distortion).ravel().tolist())
    camera = Camera(np.asarray(matrix, np.float64), coefficients, model)
    return camera, list(zip(turns, moves, strict=True)), math.nan


def _fisheye_flag(name: str) -> int:
    """Return a flag of the fisheye functions, which OpenCV before 5 has in ``cv2.fisheye``."""
    import cv2

    return int(getattr(cv2.fisheye, name, None) or getattr(cv2, name))


def _moved(rotation: Matrix, translation: Matrix, pose: Pose) -> Pose:
    """Compute a board's pose in the right camera from its pose in the left camera."""
    import cv2

    turned = rotation @ cv2.Rodrigues(pose[0])[0]
    moved = rotation @ pose[1].ravel() + translation
    return np.asarray(cv2.Rodrigues(turned)[0], np.float64), np.asarray(moved, np.float64)
