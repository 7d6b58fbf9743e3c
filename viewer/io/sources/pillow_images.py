"""Decoding of PNG, JPEG, TIFF and AVIF pictures with Pillow."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image

import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wheatstone.viewer.io.sources.decoding import Size, check_size, decoding
from wheatstone.viewer.io.sources.depth import Stored, stored_array
from wheatstone.viewer.io.sources.file_kinds import AVIF, HEAD, WANTED, kind_description, kind_of
from wheatstone.viewer.io.sources.mpo import without_index
from wheatstone.viewer.io.sources.tiff_header import is_tiff

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

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
FORMATS = ("PNG", "JPEG", "TIFF", "AVIF")
MOST_SCANS = 50
"""Maximum scans of a JPEG, each of which covers the whole picture; programs write about ten."""


def decode_with_pillow(
    path: Path, encoded: bytes, expected: Size | None, deep: bool
) -> tuple[Stored | None, tuple[str, ...], int]:
    """Decode an image file with Pillow, and turn it as its EXIF orientation says.

    Args:
        expected: as for ``check_size``, of the turned picture.
        deep: whether Pillow would reduce the bit depth: it decodes the file anyway, to check that
            it is complete.

    Returns:
        The pixels, turned; None for a deep picture or a TIFF of a kind that Pillow does not know.
        Notes on the changes, and how a picture that another decoder reads is to be turned.

    Raises:
        ValueError: the file is damaged, not of a known format, or of an impossible size.
    """
    image = _opened(path, encoded)
    if image is None:
        return None, (), AS_STORED
    size = image.width, image.height
    check_size(path, *size, None if expected == size else expected)
    if image.format == "JPEG" and scans(encoded) > MOST_SCANS:
        raise ValueError(f"{path}: a JPEG of more than {MOST_SCANS} scans; save it again")
    with decoding(path, f"truncated or damaged {image.format}", f"{WANTED} that is whole"):
        image.load()
        pages = getattr(image, "n_frames", 1) if image.format in ("PNG", "AVIF") else 1
    # Only now: to find EXIF, Pillow loads a PNG, and keeps silent about its damage afterwards.
    # It turns a TIFF itself, and tells the size that this has then.
    turn = AS_STORED if image.format == "TIFF" else exif_orientation(image)
    check_size(path, *(size[::-1] if turn in TRANSPOSED else size), expected)
    notes = [f"first of {pages} pages"] if pages > 1 else []
    if turn != AS_STORED:
        notes.append(orientation_note(turn))
    if deep:
        notes += ["alpha dropped"] if "transparency" in image.info else []
        return None, tuple(notes), turn
    stored = turned_image(_stored_image(path, image, notes), turn)
    return stored, tuple(notes), turn


def picture_size(path: Path) -> tuple[int, int] | None:
    """Read width and height of a picture in pixels from its header; None if it is not readable."""
    from PIL import Image

    with suppress(OSError, ValueError, Image.DecompressionBombError):
        if path.is_file():
            with Image.open(path, formats=FORMATS) as picture:
                return picture.size
    return None


def jpeg_size(path: Path, encoded: bytes) -> Size | None:
    """Return height and width of a JPEG, not turned; None for another file."""
    image = _opened(path, without_index(encoded))
    return (image.height, image.width) if image else None


def turned_image(stored: Stored, orientation: int) -> Stored:
    """Turn a stored image according to an EXIF orientation."""
    if orientation == AS_STORED:
        return stored
    return stored_array(turned(stored.converted(lambda strip: strip), orientation))


def _opened(path: Path, encoded: bytes) -> "ImageFile | None":
    """Read an image's header with Pillow; None for a TIFF of a kind that Pillow does not know."""
    import io

    from PIL import Image, UnidentifiedImageError, features

    with decoding(path, "truncated or damaged", f"{WANTED} that is whole"):
        try:
            image = Image.open(io.BytesIO(encoded), formats=FORMATS)
        except UnidentifiedImageError:
            image = None
    if image is None and is_tiff(encoded):
        return None
    kind = None if image else kind_of(path, encoded[:HEAD])
    if kind is AVIF and features.check("avif"):
        raise ValueError(f"{path}: truncated or damaged AVIF; {WANTED} that is whole")
    if image is None or image.format not in FORMATS:
        described = f"{image.format}; {WANTED}" if image else kind_description(path, encoded[:HEAD])
        raise ValueError(f"{path}: expected an image, found {described}")
    return image


def _stored_image(path: Path, image: "Image", notes: list[str]) -> Stored:
    """Convert a Pillow image to a stored image: grey or RGB, without alpha."""
    mode, kept = image.mode, image.mode
    if mode in ("LA", "RGBA"):
        kept = mode[:-1]
        notes.append("alpha dropped")
    elif mode == "1":
        kept = "L"
    elif mode not in ("L", "RGB", "I;16", "I;16B", "I", "F"):
        kept = "RGB"
        if "transparency" in image.info:
            notes.append("transparency dropped")

    def rows(top: int, bottom: int) -> NDArray[Any]:
        with decoding(path, f"{image.format} of an unusual kind", WANTED):
            strip = image.crop((0, top, image.width, bottom))
            return np.asarray(strip if kept == mode else strip.convert(kept))

    return Stored(image.height, rows)


SCAN, END = 0xDA, 0xD9
NEXT = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")
"""The marker after a scan; within a scan, 0 or a restart marker follows every 255."""


def scans(encoded: bytes) -> int:
    """Count the scans of a JPEG up to its end or to the first damage."""
    count, at = 0, 2
    while marker := NEXT.search(encoded, at):
        kind, at = marker[0][1], marker.end()
        if kind == END or at + 2 > len(encoded):
            break
        count += kind == SCAN
        at += struct.unpack_from(">H", encoded, at)[0]
    return count


def exif_orientation(image: "Image") -> int:
    """Return the EXIF orientation of a file opened with Pillow, 1 to 8; 1 if it is damaged."""
    stored: object = AS_STORED
    with suppress(Exception):  # damaged EXIF raises what no list names; the pixels are whole
        stored = image.getexif().get(TAG, AS_STORED)
    return stored if isinstance(stored, int) and stored in TURNED else AS_STORED


def orientation_note(orientation: int) -> str:
    """Describe, for the user, how a picture was turned."""
    return f"{TURNED[orientation]}, as its EXIF orientation {orientation} says"


def turned(pixels: NDArray[Any], orientation: int) -> NDArray[Any]:
    """Turn a picture as its EXIF orientation says, (H, W) or (H, W, C); return a view of it."""
    if orientation in TRANSPOSED:
        pixels = pixels.swapaxes(0, 1)
    rows = slice(None, None, -1 if orientation in (3, 4, 7, 8) else 1)
    columns = slice(None, None, -1 if orientation in (2, 3, 6, 7) else 1)
    return pixels[rows, columns]
