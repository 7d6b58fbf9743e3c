"""Bit depth: conversion of 16-bit, integer and float pixels to 8 bits."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.findings import Finding

STRIP = 256  # rows


@dataclass(frozen=True, eq=False)
class Stored:
    """An image that is decoded, but not yet converted to 8 bits.

    Attributes:
        rows: returns the rows from the first index up to the second: (rows, W), or
            (rows, W, channels) with the colours as red, green, blue.
        integers: the same rows as the file holds them, if ``rows`` scales them.
        maximum: the number of white in these.
        array: the image itself, if it is a new array that nothing else refers to.
    """

    height: int
    rows: Callable[[int, int], NDArray[Any]]
    integers: Callable[[int, int], NDArray[Any]] | None = None
    maximum: int = 65535
    array: NDArray[Any] | None = None

    def strips(self) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield the image in strips from the top, each with its slice of rows."""
        for top in range(0, self.height, STRIP):
            bottom = min(top + STRIP, self.height)
            yield slice(top, bottom), self.rows(top, bottom)

    def converted(self, convert: Callable[[NDArray[Any]], NDArray[Any]]) -> NDArray[Any]:
        """Apply a conversion to the image, strip by strip, and return the result."""
        depths: NDArray[Any] | None = None
        for place, strip in self.strips():
            part = convert(strip)
            if depths is None:
                depths = np.empty((self.height, *part.shape[1:]), part.dtype)
            depths[place] = part
        assert depths is not None, "an image has rows"
        return depths

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the type of the image's numbers as they are stored in the file."""
        return (self.integers or self.rows)(0, 1).dtype

    @property
    def unscaled(self) -> "Stored":
        """Return the image with the numbers as in its file, not scaled."""
        return Stored(self.height, self.integers or self.rows)


def stored_array(pixels: NDArray[Any], *, new: bool = False) -> Stored:
    """Wrap an array as a ``Stored`` image, which is not yet converted to 8 bits.

    Args:
        new: whether nothing else refers to the array, so that it need not be copied.
    """
    own = pixels if new else None
    return Stored(len(pixels), lambda top, bottom: pixels[top:bottom], array=own)


def to_eight_bits(path: Path, stored: Stored) -> tuple[NDArray[np.uint8], list[str]]:
    """Convert a stored image's pixels to 8 bits, with a note on the conversion.

    Returns:
        The pixels, and a note on the conversion, if there was one.

    Raises:
        ValueError: the pixels are of another type, or out of range.
    """
    dtype = stored.rows(0, 1).dtype
    if dtype == np.uint8:
        if stored.array is not None:
            return stored.array, []
        return stored.converted(lambda strip: strip), []
    if (dtype.kind == "u" and dtype.itemsize == 2) or dtype == np.int32:
        return _integers_to_eight_bits(path, stored)
    if dtype.kind == "f":
        return _floats_to_eight_bits(path, stored)
    raise ValueError(f"{path}: expected 8-bit, 16-bit or float pixels, found {dtype}; store 8 bits")


def _integers_to_eight_bits(path: Path, stored: Stored) -> tuple[NDArray[np.uint8], list[str]]:
    low, high = _range(stored)
    if low < 0 or high > 65535:
        raise ValueError(
            f"{path}: integers must be in [0, 65535] (found {low}..{high}); store 8 or 16 bits"
        )
    pixels = stored.converted(lambda strip: (strip // 257).astype(np.uint8))
    if stored.maximum != 65535:
        return pixels, [f"0..{stored.maximum} scaled to 8 bits"]
    return pixels, [_scaled(int(high))]


def _range(stored: Stored) -> tuple[Any, Any]:
    ranges = [(strip.min(), strip.max()) for _, strip in stored.strips()]
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def _scaled(largest: int) -> str:
    """Return a note on the scaling of 16-bit values, or a warning if 8 bits keep few levels."""
    bits = max(largest.bit_length(), 9)
    if bits > 14:
        return "16-bit scaled to 8 bits (value // 257)"
    levels, factor = largest // 257 + 1, 2 ** (16 - bits)
    return Finding("few levels", levels=levels, bits=bits, factor=factor)


def _floats_to_eight_bits(path: Path, stored: Stored) -> tuple[NDArray[np.uint8], list[str]]:
    _require_finite(path, stored)
    low, high = _range(stored)
    if low < 0 or high > 255:
        raise ValueError(
            f"{path}: floats must be in 0..1 or 0..255 (found {low:g}..{high:g}); scale them"
        )
    top = 1 if high <= 1 else 255
    pixels = stored.converted(lambda strip: np.rint(strip * (255 / top)).astype(np.uint8))
    return pixels, [f"floats taken as 0..{top}, rounded to 8 bits"]


def _require_finite(path: Path, stored: Stored) -> None:
    """Raise ``ValueError``, naming the first such pixel, if any value is infinite or NaN."""
    count = 0
    first: tuple[int, int] | None = None
    for place, strip in stored.strips():
        bad = ~np.isfinite(strip)
        if bad.any():
            row, column = np.argwhere(bad)[0][:2]
            first = first or (place.start + int(row), int(column))
            count += int(np.count_nonzero(bad))
    if first:
        raise ValueError(
            f"{path}: {count} values are NaN or infinite, the first at row {first[0]}, "
            f"column {first[1]}; replace them by numbers in 0..1 or 0..255"
        )
