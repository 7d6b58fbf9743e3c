"""Access to numbers, tables and matrices among the named values of a file."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.cameras.rig import Matrix
from wheatstone.viewer.io.reading.matrices import Value
from wheatstone.viewer.io.reading.typed_values import shown

Named = Mapping[str, Value]


def table(named: Named, name: str) -> Named:
    """Return a file's table by its name; raise ``ValueError`` if it is missing or no table."""
    value = _present(named, name)
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be a table")
    return value


def number(named: Named, name: str) -> float:
    """Return a file's number by its name; raise ``ValueError`` if it is missing or no number."""
    value = _present(named, name)
    if not isinstance(value, float):
        raise ValueError(f"{name} must be a number (got {shown(repr(value))})")
    return value


def camera_matrix(named: Named, prefix: str = "") -> Matrix:
    """Make a camera matrix from the numbers fx, fy, cx and cy, whose names have a prefix."""
    fx, fy, cx, cy = (number(named, f"{prefix}{key}") for key in ("fx", "fy", "cx", "cy"))
    return np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]], np.float64)


def whole(named: Named, name: str) -> int:
    """Return a file's integer by its name; raise ``ValueError`` if it is missing or no integer."""
    return _whole(number(named, name), name)


def _whole(value: float, name: str) -> int:
    if not value.is_integer():
        raise ValueError(f"{name} must be an integer (got {value:g})")
    return int(value)


def pair_of_whole(named: Named, name: str) -> tuple[int, int]:
    """Return a file's two integers by their name; raise ``ValueError`` if there is no such pair."""
    first, second = numbers(named, name, (2,)).tolist()
    return _whole(first, name), _whole(second, name)


def numbers(named: Named, name: str, counts: tuple[int, ...] = ()) -> Matrix:
    """Return a file's numbers by their name as a flat array, row by row, however they are listed.

    Args:
        counts: the allowed numbers of values; empty: any.

    Raises:
        ValueError: they are missing, too few, too many, or not numbers.
    """
    array = np.asarray(flat(_present(named, name), name), np.float64)
    if counts and array.size not in counts:
        wanted = " or ".join(map(str, counts))
        raise ValueError(f"{name} must have {wanted} numbers (got {array.size})")
    return array


def matrix(named: Named, name: str, rows: int, columns: int) -> Matrix:
    """Return a file's matrix by its name; raise ``ValueError`` if missing or of another size."""
    return numbers(named, name, (rows * columns,)).reshape(rows, columns)


def flat(value: Value, name: str) -> NDArray[np.float64] | list[float]:
    """List the numbers of a value: a matrix, a list, a nested list, or ``data`` of a table."""
    if isinstance(value, np.ndarray):
        return np.asarray(value, np.float64).ravel()
    if isinstance(value, dict):
        return flat(_present(value, "data"), name)
    items: Iterable[Value] = value if isinstance(value, list) else [value]
    values: list[float] = []
    for item in items:
        values += _row(item, name)
    return values


def _row(item: Value, name: str) -> list[float]:
    row = item if isinstance(item, list) else [item]
    if not all(isinstance(part, float) for part in row):
        raise ValueError(f"{name} must be numbers (got {shown(repr(item))})")
    return row  # type: ignore[return-value]


def _present(named: Named, name: str) -> Value:
    if name not in named:
        raise ValueError(f"{name} is missing")
    return named[name]
