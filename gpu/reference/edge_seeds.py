"""Classify local maxima as strong or weak edge pixels, the seeds of hysteresis."""

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int32, Uint8
from wheatstone.gpu.pipelines.canny.params import STRONG, WEAK


@compiled
def edge_seeds(suppressed: Int32, levels: Int32, seeds: Uint8, convention: str) -> None:
    """Write 255 for strong local maxima, 128 for weak ones, 0 for all other pixels.

    A pixel is weak from the first level on and strong from the second. In ``aveiro-2015`` and
    ``aveiro-2025`` the outermost rows and columns of the image are excluded, with the published
    error: strong pixels are searched one row too high, so those of the last row but one are weak,
    and if the level is 0 those of the first row are strong.

    Args:
        suppressed: (H, W) magnitudes of local maxima.
        levels: (2,) least magnitude of a weak and of a strong pixel.
        seeds: (H, W) 0, 128 or 255, written.

    Source: ``first_edges`` and ``hysteresis_edges`` of the course program; cv2.Canny.
    """
    height, width = suppressed.shape
    margin = 0 if convention == "opencv" else 1
    for y in range(height):
        for x in range(width):
            inside = margin <= x < width - margin
            may_be_weak = inside and margin <= y < height - margin
            may_be_strong = inside and y < height - 2 * margin
            if may_be_strong and suppressed[y, x] >= levels[1]:
                seeds[y, x] = STRONG
            elif may_be_weak and suppressed[y, x] >= levels[0]:
                seeds[y, x] = WEAK
            else:
                seeds[y, x] = 0
