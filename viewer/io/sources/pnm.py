"""Reading of PBM, PGM and PPM in text and binary: as stored, or scaled to 8 or 16 bits.

Not through Pillow, which takes minutes for a large picture whose maximum is neither 255 nor 65535,
and not through OpenCV, which prints messages about a damaged one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.sources.decoding import WHOLE, Size, check_size

GAP = rb"(?:\s|#[^\r\n]*[\r\n])+"
HEADER = re.compile(
    rb"P(?:([14])%b(\d{1,9})%b(\d{1,9})|([2356])%b(\d{1,9})%b(\d{1,9})%b(\d{1,9}))(?:#[^\r\n]*)?\s"
    % ((GAP,) * 5)
)
LONG_WORD = re.compile(rb"\d{11}")  # more digits than a number in text may have
BLOCK = 2**22  # bytes of text that are parsed at a time


@dataclass(frozen=True, eq=False)
class Pnm:
    """A decoded PBM, PGM or PPM picture.

    Attributes:
        numbers: (H, W) or (H, W, 3), as stored, 8 or 16 bits of any byte order; a
            PBM holds 255 for white and 0 for black.
        maximum: the stored value of white.
        text: whether the file holds its numbers as text.
    """

    numbers: NDArray[Any]
    maximum: int
    text: bool

    def scaled(self, strip: NDArray[Any]) -> NDArray[Any]:
        """Scale a strip of stored numbers so that white is 255, or 65535 for deep pictures.

        Grey levels with a maximum above 255 are deep, and so are binary colours with a maximum of
        65535. Results are rounded to even.
        """
        colour = strip.ndim == 3
        deep = self.maximum > 255 and (not colour or (self.maximum == 65535 and not self.text))
        top = 65535 if deep else 255
        if self.maximum == top:
            return strip
        levels = np.arange(256 if self.maximum < 256 else 65536) / self.maximum * top
        scaled: NDArray[Any] = np.minimum(np.rint(levels), top)
        scaled = scaled.astype(np.uint16 if deep else np.uint8)[strip]
        return scaled


def is_pnm(encoded: bytes) -> bool:
    """Return whether a file begins as a PBM, PGM or PPM."""
    return re.match(rb"P[1-6][\s#]", encoded) is not None


def read_pnm(path: Path, encoded: bytes, expected: Size | None = None) -> Pnm:
    """Read the numbers of a PBM, PGM or PPM.

    Args:
        expected: as for ``check_size``.

    Raises:
        ValueError: the file is damaged, truncated, or of an impossible size.
    """
    header = HEADER.match(encoded)
    if header is None:
        raise ValueError(f"{path}: damaged PPM (its header is not one); {WHOLE}")
    kind = int(header[1] or header[4])
    sizes = (*header.groups()[1:3], b"255") if header[1] else header.groups()[4:]
    width, height, maximum = (int(number) for number in sizes)
    check_size(path, width, height, expected)
    if not 0 < maximum < 65536:
        raise ValueError(f"{path}: the maximum must be in [1, 65535] (found {maximum}); {WHOLE}")
    shape = (height, width, 3) if kind in (3, 6) else (height, width)
    if kind == 1:
        numbers = _bits_in_text(path, encoded[header.end() :], shape)
    elif kind == 4:
        numbers = _bits(path, encoded, header.end(), shape)
    elif kind in (2, 3):
        numbers = _numbers_in_text(path, encoded, header.end(), shape, maximum)
    else:
        dtype = np.dtype(np.uint8 if maximum < 256 else ">u2")
        numbers = _body(path, encoded, header.end(), dtype, shape)
    return Pnm(numbers, maximum, kind < 4)


def _body(
    path: Path, encoded: bytes, begin: int, dtype: np.dtype[Any], shape: Size
) -> NDArray[Any]:
    count = int(np.prod(shape))
    _require(path, len(encoded) - begin, count * dtype.itemsize, "bytes")
    return np.frombuffer(encoded, dtype, count, begin).reshape(shape)


def _require(path: Path, got: int, needed: int, unit: str) -> None:
    if got < needed:
        raise ValueError(f"{path}: truncated ({got} of {needed} {unit}); {WHOLE}")


def _bits(path: Path, encoded: bytes, begin: int, shape: Size) -> NDArray[np.uint8]:
    """Read the pixels of a binary PBM: rows of bits, each padded to full bytes; 1 is black."""
    height, width = shape
    rows = _body(path, encoded, begin, np.dtype(np.uint8), (height, (width + 7) // 8))
    return (np.unpackbits(rows, axis=1, count=width) - np.uint8(1)).reshape(shape)  # 0 - 1 is 255


def _bits_in_text(path: Path, text: bytes, shape: Size) -> NDArray[np.uint8]:
    """Read the pixels of a PBM in text: digits 0 and 1 with optional white space; 1 is black."""
    digits = _without_comments(text).translate(None, b" \t\r\n\v\f")
    count = shape[0] * shape[1]
    _require(path, len(digits), count, "pixels")
    bits = np.frombuffer(digits, np.uint8, count).reshape(shape) - np.uint8(ord("0"))
    if bits.max() > 1:
        raise ValueError(f"{path}: damaged PBM (other digits than 0 and 1); {WHOLE}")
    return bits - np.uint8(1)


def _without_comments(text: bytes) -> bytes:
    return re.sub(rb"#[^\r\n]*", b"", text) if b"#" in text else text


def _numbers_in_text(
    path: Path, encoded: bytes, begin: int, shape: Size, maximum: int
) -> NDArray[Any]:
    """Read the pixels of a PGM or PPM in text: decimal numbers separated by white space."""
    values = np.empty(int(np.prod(shape)), np.uint8 if maximum < 256 else np.uint16)
    filled = 0
    for block in _blocks(_without_comments(encoded[begin:])):
        if block.translate(None, b"0123456789 \t\r\n\v\f") or LONG_WORD.search(block):
            raise ValueError(f"{path}: damaged PPM (a pixel that is no number); {WHOLE}")
        if not block.strip():
            continue
        numbers = np.fromstring(block, np.int64, sep=" ")[: len(values) - filled]
        if numbers.max(initial=0) > maximum:
            raise ValueError(f"{path}: damaged PPM (a number above {maximum}); {WHOLE}")
        values[filled : filled + len(numbers)] = numbers
        filled += len(numbers)
        if filled == len(values):
            return values.reshape(shape)
    raise ValueError(f"{path}: truncated ({filled} of {len(values)} numbers); {WHOLE}")


def _blocks(text: bytes) -> Iterator[bytes]:
    """Split a text into blocks of limited size at white space, never within a number."""
    at = 0
    while at < len(text):
        gap = re.compile(rb"\s").search(text, at + BLOCK)
        end = gap.start() if gap else len(text)
        yield text[at:end]
        at = end
