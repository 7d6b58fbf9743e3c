"""Pairs of a built-in scene as cameras see them that are not side by side."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from wheatstone.viewer.io.cameras.rig import Matrix
from wheatstone.viewer.io.cameras.uncalibrated import Uncalibrated
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.io.sources.scene import Scene

WIDTH, HEIGHT = 480, 360
UNTURNED = (0.0, 1.0, 0.0)
TURNED = (3.0, 1.03, 20.0)
"""Degrees counter-clockwise, scale, rows downwards."""


@dataclass(frozen=True, eq=False)
class TurnedPair:
    """Grey views, what was done to each, and the truth of the left one before."""

    left: NDArray[np.uint8]
    right: NDArray[np.uint8]
    moved: tuple[Matrix, Matrix]
    truth: NDArray[np.float32]

    def save(self, folder: Path) -> tuple[str, str]:
        """Write both views as PNG."""
        paths = folder / "left.png", folder / "right.png"
        for path, view in zip(paths, (self.left, self.right), strict=True):
            Image.fromarray(view).save(path)
        return str(paths[0]), str(paths[1])


def turned(
    degrees: float, scale: float, down: float, width: int = WIDTH, height: int = HEIGHT
) -> Matrix:
    """Turn around the middle of the image, counter-clockwise."""
    matrix = np.eye(3)
    matrix[:2] = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), degrees, scale)
    matrix[1, 2] += down
    return matrix


@lru_cache(maxsize=4)
def _scene(name: str, seed: int) -> Scene:
    return Scene(name, seed, (WIDTH, HEIGHT))


def turned_pair(
    scene: str = "garden",
    seed: int = 0,
    right: tuple[float, float, float] = TURNED,
    left: tuple[float, float, float] = UNTURNED,
) -> TurnedPair:
    """Render a scene and turn its views."""
    frame = _scene(scene, seed).render(0)
    assert frame.right is not None and frame.truth is not None
    moved = turned(*left), turned(*right)
    views = [
        np.asarray(cv2.warpPerspective(grey_levels(view), by, (WIDTH, HEIGHT)), np.uint8)
        for view, by in zip((frame.left, frame.right), moved, strict=True)
    ]
    return TurnedPair(views[0], views[1], moved, frame.truth)


def ends(pair: TurnedPair, rectified: Uncalibrated, step: int = 1) -> NDArray[np.float64]:
    """Where the points of all pixels lie in both rectified views, (2, 2, N): column and row.

    Args:
        step: rows and columns from a pixel to the next.
    """
    y, x = np.mgrid[: pair.truth.shape[0] : step, : pair.truth.shape[1] : step].astype(np.float64)
    match = x - pair.truth[::step, ::step]
    seen = match >= 0
    places = []
    for column, moved, view in zip((x, match), pair.moved, rectified.homographies, strict=True):
        point = np.stack([column[seen], y[seen], np.ones(seen.sum())])
        ahead = view @ moved @ point
        places.append(ahead[:2] / ahead[2])
    return np.stack(places)
