"""Checks of image sizes: possible sizes, and sizes that must equal another image's."""

from pathlib import Path

from wheatstone.viewer.sources.frame import LARGEST

Size = tuple[int, ...]
"""(H, W)"""


def check_size(path: Path, width: int, height: int, expected: Size | None = None) -> None:
    """Raise ``ValueError`` for an impossible size, before the pixels are decoded.

    Args:
        expected: the size of the image that this one belongs to; None: any size.

    Raises:
        ValueError: the image has no pixels, is larger than ``LARGEST``, or has another size.
    """
    if width < 1 or height < 1:
        raise ValueError(
            f"{path}: the image has no pixels ({width}x{height}); give one of at least 1x1"
        )
    if width > LARGEST or height > LARGEST:
        raise ValueError(
            f"{path}: at most {LARGEST}x{LARGEST} is possible "
            f"(found {width}x{height}); scale it down"
        )
    if expected is not None:
        require_size(path, (height, width), expected)


def require_size(path: Path, shape: Size, expected: Size) -> None:
    """Raise ``ValueError`` if an image does not have the left view's height and width."""
    if shape != expected:
        raise ValueError(
            f"{path}: must have the left image's size {expected[1]}x{expected[0]} "
            f"(found {shape[1]}x{shape[0]})"
        )
