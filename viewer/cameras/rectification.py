"""Rectify a pair: for every pixel of the rectified views, the place in the view as it was taken.

The maps are made once a calibration, on the host, by OpenCV in double precision and stored as
fixed-point numbers; what is made of them is integer arithmetic, the same on every device.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.rectify.images import FRACTION, OUTSIDE
from wheatstone.viewer.cameras.calibration import Calibration
from wheatstone.viewer.cameras.rig import Camera, Matrix
from wheatstone.viewer.footage.planes import AnyView, pixels_of

FAR = -(2**14)
"""Column and row that stand for all places as far from the view: nothing is there."""


@dataclass(frozen=True, eq=False)
class ViewMap:
    """Tell where every pixel of a rectified view lies in the view as it was taken.

    Attributes:
        place: (H, W, 2) int16, column and row of the pixel to its upper left.
        fraction: (H, W) uint16, how far beyond: 1/32 columns in the lowest 5 bits, above them 1/32
            rows; as OpenCV's ``CV_16SC2`` maps.
    """

    place: NDArray[np.int16]
    fraction: NDArray[np.uint16]

    @cached_property
    def displacement(self) -> NDArray[np.int16]:
        """Compute how far every place is from its pixel, as stage ``rectify`` takes it.

        (H, W, 2) in columns and rows, in 1/32 pixel; the smallest number where the place is too
        far to be named, which must be outside.

        Raises:
            ValueError: a place in the view is too far.
        """
        height, width = self.fraction.shape
        fractions = np.stack([self.fraction & (FRACTION - 1), self.fraction >> 5], -1)
        pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), -1)
        steps = (self.place - pixels.astype(np.int32)) * FRACTION + fractions
        far = ((steps <= OUTSIDE) | (steps > -OUTSIDE - 1)).any(-1)
        if (far & self._inside).any():
            raise ValueError(
                f"rectifying would move pixels by more than {-OUTSIDE // FRACTION}: the "
                "calibration does not fit, or the images must be made smaller"
            )
        steps[far | ~self._inside] = OUTSIDE
        return steps.astype(np.int16)

    @property
    def _inside(self) -> NDArray[np.bool_]:
        """Tell of which pixels a part may be seen."""
        height, width = self.fraction.shape
        x, y = self.place[..., 0], self.place[..., 1]
        inside: NDArray[np.bool_] = (x >= -1) & (x < width) & (y >= -1) & (y < height)
        return inside

    @cached_property
    def outside(self) -> float:
        """Compute the share of pixels of which nothing is seen."""
        return 1 - float(self._inside.mean())

    def at(self, row: int, column: int) -> tuple[float, float]:
        """Tell the place (row, column) of a rectified pixel in the view as it was taken."""
        x, y = self.place[row, column]
        fraction = int(self.fraction[row, column])
        return float(y) + (fraction >> 5) / FRACTION, float(x) + (fraction & 31) / FRACTION


@dataclass(frozen=True, eq=False)
class Rectification:
    """How both views of a pair are rectified, and what is known of the pair afterwards.

    One object a calibration and size: who uploaded its maps once knows them by identity.

    Attributes:
        left, right: the views' maps, of one height and width, which the rectified views have.
        calibration: of the rectified pair.
        origin: where it comes from, in a word for the user, such as ``rig.toml`` or ``auto``.
        disparities: the first disparity to be searched, and how many; None where nothing is known
            of them.
        facts: what is known of the cameras as they are, for people: names and values.
    """

    left: ViewMap
    right: ViewMap
    calibration: Calibration
    origin: str = ""
    disparities: tuple[int, int] | None = None
    facts: tuple[tuple[str, str], ...] = ()


def apply_map(pixels: NDArray[np.uint8], view: ViewMap) -> NDArray[np.uint8]:
    """Rectify a view on the host, as stage ``rectify`` does: bilinear, 0 from outside.

    Args:
        pixels: (H, W) or (H, W, C).
    """
    import cv2

    return np.asarray(
        cv2.remap(
            pixels, view.place, view.fraction, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT
        ),
        np.uint8,
    )


@dataclass(frozen=True, eq=False)
class RawPair:
    """Both views as they were taken, and how they are rectified.

    Attributes:
        left_view, right_view: pixels, or what a video decoder gives them by.
    """

    left_view: AnyView
    right_view: AnyView
    rectification: Rectification

    @property
    def left(self) -> NDArray[np.uint8]:
        """Look up the left view: (H, W) grey levels or (H, W, 3) RGB."""
        return pixels_of(self.left_view)

    @property
    def right(self) -> NDArray[np.uint8]:
        """Look up the right view, like ``left``."""
        return pixels_of(self.right_view)

    def pixel(self, side: int, row: int, column: int) -> NDArray[np.uint8]:
        """Rectify a single pixel of the left view, 0, or the right one, 1: one level or three."""
        view = (self.rectification.left, self.rectification.right)[side]
        one = slice(row, row + 1), slice(column, column + 1)
        pixels = (self.left_view, self.right_view)[side]
        single = ViewMap(view.place[one], view.fraction[one])
        found: NDArray[np.uint8] = apply_map(pixels_of(pixels), single)[0, 0]
        return found

    @cached_property
    def rectified(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Rectify both views on the host, when first asked for."""
        maps = self.rectification
        return apply_map(self.left, maps.left), apply_map(self.right, maps.right)


def map_of(camera: Camera, turned: Matrix, projection: Matrix, width: int, height: int) -> ViewMap:
    """Make the map of one view, ``width`` x ``height``.

    Args:
        turned: (3, 3) from the camera's axes to those of the rectified view; any homography, if
            the camera's matrix is the identity.
        projection: (3, 3) or (3, 4) of the rectified view.
    """
    import cv2

    make = (
        cv2.fisheye.initUndistortRectifyMap
        if camera.model == "fisheye"
        else cv2.initUndistortRectifyMap
    )
    seen = camera.matrix, camera.coefficients, turned, projection[:, :3], (width, height)
    place, fraction = (np.ascontiguousarray(part) for part in make(*seen, cv2.CV_16SC2))
    columns, rows = make(*seen, cv2.CV_32FC1)
    # What lies farther than 16 bits reach would come back into the view from its other side.
    far = ~((np.abs(columns) < -FAR) & (np.abs(rows) < -FAR))
    place[far], fraction[far] = FAR, 0
    return ViewMap(place, fraction)


def identity_map(width: int, height: int) -> ViewMap:
    """Make the map that leaves a view as it is."""
    place = np.empty((height, width, 2), np.int16)
    place[..., 0], place[..., 1] = np.arange(width), np.arange(height)[:, None]
    return ViewMap(place, np.zeros((height, width), np.uint16))
