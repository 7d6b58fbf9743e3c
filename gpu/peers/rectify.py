"""Rectify both views by OpenCV, and convert them to grey levels."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.image import Int16, Uint8
from wheatstone.gpu.pipelines.rectify.images import OUTSIDE

Pixels = Uint8
Map = Int16


def rectify(
    raw_left: Pixels, raw_right: Pixels, left_map: Map, right_map: Map, left: Pixels, right: Pixels
) -> None:
    """Rectify each view by ``cv2.remap`` and write its grey levels."""
    for raw, view_map, out in ((raw_left, left_map, left), (raw_right, right_map, right)):
        cv2.cvtColor(remapped(raw, view_map), cv2.COLOR_RGBA2GRAY, out)


def remapped(raw: Pixels, view_map: Map, out: Pixels | None = None) -> Pixels:
    """Rectify a view by ``cv2.remap``; OpenCV's maps are computed again for every frame."""
    found = cv2.remap(raw, *opencv_maps(view_map), cv2.INTER_LINEAR, out, cv2.BORDER_CONSTANT)
    return np.asarray(found, np.uint8)


def opencv_maps(view_map: Map) -> tuple[Int16, NDArray[Any]]:
    """Convert displacements to positions and fractions: OpenCV's maps of type ``CV_16SC2``."""
    height, width = view_map.shape[:2]
    place = view_map >> 5
    place[..., 0] += np.arange(width, dtype=np.int16)
    place[..., 1] += np.arange(height, dtype=np.int16)[:, None]
    place[view_map[..., 0] == OUTSIDE] = np.iinfo(np.int16).min // 2
    fraction = (view_map[..., 1] & 31) * 32 + (view_map[..., 0] & 31)
    return place, fraction.astype(np.uint16)
