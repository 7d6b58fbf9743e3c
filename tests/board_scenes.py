"""A made rig that looks at boards: pictures of which every number is known."""

from dataclasses import dataclass
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
    listed = []
    for index in range(count):
        x, y = across[index % len(across)], down[index // len(across) % len(down)]
        turned = turn(*random.uniform(-0.45, 0.45, 2), random.normal(0, 0.1))
        listed.append((turned, np.array([x, y, random.uniform(0.4, 0.55)])))
    return listed


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
    points = straighten.undistortPoints(pixels, camera.matrix, camera.coefficients)
    ahead = np.ones((height * FINE, width * FINE, 1))
    return np.concatenate([points.reshape(*x.shape, 2), ahead], axis=-1).astype(np.float32)


@dataclass(frozen=True)
class Flaws:
    """What real photographs of boards suffer from; pixels and grey levels.

    Attributes:
        blur: largest standard deviation of the lens's blur; each view has its own.
        shake: longest motion blur.
        noise: standard deviation of the sensor's noise.
        glare: brightness in the middle of a reflection on the board; above 115 it hides corners.
        shading: share by which the light falls off from one side to the other.
        tilt: largest angle of the boards, in radians about each axis.
    """

    blur: float = 1.3
    shake: float = 2.0
    noise: float = 4.0
    glare: float = 150.0
    shading: float = 0.4
    tilt: float = 0.75


def hard_poses(count: int, seed: int, flaws: Flaws) -> list[Pose]:
    """Boards all over the picture, tilted more and farther away than those of ``poses``."""
    random = np.random.default_rng(seed)
    listed = []
    for index, (_, middle) in enumerate(poses(count, seed)):
        strength = (0.4, 0.7, 1.0)[index % 3]
        angle = random.uniform(0, 2 * np.pi)
        axis = np.array([np.cos(angle), np.sin(angle), 0.0])
        rotation = turn(*(axis * strength * flaws.tilt)) @ turn(0, 0, random.normal(0, 0.15))
        listed.append((rotation, middle * np.array([1.1, 1.1, random.uniform(1.0, 1.5)])))
    return listed


def flawed(grey: NDArray[np.uint8], flaws: Flaws, seed: int) -> NDArray[np.uint8]:
    """A picture with uneven light, a reflection, blur, shake and noise, of a size by chance."""
    import cv2

    random = np.random.default_rng(seed)
    height, width = grey.shape
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    angle, reach = random.uniform(0, 2 * np.pi), 0.5 * float(np.hypot(width, height))
    across = (np.cos(angle) * (x - width / 2) + np.sin(angle) * (y - height / 2)) / reach
    light = grey * (0.85 - 0.5 * flaws.shading * (1 + across) * random.uniform(0.3, 1))
    at = random.uniform(0.25, 0.75, 2) * (width, height)
    size = random.uniform(0.03, 0.08) * width
    away = ((x - at[0]) ** 2 + (y - at[1]) ** 2) / (2 * size**2)
    light += 30 + flaws.glare * random.uniform(0, 1) * np.exp(-away)
    blurred = cv2.GaussianBlur(light, (0, 0), 0.3 + random.uniform(0, 1) * flaws.blur)
    blurred = cv2.filter2D(blurred, -1, _shaken(flaws.shake * random.uniform(0, 1), random))
    noisy = blurred + random.normal(0, flaws.noise, grey.shape)
    return np.asarray(np.clip(np.rint(noisy), 0, 255), np.uint8)


def _shaken(length: float, random: np.random.Generator) -> NDArray[np.float32]:
    """The kernel of a motion of so many pixels in a direction by chance; its centre stays."""
    import cv2

    angle, side = random.uniform(0, np.pi), 2 * int(np.ceil(length)) + 3
    kernel = np.zeros((side, side), np.float32)
    for share in np.linspace(-0.5, 0.5, 41) * length:
        place = np.eye(2, 3, dtype=np.float32)
        place[:, 2] = np.array([np.cos(angle), np.sin(angle)]) * share
        point = np.zeros((side, side), np.float32)
        point[side // 2, side // 2] = 1
        kernel += cv2.warpAffine(point, place, (side, side))
    return np.asarray(kernel / kernel.sum(), np.float32)


def varied_rig(seed: int, size: tuple[int, int] = (640, 360)) -> Rig:
    """A rig by chance: focal lengths, distortion, baseline and turn differ from rig to rig."""
    random = np.random.default_rng(seed)
    width, height = size

    def one(focal: float) -> Camera:
        x, y = width / 2 + random.uniform(-12, 12), height / 2 + random.uniform(-8, 8)
        lens = (random.uniform(-0.3, 0.05), random.uniform(-0.05, 0.1), *random.normal(0, 5e-4, 2))
        return camera(focal, x, y, *lens, 0.0)

    focal = random.uniform(0.62, 0.85) * width
    left, right = one(focal), one(focal * random.uniform(0.985, 1.015))
    away = np.array([-random.uniform(0.05, 0.12), *random.normal(0, 0.001, 2)])
    return Rig(left, right, turn(*random.normal(0, 0.015, 3)), away, size)
