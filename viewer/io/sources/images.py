"""Reading of image files as 8-bit gray or RGB, with exact pixels or a one-line error message.

Size and depth are read from the header and checked before anything is decoded. Pillow reads most
files, because it raises an error on a truncated one; plain PNGs have a decoder of our own, once it
is loaded (``png_pixels``). OpenCV reads 16-bit and float colour images, which Pillow would silently
reduce to 8 bits or cannot read. Every picture is turned as its EXIF orientation says. Some files
hold both views of a pair: MPO, and spatial photos in HEIC.
"""

# Not through imageio, which wraps both: its Pillow plugin reads EXIF with the pixels, so it refuses
# a whole PNG whose EXIF is damaged, and cannot say which format it found; its OpenCV plugin reads
# files on a disk only and decodes a file to tell its size.

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.findings import about
from wheatstone.viewer.io.reading.checks import MOST_PIXELS
from wheatstone.viewer.io.reading.png_chunks import bare_png, has_exact_rows, png_header
from wheatstone.viewer.io.reading.png_pixels import loaded_decoder
from wheatstone.viewer.io.reading.regular_files import MIB, open_regular, read_regular
from wheatstone.viewer.io.sources.decoding import Size, check_size, decode_with_opencv
from wheatstone.viewer.io.sources.depth import Stored, stored_array, to_eight_bits
from wheatstone.viewer.io.sources.file_kinds import (
    HEAD,
    HEIF,
    INSP,
    WANTED,
    kind_description,
    kind_of,
    raw_photo,
)
from wheatstone.viewer.io.sources.georeference import Georeference, georeference_of
from wheatstone.viewer.io.sources.heif import has_heif, read_heif
from wheatstone.viewer.io.sources.mpo import MpoPicture, mpo_pictures, viewpoints, without_index
from wheatstone.viewer.io.sources.pfm import is_pfm, read_pfm
from wheatstone.viewer.io.sources.pillow_images import (
    AS_STORED,
    TRANSPOSED,
    decode_with_pillow,
    jpeg_size,
    orientation_note,
    turned_image,
)
from wheatstone.viewer.io.sources.pnm import is_pnm, read_pnm
from wheatstone.viewer.io.sources.tiff_header import MOST, TiffHeader, is_tiff, tiff_header
from wheatstone.viewer.io.sources.value_pictures import read_tiff_channels

LARGEST_FILE = MOST_PIXELS * 12 + MIB
"""Maximum bytes of a file: the largest image with RGB float pixels, and its header."""
MPO = ".mpo"
MOST_CHANNELS = 4
"""Maximum channels of a TIFF that Pillow and OpenCV read."""


@dataclass(frozen=True, eq=False)
class DecodedImage:
    """An image file decoded to 8 bits, with notes on the conversion.

    Attributes:
        pixels: (H, W) gray levels or (H, W, 3) RGB.
        notes: the changes by the conversion, one line each, beginning with the file's name.
    """

    pixels: NDArray[np.uint8]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class StoredViews:
    """The pictures of an image file before their conversion to 8 bits.

    Attributes:
        views: one picture, or the left and the right view.
        notes: remarks on the decoding.
        orientation: of EXIF, as for ``turned``; the views are turned already.
        georeference: of a GeoTIFF whose pixels lie as they are stored; None: there is none.
    """

    views: tuple[Stored, ...]
    notes: tuple[str, ...] = ()
    orientation: int = AS_STORED
    georeference: Georeference | None = None


def read_image(path: Path, expected: Size | None = None) -> DecodedImage:
    """Read an image file as 8-bit gray or RGB; of a file that holds two views, the left one.

    16 bits become value // 257 for every picture; floats are taken as 0..1 when none exceeds 1
    and as 0..255 otherwise, then rounded to even; alpha is dropped; palette indices become
    colours; of many pages the first is read.

    Args:
        expected: as for ``check_size``.

    Raises:
        OSError: the file is missing, no regular file, or may not be read.
        ValueError: it is empty, truncated, no image of a known format, larger than ``check_size``
            allows, not of the size expected, or holds NaN.
    """
    stored = read_stored(path, expected)
    pixels, scaled = to_eight_bits(path, stored.views[0])
    return DecodedImage(pixels, tuple(about(path.name, note) for note in (*stored.notes, *scaled)))


def read_stored(path: Path, expected: Size | None = None) -> StoredViews:
    """Read an image file without converting it to 8 bits, with the errors of ``read_image``."""
    # The file's bytes are not kept in a variable here: they would stay beside the pixels.
    return decode_stored(path, read_bytes(path), expected)


def read_bytes(path: Path) -> bytes:
    """Return the bytes of an image file, up to a maximum size.

    Raises:
        OSError: it is missing, no regular file, or may not be read.
        ValueError: it is empty or too large; if its format is known, the message names it.
    """
    try:
        return read_regular(path, LARGEST_FILE, WANTED)
    except IsADirectoryError:
        raise IsADirectoryError(f"{path}: expected an image, found a folder; {WANTED}") from None
    except ValueError:
        with open_regular(path) as file:
            head = file.read(HEAD)
        if head and kind_of(path, head):
            raise ValueError(
                f"{path}: expected an image, found {kind_description(path, head)}"
            ) from None
        raise


def decode_stored(path: Path, encoded: bytes, expected: Size | None = None) -> StoredViews:
    """Decode an image file's bytes without conversion to 8 bits, with the errors of ``read_image``.

    Args:
        path: its name in messages.
    """
    if is_pnm(encoded):
        pnm = read_pnm(path, encoded, expected)
        numbers = pnm.numbers
        stored = Stored(
            len(numbers),
            lambda top, bottom: pnm.scaled(numbers[top:bottom]),
            lambda top, bottom: numbers[top:bottom],
            pnm.maximum if numbers.dtype.itemsize > 1 else 65535,
        )
        return StoredViews((stored,))
    if is_pfm(encoded):
        return StoredViews((stored_array(read_pfm(path, encoded, expected, colour=True)),))
    if is_tiff(encoded):
        return _decode_tiff(path, encoded, expected)
    if png_header(encoded):  # the most frequent kind is told fastest
        return _decode_one(path, encoded, expected)
    kind = kind_of(path, encoded[:HEAD])
    if kind is HEIF and has_heif():
        arrays, notes = read_heif(path, encoded, expected)
        return StoredViews(tuple(map(stored_array, arrays)), tuple(notes))
    if pictures := mpo_pictures(encoded):
        return _decode_mpo(path, encoded, pictures, expected)
    return _decode_one(path, encoded, expected)


def _decode_mpo(
    path: Path, encoded: bytes, pictures: list[MpoPicture], expected: Size | None
) -> StoredViews:
    """Decode a JPEG with several pictures: both views of a stereo pair, or the first picture."""
    views = viewpoints(pictures)
    if not views and path.suffix.lower() == MPO and len(pictures) == 2:
        views = pictures
    if len(views) < 2:
        first = _decode_one(path, without_index(encoded[: pictures[0].end]), expected)
        more = f"first of {len(pictures)} pictures, which are no stereo pair"
        if len(pictures) == 2 and _of_one_size(path, encoded, pictures):
            more = f"first of 2 pictures; if they are a stereo pair, rename it to {path.stem}{MPO}"
        return StoredViews(first.views, (*first.notes, *((more,) if len(pictures) > 1 else ())))
    views_read = [
        _decode_one(path, without_index(encoded[view.begin : view.end]), expected)
        for view in views[:2]
    ]
    numbers = [view.number for view in views[:2]]
    order = "" if all(numbers) and len(set(numbers)) == 2 else ", in the order of the file"
    more = f" of {len(views)}" if len(views) > 2 else ""
    notes = f"MPO: two views{more}{order}", *(note for each in views_read for note in each.notes)
    return StoredViews(tuple(each.views[0] for each in views_read), tuple(dict.fromkeys(notes)))


def _of_one_size(path: Path, encoded: bytes, pictures: list[MpoPicture]) -> bool:
    """Return whether all pictures in a JPEG have the same size."""
    with suppress(ValueError):
        return len({jpeg_size(path, encoded[each.begin : each.end]) for each in pictures}) == 1
    return False


def _decode_one(path: Path, encoded: bytes, expected: Size | None) -> StoredViews:
    """Decode a PNG, a JPEG or an AVIF image to pixels."""
    header = png_header(encoded)
    if header:
        check_size(path, header.width, header.height)
    plain = loaded_decoder()
    if header and plain and (pixels := plain.pixels(encoded, header)) is not None:
        check_size(path, header.width, header.height, expected)
        return StoredViews((stored_array(pixels, new=True),))
    deep = header is not None and header.depth == 16 and header.colour != 0
    stored, notes, turn = decode_with_pillow(path, encoded, expected, deep)
    insp_notes = (INSP,) if path.suffix.lower() == ".insp" else ()
    if stored:
        return StoredViews((stored,), (*notes, *insp_notes), turn)
    if header is None or not has_exact_rows(encoded, header):
        raise ValueError(
            f"{path}: damaged PNG (its pixels do not fit its size); {WANTED} that is whole"
        )
    listed = list(notes)
    stored = turned_image(_decode_with_opencv(path, bare_png(encoded), listed), turn)
    return StoredViews((stored,), tuple(listed), turn)


def _decode_tiff(path: Path, encoded: bytes, expected: Size | None) -> StoredViews:
    try:
        header = tiff_header(encoded)
    except ValueError as error:
        raise ValueError(
            f"{path}: truncated or damaged TIFF ({error}); {WANTED} that is whole"
        ) from None
    if raw := raw_photo(path, encoded, dng=header.dng):
        raise ValueError(f"{path}: expected an image, found {raw.name}; {raw.advice(path)}")
    across = header.orientation in TRANSPOSED
    size = (header.height, header.width) if across else (header.width, header.height)
    check_size(path, *size, expected)
    more = "more than " if header.pages == MOST else ""
    notes = [f"first of {more}{header.pages} pages"] if header.pages > 1 else []
    if header.orientation != AS_STORED:  # Pillow and OpenCV turn a TIFF themselves
        notes.append(orientation_note(header.orientation))
    place = None if header.orientation != AS_STORED else _georeference(encoded, notes)
    deep = len(header.bits) > 1 and max(header.bits) > 8
    unread = deep and (header.separate or header.channels == 2)
    if unread or header.channels > MOST_CHANNELS:
        stored = _channels(path, encoded, header, notes)
    else:
        known, *_ = decode_with_pillow(path, encoded, expected, deep)
        stored = known or _decode_with_opencv(path, encoded, notes)
    return StoredViews((stored,), tuple(notes), header.orientation, place)


def _channels(path: Path, encoded: bytes, header: TiffHeader, notes: list[str]) -> Stored:
    """Decode the first or first three channels of a TIFF that neither Pillow nor OpenCV reads."""
    pixels = read_tiff_channels(path, encoded)
    kept = 3 if header.colours and header.channels >= 3 else 1
    if header.channels > kept:
        first = "the first" if kept == 1 else f"the first {kept}"
        notes.append(f"{first} of {header.channels} channels")
    shown = pixels[..., :3] if kept == 3 else pixels[..., 0]
    return turned_image(stored_array(shown), header.orientation)


def _georeference(encoded: bytes, notes: list[str]) -> Georeference | None:
    """Read the georeference of a TIFF; for a damaged one, add a note and return None."""
    try:
        return georeference_of(encoded)
    except ValueError as error:
        notes.append(f"georeference ignored: {error}")
        return None


def _decode_with_opencv(path: Path, encoded: bytes, notes: list[str]) -> Stored:
    """Decode an image file with OpenCV; call this only after its header was checked."""
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
