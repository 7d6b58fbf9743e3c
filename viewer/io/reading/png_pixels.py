"""Decoding of plain PNGs at full speed: grey or RGB in 8 or 16 bits, not interlaced, undamaged.

The pixels are those that Pillow and OpenCV decode; they read all other PNGs, and say what is wrong.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.reading.png_chunks import CHANNELS, SIGNATURE, PngHeader

try:
    from isal import isal_zlib as inflating
except ImportError:  # a processor for which it has no wheels
    import zlib as inflating  # type: ignore[no-redef]

DAMAGED: Any = (zlib.error, inflating.error)
GREY, RGB = 0, 2
FIRST, ROWS, LAST = b"IHDR", b"IDAT", b"IEND"
SIZES = {FIRST: 13, LAST: 0, b"gAMA": 4, b"sRGB": 1, b"cHRM": 32, b"pHYs": 9, b"tIME": 7}
"""The size of the body of every chunk in plain PNGs, except rows: none changes their pixels."""
NOT_PACKED_OTHERWISE = b"\0\0\0"  # methods of compression and filters, and no interlacing

Undo = Callable[[NDArray[np.uint8], int, NDArray[np.uint8]], bool]


@cache
def decoder() -> "PlainDecoder":
    """Load the decoder of plain PNGs once; that takes as long as decoding a hundred pictures."""
    from wheatstone.gpu.png_filters import undo_filters

    return PlainDecoder(undo_filters)


def loaded_decoder() -> "PlainDecoder | None":
    """Return the decoder of plain PNGs if this process has loaded it, else None."""
    return decoder() if decoder.cache_info().currsize else None


class PlainDecoder:
    """A decoder of plain PNGs: grey or RGB in 8 or 16 bits, not interlaced.

    Args:
        undo: undoes the filters of rows.
    """

    def __init__(self, undo: Undo) -> None:
        self._undo = undo

    def pixels(self, encoded: bytes, header: PngHeader) -> NDArray[Any] | None:
        """Decode a PNG whose size was checked; None if it is not plain, or damaged.

        Returns:
            (H, W) or (H, W, 3), uint8 or uint16.
        """
        packed = _packed_rows(encoded, header)
        if packed is None:
            return None
        step = CHANNELS[header.colour] * header.depth // 8
        shape = header.height, header.width * step
        rows = _inflated_rows(packed, shape[0] * (1 + shape[1]))
        if rows is None:
            return None
        filtered = np.frombuffer(rows, np.uint8).reshape(shape[0], -1)
        pixels = np.empty(shape, np.uint8)
        if not self._undo(filtered, step, pixels):
            return None
        decoded = pixels if header.depth == 8 else pixels.view(">u2").astype(np.uint16)
        return decoded if header.colour == GREY else decoded.reshape(header.height, header.width, 3)


def _packed_rows(encoded: bytes, header: PngHeader) -> bytes | None:
    """Return the compressed rows of a plain PNG; None if a chunk is unusual, or damaged."""
    if header.colour not in (GREY, RGB) or header.depth not in (8, 16):
        return None
    chunks = list(_chunks(encoded))
    runs = [kind for kind, _ in groupby(chunks, itemgetter(0))]
    others = [kind for kind, _ in chunks if kind != ROWS]
    once = len(set(runs)) == len(runs) and len(set(others)) == len(others)
    plain = runs[:1] == [FIRST] and runs[-1:] == [LAST] and once
    known = all(kind == ROWS or SIZES.get(kind) == len(body) for kind, body in chunks)
    if not (plain and known and encoded[26:29] == NOT_PACKED_OTHERWISE):
        return None
    return b"".join(body for kind, body in chunks if kind == ROWS)


def _chunks(encoded: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """Yield the kind and the body of each chunk, up to the first that is damaged."""
    whole, at = memoryview(encoded), len(SIGNATURE)
    while at + 12 <= len(whole):
        size, kind = struct.unpack_from(">I4s", whole, at)
        end = at + 8 + size
        if end + 4 > len(whole):
            return
        if inflating.crc32(whole[at + 4 : end]) != struct.unpack_from(">I", whole, end)[0]:
            return
        yield kind, whole[at + 8 : end]
        at = end + 4


def _inflated_rows(packed: bytes, size: int) -> bytes | None:
    """Decompress rows of a size in bytes; None if they are damaged, too few or too many."""
    unpacker = inflating.decompressobj()
    try:
        rows: bytes = unpacker.decompress(packed, size + 1)
    except DAMAGED:
        return None
    whole = unpacker.eof and not unpacker.unused_data and len(rows) == size
    return rows if whole else None
