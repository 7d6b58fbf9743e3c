"""Reading of image files as 8-bit gray or RGB, with exact pixels or a one-line error message.

Size and depth are read from the header and checked before anything is decoded. Pillow reads most
files, because it raises an error on a truncated one. OpenCV reads 16-bit and float colour images,
which Pillow would silently reduce to 8 bits or cannot read. EXIF orientation is ignored on purpose,
since rotating one view of a pair would break its alignment.
"""

# Not through imageio, which wraps both: its Pillow plugin reads EXIF with the pixels, so it refuses
# a whole PNG whose EXIF is damaged, and cannot say which format it found; its OpenCV plugin reads
# files on a disk only and decodes a file to tell its size.

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.reading.png_chunks import bare_png, has_exact_rows, png_header
from wheatstone.viewer.io.reading.regular_files import MIB, read_regular
from wheatstone.viewer.io.sources.decoding import Size, check_size, decode_with_opencv
from wheatstone.viewer.io.sources.depth import Stored, stored_array, to_eight_bits
from wheatstone.viewer.io.sources.frame import LARGEST
from wheatstone.viewer.io.sources.pillow_images import WANTED, decode_with_pillow
from wheatstone.viewer.io.sources.pnm import is_pnm, read_pnm
from wheatstone.viewer.io.sources.tiff_header import MOST, is_tiff, tiff_header

LARGEST_FILE = LARGEST * LARGEST * 12 + MIB
"""Maximum bytes of a file: the largest image with RGB float pixels, and its header."""


@dataclass(frozen=True, eq=False)
class DecodedImage:
    """A decoded image file.

    Attributes:
        pixels: (H, W) gray levels or (H, W, 3) RGB.
        notes: the changes by the conversion, one line each, beginning with the file's name.
    """

    pixels: NDArray[np.uint8]
    notes: tuple[str, ...]


def read_image(path: Path, expected: Size | None = None) -> DecodedImage:
    """Read an image file as 8-bit gray or RGB.

    16 bits become value // 257 for every picture; floats are taken as 0..1 when none exceeds 1
    and as 0..255 otherwise, then rounded to even; alpha is dropped; palette indices become
    colours; of many pages the first is read.

    Args:
        expected: as for ``check_size``.

    Raises:
        OSError: the file is missing, no regular file, or may not be read.
        ValueError: it is empty, truncated, no image of a known format, larger than ``LARGEST``, not
            of the size expected, or holds NaN.
    """
    # The file's bytes are not kept in a variable here: they would stay beside the pixels.
    return decode_image(path, read_bytes(path), expected)


def decode_image(path: Path, encoded: bytes, expected: Size | None = None) -> DecodedImage:
    """Decode the bytes of an image file as ``read_image`` does.

    Args:
        path: its name in messages.
    """
    stored, notes = _decode(path, encoded, expected)
    del encoded
    pixels, scaled = to_eight_bits(path, stored)
    return DecodedImage(pixels, tuple(f"{path.name}: {note}" for note in notes + scaled))


def read_bytes(path: Path, largest: int = LARGEST_FILE) -> bytes:
    """Return the bytes of a file.

    Raises:
        OSError: it is missing, no regular file, or may not be read.
        ValueError: it is empty or too large.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path}: expected an image, found a folder; {WANTED}")
    return read_regular(path, largest, WANTED)


def _decode(path: Path, encoded: bytes, expected: Size | None) -> tuple[Stored, list[str]]:
    if is_pnm(encoded):
        pnm = read_pnm(path, encoded, expected)
        numbers = pnm.numbers
        return Stored(len(numbers), lambda top, bottom: pnm.scaled(numbers[top:bottom])), []
    if is_tiff(encoded):
        return _decode_tiff(path, encoded, expected)
    header = png_header(encoded)
    if header:
        check_size(path, header.width, header.height, expected)
    deep = header is not None and header.depth == 16 and header.colour != 0
    stored, notes = decode_with_pillow(path, encoded, expected, deep)
    if stored:
        return stored, notes
    if header is None or not has_exact_rows(encoded, header):
        raise ValueError(
            f"{path}: damaged PNG (its pixels do not fit its size); {WANTED} that is whole"
        )
    return _decode_with_opencv(path, bare_png(encoded), notes), notes


def _decode_tiff(path: Path, encoded: bytes, expected: Size | None) -> tuple[Stored, list[str]]:
    try:
        header = tiff_header(encoded)
    except ValueError as error:
        raise ValueError(
            f"{path}: truncated or damaged TIFF ({error}); {WANTED} that is whole"
        ) from None
    check_size(path, header.width, header.height, expected)
    more = "more than " if header.pages == MOST else ""
    notes = [f"first of {more}{header.pages} pages"] if header.pages > 1 else []
    deep = len(header.bits) > 1 and max(header.bits) > 8
    stored, _ = decode_with_pillow(path, encoded, expected, deep)
    return stored or _decode_with_opencv(path, encoded, notes), notes


def _decode_with_opencv(path: Path, encoded: bytes, notes: list[str]) -> Stored:
    """Decode with OpenCV; call only after the header was checked."""
    stored = decode_with_opencv(encoded)
    channels = 1 if stored is None or stored.ndim == 2 else stored.shape[2]
    if stored is None or channels > 4:
        raise ValueError(
            f"{path}: truncated, damaged or of an unusual kind; "
            f"{WANTED} of 8 or 16 bits that is whole"
        )
    check_size(path, stored.shape[1], stored.shape[0])
    if channels in (2, 4):
        notes.append("alpha dropped")
    if channels < 3:
        return stored_array(stored if stored.ndim == 2 else stored[..., 0])
    return stored_array(stored[..., 2::-1])
