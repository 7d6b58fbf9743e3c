"""Run OpenCV's semi-global matcher with the settings its documentation recommends."""

from functools import lru_cache
from typing import Any

import cv2

from wheatstone.gpu.image import Int16, Uint8
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
    """Create a matcher, cached from frame to frame with the memory that it allocates."""
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
