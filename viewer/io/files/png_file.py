"""Fast encoding of PNGs, to files about as large as those of OpenCV and Pillow.

Their row filter is always "sub". Fast levels are ISA-L's; without it, zlib's without matches.
"""

import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.reading.png_chunks import SIGNATURE, chunk

try:
    from isal import isal_zlib
except ImportError:  # a processor for which it has no wheels
    isal_zlib = None  # type: ignore[assignment]

LEVELS = 1, 9
FASTEST, SMALLEST = LEVELS
FAST = 3
"""The last level that ISA-L compresses."""
SUB = 1  # the filter of a row
COLOURS = {2: 0, 3: 2}  # PNG's colour type by the number of axes


def encode_png(
    pixels: NDArray[Any], level: int = FASTEST, texts: Mapping[str, str] | None = None
) -> bytes:
    """Encode an image as a PNG.

    Args:
        pixels: (H, W) grey levels or (H, W, 3) RGB, uint8 or uint16.
        level: of ``LEVELS``.
        texts: to store in it, in Latin-1, by keyword.
    """
    height, width = pixels.shape[:2]
    head = struct.pack(">2I5B", width, height, 8 * pixels.itemsize, COLOURS[pixels.ndim], 0, 0, 0)
    body = _packed(_filtered_rows(pixels), level)
    parts = [*chunk(b"IHDR", head)]
    for keyword, text in (texts or {}).items():
        parts += chunk(b"tEXt", f"{keyword}\0{text}".encode("latin-1"))
    parts += *chunk(b"IDAT", body), *chunk(b"IEND", b"")
    return b"".join((SIGNATURE, *parts))


def _filtered_rows(pixels: NDArray[Any]) -> NDArray[np.uint8]:
    """Return rows as differences to the previous pixel, each row after its filter byte."""
    ordered = np.ascontiguousarray(pixels, pixels.dtype.newbyteorder(">"))
    values = ordered.view(np.uint8).reshape(len(pixels), -1)
    step = values.shape[1] // pixels.shape[1]
    rows = np.empty((len(values), 1 + values.shape[1]), np.uint8)
    rows[:, 0] = SUB
    rows[:, 1 : 1 + step] = values[:, :step]
    np.subtract(values[:, step:], values[:, :-step], out=rows[:, 1 + step :])
    return rows


def _packed(filtered: NDArray[np.uint8], level: int) -> bytes:
    rows: Any = filtered  # which has the buffer protocol
    if level > FAST:
        return zlib.compress(rows, level)
    if isal_zlib:
        packed: bytes = isal_zlib.compress(rows, level - 1)
        return packed
    packer = zlib.compressobj(FASTEST, strategy=zlib.Z_HUFFMAN_ONLY)
    return packer.compress(rows) + packer.flush()
