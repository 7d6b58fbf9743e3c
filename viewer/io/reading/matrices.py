"""Parsing of numbers and of OpenCV's matrices (rows, cols, dt and data) in calibration files."""

import base64
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.reading.typed_values import shown

Value: TypeAlias = "float | str | NDArray[Any] | list[Value] | dict[str, Value]"
"""A value that a file may have for a name."""
MATRIX = "opencv-matrix"
"""OpenCV's type name of a two-dimensional matrix."""
NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
KIND = re.compile(r"([1-9]\d{0,2})?([ucwsihfd])", re.ASCII)
DTYPES = {
    **{"u": np.uint8, "c": np.int8, "w": np.uint16, "s": np.int16, "i": np.int32},
    **{"h": np.float16, "f": np.float32, "d": np.float64},
}
BASE64_HEADER = 24  # bytes before the numbers, which say their kind once more
BASE64_MARK = "$base64$"  # of JSON


def number(text: str) -> float | None:
    """Parse a decimal number; None if the text is not a number.

    Raises:
        ValueError: it is too large for a float.
    """
    if not NUMBER.fullmatch(text):
        return None
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{shown(text)} is too large")
    return value


def rows_of_numbers(rows: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Convert rows of words, the lines of a text, to a matrix of numbers.

    Raises:
        ValueError: a word is no number, or the rows differ in length.
    """
    if len({len(row) for row in rows}) != 1:
        raise ValueError("a matrix must have rows of one length")
    return np.array([_numbers(row) for row in rows], np.float64)


def matrix(description: Mapping[str, Value]) -> NDArray[Any]:
    """Build a matrix of one or several channels from OpenCV's description.

    Args:
        description: ``rows``, ``cols``, ``dt`` and ``data``; other keys are ignored.

    Returns:
        (rows, cols), or (rows, cols, channels) of the type given by ``dt``.

    Raises:
        ValueError: the description is incomplete or contradictory.
    """
    if lacking := [name for name in ("rows", "cols", "dt", "data") if name not in description]:
        raise ValueError(f"a matrix lacks {', '.join(lacking)}")
    kind = KIND.fullmatch(str(description["dt"]))
    if not kind:
        raise ValueError(f"a matrix of an unknown dt {shown(repr(description['dt']))}")
    shape = [_count(description[name], name) for name in ("rows", "cols")]
    shape += [int(kind[1])] if kind[1] not in (None, "1") else []
    dtype = np.dtype(DTYPES[kind[2]])
    values = _data(description["data"], dtype)
    # Not by NumPy, whose product of the sides may overflow.
    expected = shape[0] * shape[1] * (shape[2] if shape[2:] else 1)
    if len(values) != expected:
        sides = "x".join(map(str, shape))
        raise ValueError(f"a matrix of {sides} has {expected} numbers (got {len(values)})")
    return values.reshape(shape)


def _count(value: Value, name: str) -> int:
    if not isinstance(value, float) or not value.is_integer() or not 0 <= value < 2**31:
        raise ValueError(f"{name} of a matrix must be an integer (got {shown(repr(value))})")
    return int(value)


def _data(value: Value, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Convert the numbers of a matrix, or their Base64 text, to an array of its type."""
    if isinstance(value, str) and value.strip():
        values = np.frombuffer(_bytes(value, dtype.itemsize), dtype.newbyteorder("<"))
    else:
        items = value if isinstance(value, list) else [value] if value != "" else []
        exact = np.array(_numbers(items), np.float64)
        with np.errstate(all="ignore"):
            values = exact.astype(dtype)
        if dtype.kind in "iu" and not np.array_equal(values, exact):
            raise ValueError(f"a matrix of {dtype} holds a number that is none")
    if not np.isfinite(values).all():
        raise ValueError("a matrix holds a number that is not finite")
    return values.astype(dtype)


def _bytes(text: str, size: int) -> bytes:
    words = "".join(text.removeprefix(BASE64_MARK).split())
    try:
        encoded = base64.b64decode(words, validate=True)[BASE64_HEADER:]
    except ValueError:
        encoded = b"?"
    if not encoded or len(encoded) % size:
        raise ValueError(f"data of a matrix must be numbers (got {shown(repr(text))})")
    return encoded


def _numbers(items: Sequence[Any]) -> list[float]:
    values = [item if isinstance(item, float) else number(str(item)) for item in items]
    if None in values:
        word = items[values.index(None)]
        raise ValueError(f"a matrix holds {shown(repr(word))}, which is no number")
    return values  # type: ignore[return-value]
