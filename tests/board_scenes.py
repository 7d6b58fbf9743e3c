"""A made rig that looks at boards: pictures of which every number is known."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.cameras.boards import Board
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, Rig

GROUND = 140
"""Grey level of what is not board."""
MARGIN = 0.3
"""Squares of white paper around a board."""
PIXELS = 60
"""Of a square in the picture of a board."""
FINE = 3
"""Samples across a pixel."""


def camera(focal: float, x: float, y: float, *distortion: float) -> Camera:
    return Camera(np.array([[focal, 0, x], [0, focal, y], [0, 0, 1.0]]), distortion)


def turn(*vector: float) -> Matrix:
    """The rotation about a vector, by as many radians as it is long."""
    import cv2

    return np.asarray(cv2.Rodrigues(np.array(vector))[0], np.float64)


def made_rig(size: tuple[int, int] = (640, 360)) -> Rig:
    """Cameras of 905 and 911 pixels at 1280x720, 65 mm apart and turned, at half their size."""
    left = camera(905, 641, 357, -0.12, 0.05, 0.0005, -0.0003, 0.0).scaled(0.5)
    right = camera(911, 633, 362, -0.11, 0.04, -0.0004, 0.0002, 0.0).scaled(0.5)
    away = np.array([-0.065, 0.0007, 0.001])
    away *= 0.065 / np.linalg.norm(away)
    return Rig(left, right, turn(0.01, -0.015, 0.004), away, size)


def texture(board: Board, pixels: int) -> NDArray[np.uint8]:
    """The board as a picture, a square so many pixels wide."""
    picture = np.full((board.rows * pixels, board.columns * pixels), 255, np.uint8)
    edges = np.cumsum(board.black.reshape(-1, 2, 2), axis=1) * (pixels / board.square)
    for (left, top), (right, bottom) in np.rint(edges).astype(int):
        picture[top:bottom, left:right] = 0
    return picture


Pose = tuple[Matrix, Matrix]
"""Rotation of the board, and the place of its middle, before the left camera."""


MIDDLES = (-0.14, 0.02, 0.15), (-0.07, 0.06)
"""Where the middles of boards are, in metres: across, and down."""


def poses(count: int, seed: int = 4) -> list[Pose]:
    """Boards all over the picture, near and far, turned this way and that."""
    random = np.random.default_rng(seed)
    across, down = MIDDLES
    found = []
    for index in range(count):
        x, y = across[index % len(across)], down[index // len(across) % len(down)]
        turned = turn(*random.uniform(-0.45, 0.45, 2), random.normal(0, 0.1))
        found.append((turned, np.array([x, y, random.uniform(0.4, 0.55)])))
    return found


def seen(rig: Rig, board: Board, pose: Pose) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """What both cameras see of a board."""
    rotation, middle = pose
    assert rig.size
    at = middle - rotation @ np.array([*board.size, 0.0]) / 2
    picture = texture(board, PIXELS)
    left = photographed(picture, board, rig.left, (rotation, at), rig.size)
    there = rig.rotation @ rotation, rig.rotation @ at + rig.translation
    return left, photographed(picture, board, rig.right, there, rig.size)


def photographed(
    picture: NDArray[np.uint8], board: Board, camera: Camera, pose: Pose, size: tuple[int, int]
) -> NDArray[np.uint8]:
    """What a camera sees of a board whose top left corner has a pose."""
    import cv2

    back = np.linalg.inv(np.column_stack([pose[0][:, :2], pose[1]])).astype(np.float32)
    met = rays(camera, size) @ back.T
    scale, margin = np.float32(picture.shape[1] / board.size[0]), round(MARGIN * PIXELS)
    places = met[..., :2] / met[..., 2:] * scale + np.float32(margin - 0.5)
    paper = np.pad(picture, margin, constant_values=255)
    fine = cv2.remap(paper, places, None, cv2.INTER_LINEAR, borderValue=GROUND)
    return np.asarray(cv2.resize(fine, size, interpolation=cv2.INTER_AREA), np.uint8)


@cache
def rays(camera: Camera, size: tuple[int, int]) -> NDArray[np.float32]:
    """Where a camera's pixels look, ``FINE`` times ``FINE`` rays each, with Z = 1."""
    import cv2

    width, height = size
    y, x = np.mgrid[0 : height * FINE, 0 : width * FINE]
    pixels = ((np.stack([x, y], axis=-1) + 0.5) / FINE - 0.5).reshape(-1, 1, 2)
    straighten = cv2.fisheye if camera.model == "fisheye" else cv2
    found = straighten.undistortPoints(pixels, camera.matrix, camera.coefficients)
    ahead = np.ones((height * FINE, width * FINE, 1))
    return np.concatenate([found.reshape(*x.shape, 2), ahead], axis=-1).astype(np.float32)
