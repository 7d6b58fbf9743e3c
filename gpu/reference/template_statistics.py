"""Sum the template's grey levels and their squares, for correlation."""

from numba import int64

from wheatstone.gpu.compiled import compiled
from wheatstone.gpu.image import Int64, Uint8
from wheatstone.gpu.pipelines.ncc.params import Region


@compiled
def template_statistics(left: Uint8, template_sums: Int64, template: Region) -> None:
    """Write the sum of the template's grey levels and the sum of their squares.

    Args:
        left: (H, W) grey levels.
        template_sums: (2,) both sums, written.
        template: x, y, width and height of the template, inside the image.
    """
    x, y, width, height = template
    total = squares = 0
    for row in range(y, y + height):
        for column in range(x, x + width):
            grey = int64(left[row, column])
            total += grey
            squares += grey * grey
    template_sums[0] = total
    template_sums[1] = squares
