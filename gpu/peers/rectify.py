"""Rectify both views by OpenCV."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from gpu.reference.rectify import OUTSIDE

Pixels = NDArray[np.uint8]
Map = NDArray[np.int16]


def rectify(
    raw_left: Pixels,
    raw_right: Pixels,
    left_map: Map,
    right_map: Map,
    rectified_left: Pixels,
    rectified_right: Pixels,
) -> None:
    """Write what ``cv2.remap`` makes of each view; its own maps are made anew for every frame."""
    for raw, view_map, out in (
        (raw_left, left_map, rectified_left),
        (raw_right, right_map, rectified_right),
    ):
        place, fraction = opencv_maps(view_map)
        cv2.remap(raw, place, fraction, cv2.INTER_LINEAR, out, cv2.BORDER_CONSTANT)


def opencv_maps(view_map: Map) -> tuple[NDArray[np.int16], NDArray[Any]]:
    """Convert displacements to places and fractions, OpenCV's maps of type ``CV_16SC2``."""
    height, width = view_map.shape[:2]
    place = view_map >> 5
    place[..., 0] += np.arange(width, dtype=np.int16)
    place[..., 1] += np.arange(height, dtype=np.int16)[:, None]
    place[view_map[..., 0] == OUTSIDE] = np.iinfo(np.int16).min // 2
    fraction = (view_map[..., 1] & 31) * 32 + (view_map[..., 0] & 31)
    return place, fraction.astype(np.uint16)
