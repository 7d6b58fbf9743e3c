"""Match and rectify by OpenCV."""

from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.image import Int16, Uint8
from wheatstone.gpu.pipelines.rectify import OUTSIDE
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

BLOCK = 3
P1, P2 = 8 * BLOCK**2, 32 * BLOCK**2
PREFILTER_CAP = 63


def opencv_sgbm(
    left: Uint8,
    right: Uint8,
    guided: Int16,
    disparities: int,
    min_disparity: int,
    paths: int,
    uniqueness: int,
    lr_check: int,
) -> None:
    """Write the disparity of ``cv2.StereoSGBM``, in mode HH for 8 paths and HH4 for 4.

    OpenCV uses Birchfield and Tomasi's cost, always refines and always smooths by a 3x3
    median, invalid pixels included. It searches no pixel whose range leaves the right view, so the
    first min_disparity + D columns are invalid. An image less than two columns wider than that,
    which mode HH refuses, is invalid everywhere. Its left-right check treats 0 as 1.

    Args:
        left, right: (H, W) grey levels.
        guided: (H, W) disparity in 1/16 pixel, written; invalid is (min_disparity - 1) * 16.
        lr_check: largest difference to the right view's disparity, in pixels; -1: no check.
    """
    if left.shape[1] - (min_disparity + disparities) <= BLOCK // 2:
        guided[:] = (min_disparity - 1) * SUBPIXEL_STEPS
        return
    tolerance = disparities if lr_check < 0 else lr_check  # no two disparities differ by more
    _matcher(disparities, min_disparity, paths, uniqueness, tolerance).compute(left, right, guided)


@lru_cache(maxsize=4)
def _matcher(
    disparities: int, min_disparity: int, paths: int, uniqueness: int, tolerance: int
) -> Any:
    """Create a matcher of OpenCV, cached between frames with the memory that it allocates."""
    return cv2.StereoSGBM.create(
        minDisparity=min_disparity,
        numDisparities=disparities,
        blockSize=BLOCK,
        P1=P1,
        P2=P2,
        disp12MaxDiff=tolerance,
        preFilterCap=PREFILTER_CAP,
        uniquenessRatio=uniqueness,
        mode=cv2.STEREO_SGBM_MODE_HH if paths == 8 else cv2.STEREO_SGBM_MODE_HH4,
    )


def rectify(
    raw_left: Uint8, raw_right: Uint8, left_map: Int16, right_map: Int16, left: Uint8, right: Uint8
) -> None:
    """Rectify each view by ``cv2.remap`` and write its grey levels."""
    for raw, view_map, out in ((raw_left, left_map, left), (raw_right, right_map, right)):
        cv2.cvtColor(remapped(raw, view_map), cv2.COLOR_RGBA2GRAY, out)


def remapped(raw: Uint8, view_map: Int16, out: Uint8 | None = None) -> Uint8:
    """Rectify a view by ``cv2.remap``, with maps that are computed again for every frame."""
    view = cv2.remap(raw, *opencv_maps(view_map), cv2.INTER_LINEAR, out, cv2.BORDER_CONSTANT)
    return np.asarray(view, np.uint8)


def opencv_maps(view_map: Int16) -> tuple[Int16, NDArray[Any]]:
    """Convert displacements to OpenCV's maps of type ``CV_16SC2``: positions and fractions."""
    height, width = view_map.shape[:2]
    place = view_map >> 5
    place[..., 0] += np.arange(width, dtype=np.int16)
    place[..., 1] += np.arange(height, dtype=np.int16)[:, None]
    place[view_map[..., 0] == OUTSIDE] = np.iinfo(np.int16).min // 2
    fraction = (view_map[..., 1] & 31) * 32 + (view_map[..., 0] & 31)
    return place, fraction.astype(np.uint16)


def rectify_colours(
    raw_left: Uint8,
    raw_right: Uint8,
    left_map: Int16,
    right_map: Int16,
    rectified_left: Uint8,
    rectified_right: Uint8,
) -> None:
    """Rectify each view by ``cv2.remap`` and write its colours."""
    remapped(raw_left, left_map, rectified_left)
    remapped(raw_right, right_map, rectified_right)
