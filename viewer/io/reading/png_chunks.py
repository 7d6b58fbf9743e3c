"""Reading of a PNG's chunks, such as its size and texts, without decoding pixels."""

import io
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from wheatstone.viewer.io.reading.regular_files import in_units

try:  # ten times as fast
    from isal.isal_zlib import crc32
except ImportError:  # a processor for which it has no wheels
    from zlib import crc32

SIGNATURE = b"\x89PNG\r\n\x1a\n"
HEADER = struct.Struct(">8sI4sIIBB")
MOST = 2**18
"""Maximum chunks that are read: three times those of the largest image in chunks of 8 KiB."""


@dataclass(frozen=True)
class PngHeader:
    """The header of a PNG.

    Attributes:
        depth: bits per value.
        colour: PNG's colour type: 0 grey, 2 RGB, 3 palette, 4 and 6 with alpha.
    """

    width: int
    height: int
    depth: int
    colour: int


def png_header(beginning: bytes) -> PngHeader | None:
    """Read the header from the first 26 bytes of a file; None if it is not a PNG."""
    if len(beginning) < HEADER.size:
        return None
    signature, _, kind, width, height, depth, colour = HEADER.unpack_from(beginning)
    if signature != SIGNATURE or kind != b"IHDR":
        return None
    return PngHeader(width, height, depth, colour)


def bare_png(encoded: bytes) -> bytes:
    """Return a PNG reduced to header, pixels and end chunk; the PNG must not have a palette.

    Decoders print warnings about other chunks, and unpack them; OpenCV searches for seconds for a
    missing end chunk.
    """
    import io

    whole = memoryview(encoded)
    header = encoded[16:26] + b"\0\0" + (b"\1" if encoded[28:29] > b"\0" else b"\0")
    pixels = [
        whole[at - 8 : at + size + 4]
        for _, at, size in matching_chunks(io.BytesIO(encoded), (b"IDAT",))
        if at + size + 4 <= len(encoded)
    ]
    return b"".join((SIGNATURE, *chunk(b"IHDR", header), *pixels, *chunk(b"IEND", b"")))


def chunk(kind: bytes, body: bytes) -> tuple[bytes, bytes, bytes]:
    """Encode a PNG chunk in three parts: size and kind, body, and checksum."""
    checksum = crc32(body, crc32(kind))
    return struct.pack(">I4s", len(body), kind), body, struct.pack(">I", checksum)


def png_text(file: BinaryIO, keyword: str, largest: int) -> str | None:
    """Read the text stored under a keyword in a PNG; None if it is missing, or the PNG is damaged.

    Args:
        file: at its beginning.
        largest: maximum bytes of the text.

    Raises:
        ValueError: the text is larger, or damaged.
    """
    for kind, at, size in matching_chunks(file, (b"tEXt", b"zTXt", b"iTXt")):
        file.seek(at)
        begins = keyword.encode("latin-1") + b"\0"
        if file.read(len(begins)) != begins:
            continue
        rest = size - len(begins)
        if not 0 <= rest <= largest + 1024:  # beside the text lie flags and names of languages
            raise ValueError(f"a text of more than {in_units(largest)}")
        body, (check,) = file.read(rest), struct.unpack(">I", file.read(4).rjust(4, b"\0"))
        if zlib.crc32(kind + begins + body) != check:
            return None
        return _unpacked(kind, body, largest)
    return None


def matching_chunks(file: BinaryIO, wanted: tuple[bytes, ...]) -> Iterator[tuple[bytes, int, int]]:
    """Yield kind, position and size of the bodies of all chunks of the wanted kinds."""
    at = len(SIGNATURE)
    for _ in range(MOST):
        file.seek(at)
        head = file.read(8)
        if len(head) < 8:
            return
        size, kind = struct.unpack(">I4s", head)
        if kind in wanted:
            yield kind, at + 8, size
        if kind == b"IEND":
            return
        at += size + 12


def _unpacked(kind: bytes, body: bytes, largest: int) -> str:
    """Decode the text in a PNG's text chunk, after the keyword."""
    if kind == b"tEXt":
        return body.decode("latin-1")
    packed = kind == b"zTXt" or body[:1] == b"\1"
    if kind == b"zTXt":
        text = body[1:]
    else:  # a flag and a method, a language, the keyword in this language
        text = body[2:].split(b"\0", 2)[-1]
    if packed:
        text = _inflated(text, largest)
    return text.decode("latin-1" if kind == b"zTXt" else "utf-8")


def _inflated(packed: bytes, largest: int) -> bytes:
    try:
        text = zlib.decompressobj().decompress(packed, largest + 1)
    except zlib.error as error:
        raise ValueError(f"a text that cannot be unpacked ({error})") from None
    if len(text) > largest:
        raise ValueError(f"a text of more than {in_units(largest)}")
    return text


CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
WHOLE = ((0, 0, 1, 1),)
ADAM7 = (
    *((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2)),
    (0, 1, 1, 2),
)
"""Passes of an interlaced PNG: first column and row, and the steps to the next."""
STEP = 2**20  # bytes that are unpacked at a time


def has_exact_rows(encoded: bytes, header: PngHeader) -> bool:
    """Return whether a PNG's compressed rows are intact and have exactly the expected size.

    libpng prints its errors, and OpenCV does not prevent it; Pillow accepts too many pixels.
    """
    unpacker, left = zlib.decompressobj(), _size(header, ADAM7 if encoded[28:29] > b"\0" else WHOLE)
    try:
        for _, at, size in matching_chunks(io.BytesIO(encoded), (b"IDAT",)):
            packed = encoded[at : at + size]
            while packed and left >= 0:
                left -= len(unpacker.decompress(packed, STEP))
                packed = unpacker.unconsumed_tail
        while left >= 0 and (rest := unpacker.decompress(b"", STEP)):
            left -= len(rest)
    except zlib.error:
        return False
    return unpacker.eof and left == 0 and not unpacker.unused_data


def _size(header: PngHeader, passes: tuple[tuple[int, int, int, int], ...]) -> int:
    """Compute how many bytes all uncompressed rows of a PNG take, with their filter bytes."""
    total = 0
    for column, row, right, down in passes:
        width = -(-(header.width - column) // right)
        height = -(-(header.height - row) // down)
        if width > 0 and height > 0:
            total += height * (1 + (width * header.depth * CHANNELS[header.colour] + 7) // 8)
    return total
