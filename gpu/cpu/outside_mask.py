"""Reject pixels outside a view, a share of the rows at a time, as gpu.reference.outside_mask."""

from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.image import Int16
from wheatstone.gpu.reference.outside_mask import mask_rows

Map = Int16
Disparities = Int16


def outside_mask(
    unmasked_disparity: Disparities,
    left_map: Map,
    right_map: Map,
    disparity: Disparities,
    min_disparity: int,
) -> None:
    """Write each disparity, or "no result" where the pixel or its partner is outside a view."""
    images = unmasked_disparity, left_map, right_map, disparity
    on_rows(disparity.shape[0], mask_rows, *images, min_disparity)
