"""A source whose views are turned, and how it is rectified: for what must cope with a rig."""

import cv2
import numpy as np

from wheatstone.viewer.io.cameras.rectification import RawPair, Rectification, map_of
from wheatstone.viewer.io.cameras.rig import Camera
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.io.sources.scene import Scene

PLAIN = Camera(np.eye(3))


class TurnedScene(Source):
    """A built-in scene, each of its views turned about the image's middle."""

    name, rate, length = "turned", 0.0, 1

    def __init__(self, width: int, height: int, degrees: float = 2.0, *, colour: bool = True):
        self.width, self.height = width, height
        self.ideal = Scene("corridor", 0, (width, height)).render(0)
        assert self.ideal.right is not None and self.ideal.calibration is not None
        views, maps = [], []
        for pixels, angle in ((self.ideal.left, -1.0), (self.ideal.right, degrees)):
            view = pixels if colour else cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
            turn = np.eye(3)
            turn[:2] = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
            turned = cv2.warpPerspective(view, turn, (width, height), flags=cv2.INTER_CUBIC)
            views.append(np.asarray(turned, np.uint8))
            back = np.linalg.inv(turn).astype(np.float64)
            maps.append(map_of(PLAIN, back, np.eye(3), width, height))
        self.rectification = Rectification(maps[0], maps[1], self.ideal.calibration, "test")
        raw = RawPair(views[0], views[1], self.rectification)
        self._frame = Frame.of_raw(raw, 0, self.ideal.truth, self.ideal.occluded)

    def frame(self, index: int) -> Frame:
        """Make the frame."""
        return self._frame

    def ready(self, index: int) -> bool:
        """Tell that it is."""
        return True

    def close(self) -> None:
        """Do nothing."""
