"""Provide functions of compiled code that fill and copy rows.

Assigning to a slice there would also compile, but with checks of shapes and code for their error
texts, which takes several seconds.
"""

from typing import Any

from numpy.typing import NDArray

from wheatstone.gpu.compiled import helper


@helper
def fill(row: NDArray[Any], value: Any) -> None:
    """Write one value into every element of a row."""
    for x in range(row.size):
        row[x] = value


@helper
def copy(row: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy a row to the beginning of another."""
    for x in range(row.size):
        target[x] = row[x]


@helper
def widen(row: NDArray[Any], wide: NDArray[Any], radius: int) -> None:
    """Copy a row and repeat its end pixels on both sides, ``radius`` times each."""
    fill(wide[:radius], row[0])
    copy(row, wide[radius:])
    fill(wide[radius + row.size : 2 * radius + row.size], row[row.size - 1])
