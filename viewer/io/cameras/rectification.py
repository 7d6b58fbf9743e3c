"""Rectification of a pair by maps from each rectified pixel to its place in the original view.

The maps are made once per calibration, on the host, by OpenCV in double precision and stored as
fixed-point numbers; they are applied in integer arithmetic, with the same result on every device.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.pipelines.rectify import FRACTION, OUTSIDE
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.rig import Camera, Matrix, contiguous
from wheatstone.viewer.io.footage.planes import AnyView, pixels_of

FAR = -(2**14)
"""Column and row that mark all places this far or farther from the view, where pixels are 0."""


@dataclass(frozen=True, eq=False)
class ViewMap:
    """The map of a rectified view: the position of each of its pixels in the original view.

    Attributes:
        place: (H, W, 2) int16, column and row of the pixel to its upper left.
        fraction: (H, W) uint16, the distance from it: 1/32 columns in the lowest 5 bits, above them
            1/32 rows; as in OpenCV's ``CV_16SC2`` maps.
    """

    place: NDArray[np.int16]
    fraction: NDArray[np.uint16]

    @cached_property
    def displacement(self) -> NDArray[np.int16]:
        """Compute each position minus its pixel: the displacement image that ``rectify`` reads.

        (H, W, 2) in columns and rows, in 1/32 pixel; the smallest number for places outside the
        view.

        Raises:
            ValueError: the offset of a place inside the view is too large.
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
        """Mark the pixels whose source position lies in or next to the original view."""
        height, width = self.fraction.shape
        x, y = self.place[..., 0], self.place[..., 1]
        inside: NDArray[np.bool_] = (x >= -1) & (x < width) & (y >= -1) & (y < height)
        return inside

    @cached_property
    def outside(self) -> float:
        """Compute the share of pixels whose position is outside the original view."""
        return 1 - float(self._inside.mean())

    def at(self, row: int, column: int) -> tuple[float, float]:
        """Return the position (row, column) of a rectified pixel in the original view."""
        x, y = self.place[row, column]
        fraction = int(self.fraction[row, column])
        return float(y) + (fraction >> 5) / FRACTION, float(x) + (fraction & 31) / FRACTION


@dataclass(frozen=True, eq=False)
class Rectification:
    """The rectification maps of a pair, and the calibration of the rectified pair.

    One object per calibration and size: its identity shows whether its maps are uploaded already.

    Attributes:
        left, right: the views' maps, of the height and width of the rectified views.
        calibration: of the rectified pair.
        origin: its source in a word for the user, such as ``rig.toml`` or ``auto``.
        disparities: the first disparity to be searched, and how many; None if they are not
            known.
        facts: properties of the unrectified cameras, for people: names and values.
    """

    left: ViewMap
    right: ViewMap
    calibration: Calibration
    origin: str = ""
    disparities: tuple[int, int] | None = None
    facts: tuple[tuple[str, str], ...] = ()


def apply_map(pixels: NDArray[np.uint8], view: ViewMap) -> NDArray[np.uint8]:
    """Rectify a view on the host, with the result of the stage ``rectify``: bilinear, 0 outside.

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
    """Both views of a pair as they were taken, and their rectification.

    Attributes:
        left_view, right_view: pixels, or the planes of decoded video.
    """

    left_view: AnyView
    right_view: AnyView
    rectification: Rectification

    @property
    def left(self) -> NDArray[np.uint8]:
        """Return the left view: (H, W) grey levels or (H, W, 3) RGB, not rectified."""
        return pixels_of(self.left_view)

    @property
    def right(self) -> NDArray[np.uint8]:
        """Return the right view: (H, W) grey levels or (H, W, 3) RGB, not rectified."""
        return pixels_of(self.right_view)

    def pixel(self, side: int, row: int, column: int) -> NDArray[np.uint8]:
        """Rectify a single pixel of the left (0) or right (1) view: one grey level or (3,) RGB."""
        view = (self.rectification.left, self.rectification.right)[side]
        one = slice(row, row + 1), slice(column, column + 1)
        pixels = (self.left_view, self.right_view)[side]
        single = ViewMap(view.place[one], view.fraction[one])
        pixel: NDArray[np.uint8] = apply_map(pixels_of(pixels), single)[0, 0]
        return pixel

    @cached_property
    def rectified(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return both rectified views, computed on the host at the first access."""
        maps = self.rectification
        return apply_map(self.left, maps.left), apply_map(self.right, maps.right)


def map_of(camera: Camera, turned: Matrix, projection: Matrix, width: int, height: int) -> ViewMap:
    """Make the rectification map of one view, ``width`` x ``height``.

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
    axes, inner = contiguous(turned), contiguous(projection[:, :3])
    seen = camera.matrix, camera.coefficients, axes, inner, (width, height)
    place, fraction = (np.ascontiguousarray(part) for part in make(*seen, cv2.CV_16SC2))
    columns, rows = make(*seen, cv2.CV_32FC1)
    # What lies farther than 16 bits reach would come back into the view from its other side.
    far = ~((np.abs(columns) < -FAR) & (np.abs(rows) < -FAR))
    place[far], fraction[far] = FAR, 0
    return ViewMap(place, fraction)
