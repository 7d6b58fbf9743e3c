"""Rectify both views by OpenCV, in colours."""

from wheatstone.gpu.image import Int16, Uint8
from wheatstone.gpu.peers.rectify import remapped

Pixels = Uint8
Map = Int16


def rectify_colours(
    raw_left: Pixels,
    raw_right: Pixels,
    left_map: Map,
    right_map: Map,
    rectified_left: Pixels,
    rectified_right: Pixels,
) -> None:
    """Rectify each view by ``cv2.remap`` and write its colours."""
    remapped(raw_left, left_map, rectified_left)
    remapped(raw_right, right_map, rectified_right)
