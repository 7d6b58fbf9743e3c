"""Replace each pixel by the mean of the square window around it."""

from typing import Any

from wheatstone.gpu.compiled import compiled, helper
from wheatstone.gpu.image import Uint8


def mean_filter(left: Uint8, mean: Uint8, radius: int, convention: str) -> None:
    """Write the mean of each pixel's window of 2 ``radius`` + 1 rows and as many columns.

    - ``opencv``: where the window leaves the image, the image continues by its mirror image about
      its edge pixels, which are not repeated (... 2 1 0 1 2 ...); an image too small for that is
      mirrored back and forth, and a single pixel is repeated. The mean is rounded to the nearest
      grey level; there are no ties, since a window has an odd number of pixels.
    - ``blog``: the mean is truncated, and where the window leaves the image it is 0.

    Args:
        left: (H, W) grey levels.
        mean: (H, W) their means, written.
        radius: at least 1.
        convention: ``opencv`` or ``blog``.

    Source: opencv: cv2.blur and cv2.BORDER_REFLECT_101.
    """
    {"opencv": _rounded, "blog": _truncated}[convention](left, mean, radius)


@compiled
def _rounded(left: Uint8, mean: Uint8, radius: int) -> None:
    height, width = left.shape
    area = (2 * radius + 1) ** 2
    for y in range(height):
        for x in range(width):
            mean[y, x] = (_window_sum(left, y, x, radius) + area // 2) // area


@compiled
def _truncated(left: Uint8, mean: Uint8, radius: int) -> None:
    height, width = left.shape
    area = (2 * radius + 1) ** 2
    mean[:] = 0
    for y in range(radius, height - radius):
        for x in range(radius, width - radius):
            mean[y, x] = _window_sum(left, y, x, radius) // area


@compiled
def _window_sum(image: Uint8, y: int, x: int, radius: int) -> Any:
    height, width = image.shape
    total = 0
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            total += image[reflected(y + dy, height), reflected(x + dx, width)]
    return total


@helper
def reflected(position: int, count: int) -> Any:
    """Return the index among ``count`` pixels whose mirror image lies at a position outside."""
    if count == 1:
        return 0
    while not 0 <= position < count:
        position = -position if position < 0 else 2 * (count - 1) - position
    return position
