"""Fitting of cameras, and of a rig of two, to the board corners in their images."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wheatstone.viewer.io.cameras.bundle_adjustment import (
    AdjustedRig,
    BoardObservation,
    BoardPose,
    Points,
    adjust_rig,
    project_points,
)
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, Model, Rig

Pose = tuple[Matrix, Matrix]
"""Rotation vector and translation, from a board to a camera."""
NO_CAMERA = "no {} camera fits the views; tilt the board more, or try another model"
NO_RIG = "no rig fits the views; give pairs, both images of which were taken at the same moment"
COEFFICIENTS: dict[Model, int] = {"plumb-bob": 5, "rational": 8, "fisheye": 4}
"""The number of distortion coefficients of each model."""
FISHEYE_STARTS = 1 / np.pi, 0.25, 0.5
"""Start focal lengths of fisheye lenses, as shares of the longer side: 180 degrees comes first."""


@dataclass(frozen=True, eq=False)
class CameraFit:
    """A camera's parameters fitted to views of a board, with the board's poses and the errors.

    Attributes:
        poses: of the board in every view.
        errors: for every view (N,) float64, the reprojection error of each corner in pixels.
    """

    camera: Camera
    poses: tuple[Pose, ...]
    errors: tuple[Matrix, ...]


def fit_camera(
    points: Sequence[Points], places: Sequence[Points], size: tuple[int, int], model: Model
) -> CameraFit:
    """Fit a camera's parameters to the corners in views of a calibration board.

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
        camera, poses = fit(points, places, size, model)
        errors = tuple(map(distances, [camera] * len(points), points, poses, places))
    except (cv2.error, np.linalg.LinAlgError) as error:
        raise ValueError(NO_CAMERA.format(model)) from error
    if not (np.isfinite(camera.matrix).all() and np.isfinite(camera.coefficients).all()):
        raise ValueError(NO_CAMERA.format(model))
    return CameraFit(camera, tuple(poses), errors)


def fit_rig(
    left: CameraFit, right: CameraFit, views: Sequence[BoardObservation], size: tuple[int, int]
) -> AdjustedRig:
    """Fit a rig to the views of both its cameras, and refine the cameras jointly with it.

    Args:
        left, right: the cameras, each fitted alone to the same views.
        size: width and height of the images.

    Raises:
        ValueError: the views do not determine a rig.
    """
    import cv2

    try:
        relative = [_between(*both) for both in zip(left.poses, right.poses, strict=True)]
        rig = Rig(left.camera, right.camera, *_typical(relative), size)
        adjusted = adjust_rig(rig, [_board_pose(pose) for pose in left.poses], views)
    except (cv2.error, np.linalg.LinAlgError) as error:
        raise ValueError(NO_RIG) from error
    rig = adjusted.rig
    numbers = (rig.rotation, rig.translation, *(camera.matrix for camera in rig.cameras))
    if not all(np.isfinite(each).all() for each in numbers):
        raise ValueError(NO_RIG)
    return adjusted


def _board_pose(pose: Pose) -> BoardPose:
    import cv2

    turned = np.asarray(cv2.Rodrigues(pose[0])[0], np.float64)
    return BoardPose(turned, np.asarray(pose[1], np.float64).ravel())


def _between(left: Pose, right: Pose) -> tuple[Matrix, Matrix]:
    """Compute rotation and translation from left to right camera, by the board's pose in each."""
    one, other = _board_pose(left), _board_pose(right)
    turned = other.rotation @ one.rotation.T
    return turned, other.translation - turned @ one.translation


def _typical(relative: Sequence[tuple[Matrix, Matrix]]) -> tuple[Matrix, Matrix]:
    """Return the relative pose (rotation, translation) that is closest to those of other views."""
    turns = np.stack([turn for turn, _ in relative]).reshape(len(relative), 9)
    moves = np.stack([move for _, move in relative])
    moves = moves / max(float(np.median(np.linalg.norm(moves, axis=1))), 1e-12)
    both = np.hstack([turns, moves])
    distances = np.linalg.norm(both[:, None] - both[None], axis=2)
    return relative[int(np.argmin(distances.sum(axis=1)))]


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
    """Remove the lens distortion from pixel positions (N, 2): map them to a pinhole camera.

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
    points: Any
    if camera.model == "fisheye":
        points = cv2.fisheye.undistortPoints(given, *known, None, turn, matrix, enough)
    elif hasattr(cv2, "undistortPointsIter"):  # before OpenCV 5
        points = cv2.undistortPointsIter(given, *known, turn, matrix, enough)
    else:
        points = cv2.undistortPoints(given, *known, None, turn, matrix, enough)
    return np.asarray(points, np.float32).reshape(-1, 2)


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


def largest_tilt(poses: Sequence[BoardPose]) -> float:
    """Compute the largest angle between the planes of boards, in degrees."""
    normals = np.array([pose.rotation[:, 2] for pose in poses])
    cosines = np.abs(normals @ normals.T)  # a mirrored chessboard is seen from its back
    return float(np.degrees(np.arccos(np.clip(cosines, 0, 1)).max()))


def _fit_pinhole(
    points: Sequence[Points], places: Sequence[Points], size: tuple[int, int], model: Model
) -> tuple[Camera, list[Pose]]:
    import cv2

    flags = cv2.CALIB_RATIONAL_MODEL if model == "rational" else 0
    _, matrix, distortion, turns, moves = cv2.calibrateCamera(
        points, places, size, None, None, flags=flags
    )
    coefficients = tuple(np.asarray(distortion).ravel().tolist()[: COEFFICIENTS[model]])
    camera = Camera(np.asarray(matrix, np.float64), coefficients, model)
    return camera, list(zip(turns, moves, strict=True))


def _fit_fisheye(
    points: Sequence[Points], places: Sequence[Points], size: tuple[int, int], model: Model
) -> tuple[Camera, list[Pose]]:
    """Fit a fisheye camera, starting from the best of several focal lengths.

    OpenCV's own fit computes poses from a plane, which corners near 90 degrees from the axis leave.
    """
    import cv2

    starts = [_fisheye_start(points, places, size, share) for share in FISHEYE_STARTS]
    camera, poses = min(starts, key=lambda start: _median_error(start[0], start[1], points, places))
    # A rig that sees the same image twice is fitted as one camera.
    twice = [BoardObservation((p, p), (q, q)) for p, q in zip(points, places, strict=True)]
    same = Rig(camera, camera, np.eye(3), np.zeros(3), size)
    adjusted = adjust_rig(same, poses, twice)
    turns = [np.asarray(cv2.Rodrigues(pose.rotation)[0], np.float64) for pose in adjusted.poses]
    moves = [pose.translation.reshape(3, 1) for pose in adjusted.poses]
    return adjusted.rig.left, list(zip(turns, moves, strict=True))


def _fisheye_start(
    points: Sequence[Points], places: Sequence[Points], size: tuple[int, int], share: float
) -> tuple[Camera, list[BoardPose]]:
    """Estimate a fisheye camera without distortion, and the pose of the board in every view.

    Args:
        share: the focal length divided by the longer side; the principal point is the centre.
    """
    focal, (x, y) = max(size) * share, ((side - 1) / 2 for side in size)
    camera = Camera(np.array([[focal, 0, x], [0, focal, y], [0, 0, 1]]), model="fisheye")
    poses = []
    for board, seen in zip(points, places, strict=True):
        off = (seen - (x, y)) / focal
        angles = np.linalg.norm(off, axis=1, keepdims=True)
        poses.append(
            _pose_by_rays(board, np.hstack([off * np.sinc(angles / np.pi), np.cos(angles)]))
        )
    return camera, poses


def _pose_by_rays(points: Points, rays: Matrix) -> BoardPose:
    """Compute a board's pose from the rays of its corners, which may point in any direction.

    The homography from the board to the rays solves linear equations: the cross product of each ray
    and its corner is zero.

    Args:
        points: (N, 3) on the board.
        rays: (N, 3) unit vectors in the camera's coordinates.
    """
    middle, size = points[:, :2].mean(axis=0), float(np.ptp(points[:, :2]))
    flat = np.column_stack([(points[:, :2] - middle) / size, np.ones(len(points))])
    products = np.cross(rays[:, None, :], np.eye(3)[None])  # rows: ray x axis
    rows = np.einsum("nij,nk->njik", products, flat).reshape(-1, 9)
    plane = np.linalg.svd(rows)[2][-1].reshape(3, 3)
    if np.median(np.einsum("ni,ij,nj->n", rays, plane, flat)) < 0:
        plane = -plane
    across, down, centre = plane.T
    length = (np.linalg.norm(across) + np.linalg.norm(down)) / 2
    axes = np.column_stack([across, down, np.cross(across, down) / length]) / length
    left, _, right = np.linalg.svd(axes)
    rotation = left @ right
    moved = centre * (size / length) - rotation[:, :2] @ middle
    return BoardPose(rotation, moved)


def _median_error(
    camera: Camera,
    poses: Sequence[BoardPose],
    points: Sequence[Points],
    places: Sequence[Points],
) -> float:
    off = [
        project_points(camera, board @ pose.rotation.T + pose.translation)[0] - seen
        for pose, board, seen in zip(poses, points, places, strict=True)
    ]
    return float(np.median(np.linalg.norm(np.concatenate(off), axis=1)))
