"""Reject disparities of rectified pixels that lie outside a raw view."""

from typing import Any

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16
from wheatstone.gpu.pipelines.rectify.images import OUTSIDE

Map = Int16
Disparities = Int16


def outside_mask(
    unmasked_disparity: Disparities,
    left_map: Map,
    right_map: Map,
    disparity: Disparities,
    min_disparity: int,
) -> None:
    """Write each disparity, or "no result" where a rectified view shows nothing.

    That is where a raw pixel that counts in the left pixel lies outside the raw view, or one that
    counts in its partner, the right pixel to which the disparity leads, rounded to the nearest. A
    partner beyond the rectified view's border is not checked here, but by the other checks.

    Args:
        unmasked_disparity: (H, W) in 1/16 pixel; (min_disparity - 1) * 16: no result.
        left_map, right_map: (H, W, 2), as for ``rectify``.
        disparity: (H, W), written.
    """
    mask_rows(
        unmasked_disparity, left_map, right_map, disparity, min_disparity, 0, disparity.shape[0]
    )


@compiled
def mask_rows(
    unmasked_disparity: Disparities,
    left_map: Map,
    right_map: Map,
    disparity: Disparities,
    min_disparity: int,
    top: int,
    bottom: int,
) -> None:
    """Write the disparities of rows ``top`` to ``bottom`` - 1."""
    for y in range(top, bottom):
        for x in range(disparity.shape[1]):
            found = unmasked_disparity[y, x]
            outside = is_outside(found, left_map, right_map, y, x, min_disparity)
            disparity[y, x] = (min_disparity - 1) * 16 if outside else found


@compiled
def is_outside(
    found: int, left_map: Map, right_map: Map, y: int, x: int, min_disparity: int
) -> Any:
    """Return whether a pixel or its partner in the right view is outside the raw view."""
    if not _is_shown(left_map, y, x):
        return True
    partner = x - ((found + 8) >> 4)
    valid = found != (min_disparity - 1) * 16 and 0 <= partner < right_map.shape[1]
    return valid and not _is_shown(right_map, y, partner)


@compiled
def _is_shown(view_map: Map, y: int, x: int) -> Any:
    """Return whether all raw pixels that count in a rectified pixel are inside the raw view."""
    across, down = int(view_map[y, x, 0]), int(view_map[y, x, 1])
    if across == OUTSIDE:
        return False
    row, column = y + (down >> 5), x + (across >> 5)
    last_row, last_column = row + ((down & 31) > 0), column + ((across & 31) > 0)
    return (
        row >= 0
        and column >= 0
        and last_row < view_map.shape[0]
        and last_column < view_map.shape[1]
    )
