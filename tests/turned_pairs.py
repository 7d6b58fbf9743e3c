"""Pairs of a built-in scene as cameras see them that are not side by side."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from wheatstone.viewer.cameras.rig import Matrix
from wheatstone.viewer.sources.grey import grey_levels
from wheatstone.viewer.sources.scene import Scene

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


def turned(degrees: float, scale: float, down: float) -> Matrix:
    """Turn around the middle of the image."""
    found = np.eye(3)
    found[:2] = cv2.getRotationMatrix2D(((WIDTH - 1) / 2, (HEIGHT - 1) / 2), degrees, scale)
    found[1, 2] += down
    return found


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
