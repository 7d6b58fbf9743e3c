"""Mark rectified pixels that are rejected because they lie outside a raw view."""

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int16, Uint8
from wheatstone.gpu.reference.outside_mask import is_outside

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
    """Write each rejection reason, or 1, "outside the image", where ``outside_mask`` rejects.

    Args:
        unmasked_invalid_reason: (H, W) reasons of the other checks.
        unmasked_disparity, left_map, right_map: as for ``outside_mask``.
        invalid_reason: (H, W), written.
    """
    images = unmasked_invalid_reason, unmasked_disparity, left_map, right_map, invalid_reason
    reason_rows(*images, min_disparity, 0, invalid_reason.shape[0])


@compiled
def reason_rows(
    unmasked_invalid_reason: Pixels,
    unmasked_disparity: Int16,
    left_map: Map,
    right_map: Map,
    invalid_reason: Pixels,
    min_disparity: int,
    top: int,
    bottom: int,
) -> None:
    """Write the reasons of rows ``top`` to ``bottom`` - 1."""
    for y in range(top, bottom):
        for x in range(invalid_reason.shape[1]):
            found = unmasked_disparity[y, x]
            outside = is_outside(found, left_map, right_map, y, x, min_disparity)
            invalid_reason[y, x] = 1 if outside else unmasked_invalid_reason[y, x]
