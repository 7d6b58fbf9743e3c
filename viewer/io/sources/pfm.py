"""Reading of PFM files: floats of one channel or three, the bottom row first."""

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.sources.decoding import WHOLE, Size, check_size
from wheatstone.viewer.io.sources.pnm import GAP

HEADER = re.compile(
    rb"P([fF])%b(\d{1,9})%b(\d{1,9})%b"
    rb"(-?)(\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,9})?(?=[\s#])" % ((GAP,) * 3)
)
"""Width and height, and a scale whose sign gives the byte order; not what ends its line."""
LINE_END = re.compile(rb"[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r)|[ \t]+")
GAPS = re.compile(GAP)
LONGEST_END = 1000  # bytes


def is_pfm(encoded: bytes) -> bool:
    """Return whether a file begins as a PFM."""
    return re.match(rb"P[fF][\s#]", encoded) is not None


def read_pfm(
    path: Path, encoded: bytes, expected: Size | None = None, *, colour: bool = False
) -> NDArray[Any]:
    """Read the numbers of a PFM, as stored, the top row first.

    Programs end the header's last line in different ways: with a space, a carriage return or a
    comment before its end. The pixels are therefore the last bytes of the file, as many as the
    header says. Bytes after them are possible only if nothing but a line feed ends the line.

    Args:
        expected: as for ``check_size``.
        colour: whether three channels are possible.

    Returns:
        (H, W), or (H, W, 3) RGB.

    Raises:
        ValueError: it is another kind of file, truncated, or of an impossible size.
    """
    header = HEADER.match(encoded)
    if header is None or (header[1] == b"F" and not colour):
        wanted = "PFM" if colour else "one-channel PFM"
        raise ValueError(
            f"{path}: expected a {wanted}, found another header; remove it or replace it"
        )
    if not float(header[5]):
        why = "its scale is 0, whose sign does not give the byte order"
        raise ValueError(f"{path}: {why}; write -1 for little-endian pixels, 1 for big-endian")
    width, height = int(header[2]), int(header[3])
    check_size(path, width, height, expected)
    shape = (height, width, 3) if header[1] == b"F" else (height, width)
    count = int(np.prod(shape))
    begin = _begin(path, encoded, header.end(), count * 4)
    stored = np.frombuffer(encoded, "<f4" if header[4] else ">f4", count, begin)
    return stored.reshape(shape)[::-1]


def _begin(path: Path, encoded: bytes, end: int, needed: int) -> int:
    """Return the offset at which the pixels begin, given the offset ``end`` of the header's end."""
    line_end = LINE_END.match(encoded, end, end + LONGEST_END)
    first = len(encoded) - needed  # if nothing follows the pixels
    room = len(encoded) - (line_end.end() if line_end else end)
    # A line end that reaches into the pixels: they begin with a line feed, or lack a byte.
    if first <= end or line_end is None or end < first < line_end.end():
        raise ValueError(f"{path}: truncated ({room} of {needed} bytes); {WHOLE}")
    gap = encoded[end : min(first, end + LONGEST_END)]
    if first == line_end.end() or (first - end == len(gap) and GAPS.fullmatch(gap)):
        return first
    if encoded[end : end + 1] == b"\n" and not GAPS.match(encoded, end + 1):
        return end + 1
    raise ValueError(f"{path}: {room} bytes of pixels where its header says {needed}; {WHOLE}")
