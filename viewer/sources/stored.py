"""Decoded pixels in strips of rows, so that a conversion does not copy the whole image."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

STRIP = 256  # rows


@dataclass(frozen=True, eq=False)
class Stored:
    """An image that is decoded, but not yet converted to 8 bits.

    Attributes:
        rows: returns the rows from the first index up to the second: (rows, W), or
            (rows, W, channels) with the colours as red, green, blue.
    """

    height: int
    rows: Callable[[int, int], NDArray[Any]]

    def strips(self) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield the image in strips from the top, each with its slice of rows."""
        for top in range(0, self.height, STRIP):
            bottom = min(top + STRIP, self.height)
            yield slice(top, bottom), self.rows(top, bottom)

    def converted(self, convert: Callable[[NDArray[Any]], NDArray[Any]]) -> NDArray[Any]:
        """Convert the image strip by strip."""
        found: NDArray[Any] | None = None
        for place, strip in self.strips():
            part = convert(strip)
            if found is None:
                found = np.empty((self.height, *part.shape[1:]), part.dtype)
            found[place] = part
        assert found is not None, "an image has rows"
        return found


def stored_array(pixels: NDArray[Any]) -> Stored:
    """Wrap an array as a ``Stored`` image."""
    return Stored(len(pixels), lambda top, bottom: pixels[top:bottom])
