"""Rectify both views in colours on all cores, as gpu.reference.rectify_colours."""

from numba import int32, uint32

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.cpu.rectify import by_rows
from wheatstone.gpu.image import Int16, Uint8
from wheatstone.gpu.pipelines.rectify.images import OUTSIDE
from wheatstone.gpu.reference.rectify import rectified

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
    """Write for each pixel and channel the bilinear mean of four raw pixels."""
    views = (raw_left, left_map, rectified_left), (raw_right, right_map, rectified_right)
    by_rows(_colour_rows, *views)


@compiled
def _colour_rows(raw: Pixels, view_map: Map, out: Pixels, top: int, bottom: int) -> None:
    height, width = out.shape[:2]
    for y in range(top, bottom):
        for x in range(width):
            across, down = int32(view_map[y, x, 0]), int32(view_map[y, x, 1])
            row, column = uint32(y + (down >> 5)), uint32(x + (across >> 5))
            if across == OUTSIDE or row >= height - 1 or column >= width - 1:
                for channel in range(4):
                    out[y, x, channel] = rectified(raw, view_map, y, x, channel)
                continue
            fx, fy = across & 31, down & 31
            for channel in range(4):
                above = (32 - fx) * raw[row, column, channel] + fx * raw[row, column + 1, channel]
                below = (32 - fx) * raw[row + 1, column, channel]
                below += fx * raw[row + 1, column + 1, channel]
                out[y, x, channel] = ((32 - fy) * above + fy * below + 512) >> 10
