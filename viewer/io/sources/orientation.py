"""EXIF orientation: how a camera was held, and pictures turned accordingly."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image

TAG = 274
AS_STORED = 1
TRANSPOSED = range(5, 9)
"""The orientations that exchange height and width."""
TURNED = {
    2: "mirrored",
    3: "turned by 180 degrees",
    4: "mirrored upside down",
    5: "mirrored and turned by 90 degrees to the left",
    6: "turned by 90 degrees to the right",
    7: "mirrored and turned by 90 degrees to the right",
    8: "turned by 90 degrees to the left",
}


def exif_orientation(image: "Image") -> int:
    """Return the EXIF orientation of a file opened with Pillow, 1 to 8; 1 if it is damaged."""
    found: object = AS_STORED
    with suppress(Exception):  # damaged EXIF raises what no list names; the pixels are whole
        found = image.getexif().get(TAG, AS_STORED)
    return found if isinstance(found, int) and found in TURNED else AS_STORED


def orientation_note(orientation: int) -> str:
    """Describe how a picture was turned."""
    return f"{TURNED[orientation]}, as its EXIF orientation {orientation} says"


def turned(pixels: NDArray[Any], orientation: int) -> NDArray[Any]:
    """Turn a picture as its EXIF orientation says, (H, W) or (H, W, C); return a view of it."""
    if orientation in TRANSPOSED:
        pixels = pixels.swapaxes(0, 1)
    rows = slice(None, None, -1 if orientation in (3, 4, 7, 8) else 1)
    columns = slice(None, None, -1 if orientation in (2, 3, 6, 7) else 1)
    return pixels[rows, columns]
