"""Reading of NPY files of plain numbers."""

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.sources.sizes import Size, check_size

# Not through NumPy's own reader, which parses the header as Python's, with all that this may raise
# and print, and allocates what it claims.
MAGIC = b"\x93NUMPY"
HEADER_LENGTHS = {1: 2, 2: 4, 3: 4}  # bytes of the number that says it, by version
LONGEST_HEADER = 10_000
DTYPE = re.compile(r"""['"]descr['"]\s*:\s*['"]([<>|=]?[a-zA-Z]\d{1,4})['"]""")
ORDER = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)""")
SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(([\dL, ]{0,200})\)""", re.ASCII)
REMEDY = "replace it by one that numpy.save wrote"


def read_npy(path: Path, encoded: bytes, expected: Size | None = None) -> NDArray[Any]:
    """Read an NPY array of one number per pixel, as stored.

    Args:
        expected: as for ``check_size``.

    Raises:
        ValueError: it is another kind of file, truncated, or of an impossible size.
    """
    text, begin = _header(path, encoded)
    said = DTYPE.search(text), ORDER.search(text), SHAPE.search(text)
    if not all(said):
        raise ValueError(f"{path}: not an array of plain numbers; {REMEDY}")
    dtype, order, shape = (match[1] for match in said if match)
    words = [word.strip().removesuffix("L") for word in shape.split(",") if word.strip()]
    if not all(word.isdecimal() and len(word) < 19 for word in words):
        raise ValueError(f"{path}: not an array of plain numbers; {REMEDY}")
    sizes = tuple(map(int, words))
    kind = _dtype(path, dtype)
    if len(sizes) != 2 or kind.kind not in "fiu":
        shown = shape if len(shape) < 80 else f"{shape[:80]}..."
        raise ValueError(f"{path}: one number a pixel is needed (got {kind} of shape ({shown}))")
    check_size(path, sizes[1], sizes[0], expected)
    found, needed = len(encoded) - begin, sizes[0] * sizes[1] * kind.itemsize
    if found < needed:
        raise ValueError(f"{path}: truncated ({found} of {needed} bytes); {REMEDY}")
    stored = np.frombuffer(encoded, kind, sizes[0] * sizes[1], begin)
    return stored.reshape(sizes, order="F" if order == "True" else "C")


def _header(path: Path, encoded: bytes) -> tuple[str, int]:
    """Return the text of the header, and the offset of the numbers."""
    length = HEADER_LENGTHS.get(encoded[6]) if len(encoded) > 10 else None
    if not encoded.startswith(MAGIC) or length is None:
        raise ValueError(f"{path}: not an array that NumPy wrote; {REMEDY}")
    begin = 8 + length + int.from_bytes(encoded[8 : 8 + length], "little")
    if begin > min(len(encoded), LONGEST_HEADER):
        raise ValueError(
            f"{path}: not an array that NumPy wrote (its header is too long); {REMEDY}"
        )
    return encoded[8 + length : begin].decode("latin-1"), begin


def _dtype(path: Path, said: str) -> np.dtype[Any]:
    try:
        return np.dtype(said)
    except TypeError:
        raise ValueError(f"{path}: NumPy has no numbers of type {said!r}; {REMEDY}") from None
