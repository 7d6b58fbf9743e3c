"""Rectify both views by their maps, in colours."""

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint8
from wheatstone.gpu.reference.rectify import rectified

Pixels = Uint8
Map = Int16


@compiled
def rectify_colours(
    raw_left: Pixels,
    raw_right: Pixels,
    left_map: Map,
    right_map: Map,
    rectified_left: Pixels,
    rectified_right: Pixels,
) -> None:
    """Write for each pixel and channel the bilinear mean of four raw pixels.

    Args:
        raw_left, raw_right, left_map, right_map: as for ``rectify``.
        rectified_left, rectified_right: (H, W, 4), written; the fourth channel shows how much of
            the pixel was inside.
    """
    _colour_view(raw_left, left_map, rectified_left)
    _colour_view(raw_right, right_map, rectified_right)


@compiled
def _colour_view(raw: Pixels, view_map: Map, out: Pixels) -> None:
    for y in range(raw.shape[0]):
        for x in range(raw.shape[1]):
            for channel in range(4):
                out[y, x, channel] = rectified(raw, view_map, y, x, channel)
