"""Bit depths: 16-bit, integer and float pixels as 8 bits."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def to_eight_bits(path: Path, stored: NDArray[Any]) -> tuple[NDArray[np.uint8], list[str]]:
    if stored.dtype == np.uint8:
        return stored, []
    if stored.dtype.kind == "u" and stored.dtype.itemsize == 2:
        note = f"16-bit scaled to 8 bits (value // 257){_shallow(int(stored.max()))}"
        return (stored // 257).astype(np.uint8), [note]
    if stored.dtype.kind == "f":
        return _floats_to_eight_bits(path, stored)
    raise ValueError(
        f"{path}: expected 8-bit, 16-bit or float pixels, found {stored.dtype}; store 8 bits"
    )


def _shallow(largest: int) -> str:
    """Word what a note adds where 16 bits hold what a camera of fewer may have delivered."""
    bits = max(largest.bit_length(), 9)
    if bits > 14:
        return ""
    levels, factor = largest // 257 + 1, 2 ** (16 - bits)
    return f", which leaves {levels} levels; {bits}-bit values need to be stored times {factor}"


def _floats_to_eight_bits(path: Path, stored: NDArray[Any]) -> tuple[NDArray[np.uint8], list[str]]:
    bad = ~np.isfinite(stored)
    if bad.any():
        row, column = np.argwhere(bad)[0][:2]
        raise ValueError(
            f"{path}: {np.count_nonzero(bad)} values are NaN or infinite, the first at row {row}, "
            f"column {column}; replace them by numbers in 0..1 or 0..255"
        )
    low, high = float(stored.min()), float(stored.max())
    if low < 0 or high > 255:
        raise ValueError(
            f"{path}: floats must lie in 0..1 or 0..255 (found {low:g}..{high:g}); scale them"
        )
    top = 1 if high <= 1 else 255
    return np.rint(stored * (255 / top)).astype(np.uint8), [
        f"floats taken as 0..{top}, rounded to 8 bits"
    ]


def narrow_integers(path: Path, values: NDArray[np.int32]) -> NDArray[np.uint16]:
    if values.min() < 0 or values.max() > 65535:
        raise ValueError(
            f"{path}: integers must lie in [0, 65535] "
            f"(found {values.min()}..{values.max()}); store 8 or 16 bits"
        )
    return values.astype(np.uint16)
