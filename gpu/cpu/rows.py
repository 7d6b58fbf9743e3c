"""Fill and copy rows in compiled code.

Assigning to a slice there would compile, too, but with checks of shapes and the making of their
error texts, which takes several seconds.
"""

from typing import Any

from numpy.typing import NDArray

from wheatstone.gpu.compiled import helper


@helper
def fill(row: NDArray[Any], value: Any) -> None:
    """Write one value into all of a row."""
    for x in range(row.size):
        row[x] = value


@helper
def copy(row: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy a row to the beginning of another."""
    for x in range(row.size):
        target[x] = row[x]
