"""Check that a PNG's compressed pixels are as many as its header declares, without storing them."""

import io
import zlib

from wheatstone.viewer.reading.png_chunks import PngHeader, found_chunks

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
WHOLE = ((0, 0, 1, 1),)
ADAM7 = (
    *((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2)),
    (0, 1, 1, 2),
)
"""Passes of an interlaced PNG: first column and row, and the steps to the next."""
STEP = 2**20  # bytes that are unpacked at a time


def has_exact_rows(encoded: bytes, header: PngHeader) -> bool:
    """Return whether the compressed pixels of a PNG are intact, neither too few nor too many.

    libpng prints its errors, and OpenCV does not prevent it; Pillow accepts too many pixels.
    """
    unpacker, left = zlib.decompressobj(), _size(header, ADAM7 if encoded[28:29] > b"\0" else WHOLE)
    try:
        for _, at, size in found_chunks(io.BytesIO(encoded), (b"IDAT",)):
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
    """Compute the bytes of all rows, each with its filter byte."""
    total = 0
    for column, row, right, down in passes:
        width = -(-(header.width - column) // right)
        height = -(-(header.height - row) // down)
        if width > 0 and height > 0:
            total += height * (1 + (width * header.depth * CHANNELS[header.colour] + 7) // 8)
    return total
