"""A source whose right view is turned, and how it is rectified: for what must cope with a rig."""

from collections.abc import Mapping

import cv2
import numpy as np

from viewer.cameras.rectification import RawPair, Rectification, map_of
from viewer.cameras.rig import Camera
from viewer.sources.frame import Frame
from viewer.sources.scene import Scene

PLAIN = Camera(np.eye(3))


class TurnedScene:
    """A built-in scene, its right view turned about the image's middle, and moved."""

    name, rate, length = "turned", 0.0, 1
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, str | int] = {}
    rectification: Rectification | None

    def __init__(self, width: int, height: int, degrees: float = 2.0, *, colour: bool = True):
        self.width, self.height = width, height
        self.ideal = Scene("corridor", 0, (width, height)).render(0)
        turn = np.vstack(
            [cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0), [0, 0, 1]]
        )
        assert self.ideal.right is not None and self.ideal.calibration is not None
        views = [self.ideal.left, self.ideal.right]
        views = views if colour else [cv2.cvtColor(v, cv2.COLOR_RGB2GRAY) for v in views]
        turned = cv2.warpPerspective(views[1], turn, (width, height), flags=cv2.INTER_CUBIC)
        maps = [
            map_of(PLAIN, back, np.eye(3), width, height)
            for back in (np.eye(3), np.linalg.inv(turn))
        ]
        self.rectification = Rectification(maps[0], maps[1], self.ideal.calibration, "test")
        self._raw = RawPair(views[0], np.asarray(turned, np.uint8), self.rectification)

    def frame(self, index: int) -> Frame:
        """Make the frame."""
        return self._frame

    @property
    def _frame(self) -> Frame:
        if not hasattr(self, "_made"):
            self._made = Frame.of_raw(self._raw, 0, self.ideal.truth, self.ideal.occluded)
        return self._made

    def ready(self, index: int) -> bool:
        """Tell that it is."""
        return True

    def close(self) -> None:
        """Do nothing."""
