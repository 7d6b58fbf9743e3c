"""Joint refinement of two cameras, their relative pose and all board poses.

Minimises the reprojection errors of all corners in both images. The Huber loss limits the influence
of single corners that are wrong, such as those next to a reflection. Board poses are eliminated
from the normal equations (Schur complement), so that the time is linear in the number of views.

Source: Triggs et al., "Bundle Adjustment - A Modern Synthesis", 1999, sections 3, 4 and 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.cameras.rig import Camera, Matrix, Rig

HUBER = 2.5
"""Errors above this number of standard deviations have linear instead of quadratic loss."""
RAYLEIGH_MEDIAN = 1.1774
"""Median length of errors whose coordinates have standard deviation 1."""
LEAST_SCALE = 0.01
"""Minimum standard deviation of corners in pixels, for pictures without noise."""
ROUNDS, STEPS = 4, 60
"""Estimates of the scale of the errors, and steps for each."""
ENOUGH = 1e-12
"""Relative decrease of the loss at which it has converged."""
FIRST_DAMPING, MOST_DAMPING = 1e-4, 1e8
POSE = 6
"""Parameters of a pose: rotation vector and translation."""
Points = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class BoardObservation:
    """The corners of a board in both images of a pair; each may show different corners.

    Attributes:
        points: (N, 3) for each image, the corners on the board.
        places: (N, 2) for each image, the corners in the image.
    """

    points: tuple[Points, Points]
    places: tuple[Points, Points]


@dataclass(frozen=True, eq=False)
class BoardPose:
    """A rotation matrix (3, 3) and a translation (3,), from a board to the left camera."""

    rotation: Matrix
    translation: Matrix

    def moved(self, step: Matrix) -> "BoardPose":
        """Return the pose after a small rotation, about the origin of the board, and shift."""
        import cv2

        turned = np.asarray(cv2.Rodrigues(step[:3])[0], np.float64) @ self.rotation
        return BoardPose(turned, self.translation + step[3:])


@dataclass(frozen=True, eq=False)
class AdjustedRig:
    """A refined rig, the board's pose in every view, and the errors of the corners.

    Attributes:
        errors: for every view, the reprojection errors (N,) in pixels in each image.
        limited: number of corners with linear loss.
        covariance: (S, S) of the parameters that all views share: fx, fy, cx, cy and distortion of
            the left camera, then of the right one, rotation vector in radians, translation; NaN if
            the views do not determine them.
    """

    rig: Rig
    poses: tuple[BoardPose, ...]
    errors: tuple[tuple[Matrix, Matrix], ...]
    limited: int
    covariance: Matrix


@dataclass(frozen=True, eq=False)
class _Equations:
    """Normal equations of the adjustment, in blocks for shared parameters and for each board pose.

    Attributes:
        shared: (S, S); ``mixed`` (V, S, 6); ``own`` (V, 6, 6).
        right_shared: (S,); ``right_own`` (V, 6): the right-hand sides.
    """

    shared: Matrix
    mixed: Matrix
    own: Matrix
    right_shared: Matrix
    right_own: Matrix

    def solved(self, damping: float) -> tuple[Matrix, Matrix]:
        """Solve for the changes of the shared parameters (S,) and of the board poses (V, 6)."""
        own = self.own + damping * _diagonals(self.own)
        shared = self.shared + damping * _diagonals(self.shared[None])[0]
        both = np.linalg.solve(own, np.dstack([self.mixed.transpose(0, 2, 1), self.right_own]))
        reduced = shared - np.einsum("vsp,vpt->st", self.mixed, both[..., :-1])
        right = self.right_shared - np.einsum("vsp,vp->s", self.mixed, both[..., -1])
        step = _solved(reduced, right)
        return step, both[..., -1] - both[..., :-1] @ step

    def covariance(self, variance: float) -> Matrix:
        """Compute the shared parameters' covariance (S, S) from a corner coordinate's variance."""
        eliminated = np.linalg.solve(self.own, self.mixed.transpose(0, 2, 1))
        reduced = self.shared - np.einsum("vsp,vpt->st", self.mixed, eliminated)
        return variance * _solved(reduced, np.eye(len(reduced)))


def adjust_rig(
    rig: Rig, poses: Sequence[BoardPose], views: Sequence[BoardObservation]
) -> AdjustedRig:
    """Refine a rig and the board's poses jointly by all corners of all views.

    Args:
        rig: near the solution; of the same distortion model in both cameras.
        poses: of the board in each view, near the solution.

    Raises:
        LinAlgError: the views do not determine the rig.
    """
    poses, scale = list(poses), np.inf
    for _ in range(ROUNDS):
        before, scale = scale, _scale(_residuals(rig, poses, views))
        rig, poses = _converged(rig, poses, views, scale)
        if abs(scale - before) < 1e-6 * scale:
            break
    residuals = _residuals(rig, poses, views)
    lengths = np.concatenate([np.hypot(*off.T) for both in residuals for off in both])
    equations = _equations(rig, poses, views, scale)
    weight = float(_weights(lengths, scale) @ lengths**2)
    free = 2 * len(lengths) - len(equations.shared) - POSE * len(poses)
    try:
        covariance = equations.covariance(weight / max(free, 1))
    except np.linalg.LinAlgError:
        covariance = np.full_like(equations.shared, np.nan)
    errors = tuple((np.hypot(*left.T), np.hypot(*right.T)) for left, right in residuals)
    limited = int((lengths > HUBER * scale).sum())
    return AdjustedRig(rig, tuple(poses), errors, limited, covariance)


def _converged(
    rig: Rig, poses: list[BoardPose], views: Sequence[BoardObservation], scale: float
) -> tuple[Rig, list[BoardPose]]:
    """Minimise the loss over the rig and the poses by the Levenberg-Marquardt method."""
    damping, loss = FIRST_DAMPING, _loss(_residuals(rig, poses, views), scale)
    for _ in range(STEPS):
        equations, gain = _equations(rig, poses, views, scale), 0.0
        while damping < MOST_DAMPING:
            shared, own = equations.solved(damping)
            new_rig = _moved(rig, shared)
            new_poses = [pose.moved(step) for pose, step in zip(poses, own, strict=True)]
            new_loss = _loss(_residuals(new_rig, new_poses, views), scale)
            if new_loss <= loss:
                gain = loss - new_loss
                rig, poses, loss = new_rig, new_poses, new_loss
                damping = max(damping / 10, 1e-12)
                break
            damping *= 10
        if gain <= ENOUGH * loss:
            break
    return rig, poses


def _residuals(
    rig: Rig, poses: Sequence[BoardPose], views: Sequence[BoardObservation]
) -> list[tuple[Matrix, Matrix]]:
    """Compute predicted minus detected positions, (N, 2), for each view in both images."""

    def off(camera: Camera, points: Matrix, places: Points) -> Matrix:
        return project_points(camera, points)[0] - places

    residuals = []
    for pose, view in zip(poses, views, strict=True):
        left, right = (points @ pose.rotation.T + pose.translation for points in view.points)
        right = right @ rig.rotation.T + rig.translation
        residuals.append(
            (off(rig.left, left, view.places[0]), off(rig.right, right, view.places[1]))
        )
    return residuals


def _equations(
    rig: Rig, poses: Sequence[BoardPose], views: Sequence[BoardObservation], scale: float
) -> _Equations:
    """Compute the normal equations of all views, with corners weighted by Huber's loss."""
    parts = [_of_view(rig, pose, view, scale) for pose, view in zip(poses, views, strict=True)]
    shared, right = (reduce(np.add, [part[index] for part in parts]) for index in (0, 3))
    mixed, own, right_own = (np.stack([part[index] for part in parts]) for index in (1, 2, 4))
    return _Equations(shared, mixed, own, right, right_own)


def _of_view(
    rig: Rig, pose: BoardPose, view: BoardObservation, scale: float
) -> tuple[Matrix, Matrix, Matrix, Matrix, Matrix]:
    """Compute the terms of one view in the normal equations, in the order of ``_Equations``."""
    count = 4 + len(rig.left.distortion)
    rows_shared, rows_own, rows_off = [], [], []
    for side, (camera, points, places) in enumerate(
        zip(rig.cameras, view.points, view.places, strict=True)
    ):
        turned = points @ pose.rotation.T
        at = turned + pose.translation
        away = at @ rig.rotation.T if side else at
        seen, by_point, by_camera = project_points(camera, away + rig.translation * side)
        to_left = by_point @ rig.rotation if side else by_point
        own = np.concatenate([_by_turn(to_left, turned), to_left], axis=2)
        shared = np.zeros((len(points), 2, 2 * count + POSE))
        shared[..., side * count : (side + 1) * count] = by_camera
        if side:
            shared[..., -POSE:-3], shared[..., -3:] = _by_turn(by_point, away), by_point
        off = seen - places
        weight = np.sqrt(_weights(np.hypot(*off.T), scale))[:, None]
        rows_off.append((-off * weight).ravel())
        rows_shared.append((shared * weight[..., None]).reshape(-1, shared.shape[2]))
        rows_own.append((own * weight[..., None]).reshape(-1, POSE))
    s, p, r = np.concatenate(rows_shared), np.concatenate(rows_own), np.concatenate(rows_off)
    return s.T @ s, s.T @ p, p.T @ p, s.T @ r, p.T @ r


def project_points(camera: Camera, points: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Project points (N, 3) from camera coordinates to pixels; also return the derivatives.

    Returns:
        The places (N, 2), and their derivatives by the point (N, 2, 3) and by fx, fy, cx, cy and
        the distortion (N, 2, 4 + D).
    """
    import cv2

    project = cv2.fisheye.projectPoints if camera.model == "fisheye" else cv2.projectPoints
    given, still = points.reshape(-1, 1, 3), np.zeros(3)
    seen, slopes = project(given, still, still, camera.matrix, camera.coefficients)
    by = np.asarray(slopes, np.float64).reshape(len(points), 2, -1)
    if camera.model == "fisheye":
        return seen.reshape(-1, 2), by[..., 11:14], by[..., :8]
    return seen.reshape(-1, 2), by[..., 3:6], by[..., 6:]


def _by_turn(by_point: Matrix, turned: Matrix) -> Matrix:
    """Compute derivatives (N, 2, 3) of pixels with respect to a small rotation of rotated points.

    ``by_point``: derivatives by the points; ``turned``: the points after the rotation.
    """
    (x, y, z), (u, v, w) = turned.T[..., None], np.moveaxis(by_point, 2, 0)
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=2)  # np.cross, but fast


def _moved(rig: Rig, step: Matrix) -> Rig:
    """Return the rig after a change ``step`` of its parameters in the adjustment."""
    import cv2

    count = 4 + len(rig.left.distortion)
    cameras = []
    for number, camera in enumerate(rig.cameras):
        one = step[number * count : (number + 1) * count]
        matrix = camera.matrix.copy()
        matrix[(0, 1, 0, 1), (0, 1, 2, 2)] += one[:4]
        distortion = tuple((camera.coefficients + one[4:]).tolist())
        cameras.append(replace(camera, matrix=matrix, distortion=distortion))
    turned = np.asarray(cv2.Rodrigues(step[-POSE:-3])[0], np.float64) @ rig.rotation
    moved = rig.translation + step[-3:]
    return replace(rig, left=cameras[0], right=cameras[1], rotation=turned, translation=moved)


def _scale(residuals: Sequence[tuple[Matrix, Matrix]]) -> float:
    """Estimate the standard deviation of corner coordinates from the median reprojection error."""
    lengths = np.concatenate([np.hypot(*off.T) for both in residuals for off in both])
    return max(float(np.median(lengths)) / RAYLEIGH_MEDIAN, LEAST_SCALE)


def _weights(lengths: Matrix, scale: float) -> Matrix:
    bound = HUBER * scale
    return np.asarray(bound / np.maximum(lengths, bound), np.float64)


def _loss(residuals: Sequence[tuple[Matrix, Matrix]], scale: float) -> float:
    """Compute the sum of Huber's loss over all corners; infinite if a projection is not finite."""
    lengths = np.concatenate([np.hypot(*off.T) for both in residuals for off in both])
    bound = HUBER * scale
    near = np.minimum(lengths, bound)
    total = float(np.sum(near**2 + 2 * bound * (lengths - near)))
    return total if np.isfinite(total) else np.inf


def _diagonals(blocks: Matrix) -> Matrix:
    """Return copies of matrices (V, N, N) with zeros outside their diagonals."""
    return np.asarray(blocks * np.eye(blocks.shape[1]), np.float64)


def _solved(matrix: Matrix, right: Matrix) -> Matrix:
    """Solve symmetric equations, scaled because their unknowns have very different units."""
    size = 1 / np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    scaled = matrix * size[:, None] * size
    sides = right * size if right.ndim == 1 else right * size[:, None]
    solution = np.linalg.solve(scaled, sides)
    return np.asarray(solution * (size if right.ndim == 1 else size[:, None]), np.float64)
