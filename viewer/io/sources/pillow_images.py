"""Decoding of PNG, PGM, PPM, JPEG and TIFF pictures with Pillow."""

import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.sources.decoding import Size, check_size, decoding
from wheatstone.viewer.io.sources.depth import Stored
from wheatstone.viewer.io.sources.tiff_header import is_tiff

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

FORMATS = ("PNG", "PPM", "JPEG", "TIFF")  # Pillow calls PFM "PPM" too
WANTED = "give a PNG, PGM, PPM, JPEG or TIFF"
MOST_SCANS = 50
"""Maximum scans of a JPEG, each of which covers the whole picture; programs write about ten."""
OTHERS = {b"GIF8": "GIF", b"BM": "BMP", b"RIFF": "WebP", b"PK": "a ZIP archive", b"%PDF": "PDF"}


def decode_with_pillow(
    path: Path, encoded: bytes, expected: Size | None, deep: bool
) -> tuple[Stored | None, list[str]]:
    """Decode an image file with Pillow.

    Args:
        expected: as for ``check_size``.
        deep: whether Pillow would reduce the bit depth: it decodes the file anyway, to check that
            it is complete.

    Returns:
        The pixels, None for a deep picture or a TIFF of a kind that Pillow does not know; and notes
        on the changes.

    Raises:
        ValueError: the file is damaged, not of a known format, or of an impossible size.
    """
    image = _opened(path, encoded)
    if image is None:
        return None, []
    check_size(path, image.width, image.height, expected)
    if image.format == "JPEG" and scans(encoded) > MOST_SCANS:
        raise ValueError(f"{path}: a JPEG of more than {MOST_SCANS} scans; save it anew")
    with decoding(path, f"truncated or damaged {image.format}", f"{WANTED} that is whole"):
        image.load()
        pages = getattr(image, "n_frames", 1) if image.format == "PNG" else 1
    notes = [f"first of {pages} pages"] if pages > 1 else []
    if not deep:
        return _stored_image(path, image, notes), notes
    return None, [*notes, *(["alpha dropped"] if "transparency" in image.info else [])]


def _opened(path: Path, encoded: bytes) -> "ImageFile | None":
    """Read the header with Pillow; None for a TIFF of a kind that it does not know."""
    import io

    from PIL import Image, UnidentifiedImageError

    with decoding(path, "truncated or damaged", f"{WANTED} that is whole"):
        try:
            image = Image.open(io.BytesIO(encoded), formats=FORMATS)
        except UnidentifiedImageError:
            image = None
    if image is None and is_tiff(encoded):
        return None
    if image is None or image.format not in FORMATS:
        found = image.format if image else _kind(encoded)
        raise ValueError(f"{path}: expected an image, found {found}; {WANTED}")
    return image


def _kind(encoded: bytes) -> str:
    """Return the format of a file that is not an image, for a message."""
    known = next((name for begins, name in OTHERS.items() if encoded.startswith(begins)), "")
    return known or ("text" if encoded[:512].isascii() else "an unknown format")


def _stored_image(path: Path, image: "Image", notes: list[str]) -> Stored:
    """Return the pixels of a Pillow image without alpha, as grey or RGB."""
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
    found, at = 0, 2
    while marker := NEXT.search(encoded, at):
        kind, at = marker[0][1], marker.end()
        if kind == END or at + 2 > len(encoded):
            break
        found += kind == SCAN
        at += struct.unpack_from(">H", encoded, at)[0]
    return found
