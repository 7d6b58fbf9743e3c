"""Reading of NumPy's archives (``.npz``) as named values, without objects and without large arrays.

Programs store a calibration beside what it was computed from: points, images and maps. These are
left out by their size, before they are decompressed.
"""

import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

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
    """Convert an array in NumPy's format; None for objects and damaged arrays."""
    file = BytesIO(content)
    try:
        version = np.lib.format.read_magic(file)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, by_columns, dtype = read(file)
        count = 1
        for side in shape:
            count *= side
        rest = content[file.tell() :]
        if dtype.hasobject or dtype.kind not in "fiubU" or count * dtype.itemsize != len(rest):
            return None
        array: np.ndarray[Any, np.dtype[Any]] = np.frombuffer(rest, dtype, count).reshape(
            shape, order="F" if by_columns else "C"
        )
    except (ValueError, KeyError, TypeError, OverflowError, SyntaxError, MemoryError):
        return None
    if dtype.kind == "U":
        return str(array.reshape(-1)[0]) if array.size == 1 else None
    return float(array) if array.ndim == 0 else np.asarray(array, np.float64)
