"""Reading of small arrays of numbers and texts from ``.npz`` archives, and of NPY headers.

Programs store a calibration beside what it was computed from: points, images and maps. These are
skipped by their size, before they are decompressed.
"""

import math
import re
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from wheatstone.viewer.io.reading.matrices import Value
from wheatstone.viewer.io.reading.regular_files import MIB, read_regular
from wheatstone.viewer.io.reading.typed_values import shown

LARGEST = 64 * MIB
"""Maximum bytes of an archive."""
LARGEST_ARRAY = 16 * 1024
"""Maximum bytes of an array that is read."""
MOST_ARRAYS = 1000
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""The exceptions that ``zipfile`` raises for a damaged, encrypted or unknown archive."""


def read_archive(path: Path) -> dict[str, Value]:
    """Read the small arrays of an archive: numbers, texts, and arrays of numbers.

    Raises:
        OSError: the file is no regular file, or cannot be read.
        ValueError: the file is too large, or damaged; the message names it.
    """
    encoded = read_regular(path, LARGEST, "give a calibration")
    try:
        with zipfile.ZipFile(BytesIO(encoded)) as archive:
            members = archive.infolist()
            if len(members) > MOST_ARRAYS:
                raise ValueError(f"more than {MOST_ARRAYS} arrays, the most that are read")
            return _values(archive, members)
    except DAMAGED as error:
        raise ValueError(f"{path}: no npz archive ({shown(str(error))})") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _values(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for member in members:
        if not member.filename.endswith(".npy") or member.file_size > LARGEST_ARRAY:
            continue
        with archive.open(member) as file:
            content = file.read(LARGEST_ARRAY + 1)
        value = _array(content) if len(content) <= LARGEST_ARRAY else None
        if value is not None:
            values[member.filename.removesuffix(".npy")] = value
    return values


def _array(content: bytes) -> "Value | None":
    """Decode an array in NumPy's format to a number, text or array; None if that is impossible."""
    try:
        header = npy_header(content)
        dtype, rest = header.dtype, content[header.begin :]
        if dtype.kind not in "fiubU" or math.prod(header.shape) * dtype.itemsize != len(rest):
            return None
        array = np.frombuffer(rest, dtype, math.prod(header.shape))
        array = array.reshape(header.shape, order=header.order)
    except ValueError:
        return None
    if dtype.kind == "U":
        return str(array.reshape(-1)[0]) if array.size == 1 else None
    return float(array) if array.ndim == 0 else np.asarray(array, np.float64)


# Not through NumPy's own reader, which parses the header as Python's, with all that this may raise
# and print, and allocates what it claims.
MAGIC = b"\x93NUMPY"
LENGTHS = {1: 2, 2: 4, 3: 4}  # bytes of the number that says it, by version
LONGEST_HEADER = 10_000
DTYPE = re.compile(r"""['"]descr['"]\s*:\s*['"]([<>|=]?[a-zA-Z]\d{1,4})['"]""")
ORDER = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)""")
SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(([\dL, ]{0,200})\)""", re.ASCII)


class NpyHeader(NamedTuple):
    """The header of an array in NumPy's format; the values begin at byte ``begin``."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    order: Literal["C", "F"]
    begin: int


def npy_header(encoded: bytes) -> NpyHeader:
    """Read the header of an array of plain numbers or texts; raise ``ValueError`` for others."""
    length = LENGTHS.get(encoded[6]) if len(encoded) > 10 else None
    if not encoded.startswith(MAGIC) or length is None:
        raise ValueError("not an array that NumPy wrote")
    begin = 8 + length + int.from_bytes(encoded[8 : 8 + length], "little")
    if begin > min(len(encoded), LONGEST_HEADER):
        raise ValueError("not an array that NumPy wrote (its header is too long)")
    text = encoded[8 + length : begin].decode("latin-1")
    dtype, order, shape = DTYPE.search(text), ORDER.search(text), SHAPE.search(text)
    if not dtype or not order or not shape:
        raise ValueError("not an array of plain numbers")
    words = [word.strip().removesuffix("L") for word in shape[1].split(",") if word.strip()]
    if not all(word.isdecimal() and len(word) < 19 for word in words):
        raise ValueError("not an array of plain numbers")
    try:
        kind = np.dtype(dtype[1])
    except TypeError:
        raise ValueError(f"NumPy has no numbers of type {dtype[1]!r}") from None
    return NpyHeader(kind, tuple(map(int, words)), "F" if order[1] == "True" else "C", begin)
