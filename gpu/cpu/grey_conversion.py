"""Convert decoded video to grey levels on all cores, as gpu.reference.grey_conversion."""

from collections.abc import Callable
from functools import partial
from typing import Any

from wheatstone.gpu.cpu.cores import on_all_cores, shares
from wheatstone.gpu.image import Int32, Uint8
from wheatstone.gpu.reference.grey_conversion import grey_rows

Pixels = Uint8
Integers = Int32


def grey_conversion(
    left_luma: Pixels,
    left_chroma: Pixels,
    right_luma: Pixels,
    right_chroma: Pixels,
    coefficients: Integers,
    left: Pixels,
    right: Pixels,
) -> None:
    """Write the grey level of each pixel of both views."""
    first = left_luma, left_chroma, coefficients, left
    by_rows(grey_rows, first, (right_luma, right_chroma, coefficients, right))


def by_rows(write: Callable[..., None], *views: tuple[Any, Any, Any, Any]) -> None:
    """Call ``write`` for shares of the rows of each view, on all cores."""
    height = views[0][0].shape[0]
    on_all_cores([partial(write, *view, *rows) for rows in shares(height) for view in views])
