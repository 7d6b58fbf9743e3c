"""Mark pixels outside a view, a share of the rows at a time, as gpu.reference.outside_reason."""

from wheatstone.gpu.cpu.cores import on_rows
from wheatstone.gpu.image import Int16, Uint8
from wheatstone.gpu.reference.outside_reason import reason_rows

Map = Int16
Pixels = Uint8


def outside_reason(
    unmasked_invalid_reason: Pixels,
    unmasked_disparity: Int16,
    left_map: Map,
    right_map: Map,
    invalid_reason: Pixels,
    min_disparity: int,
) -> None:
    """Write each rejection reason, or 1 where the pixel or its partner is outside a view."""
    reasons, disparity = unmasked_invalid_reason, unmasked_disparity
    images = reasons, disparity, left_map, right_map, invalid_reason
    on_rows(reasons.shape[0], reason_rows, *images, min_disparity)
