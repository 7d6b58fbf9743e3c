"""Views as video decoders give them: brightness and colour differences, on the host or a GPU."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]


class Planes:
    """A view as decoded; it is converted to colours on the host only when they are asked for.

    Attributes:
        luma: (H, W) uint8, of NumPy or CuPy; rows may be apart by more than their pixels.
        chroma: (ceil(H / 2), ceil(W / 2), 2) uint8, the blue and the red difference.
        coefficients: (6,) int32, as of ``gpu.pipelines.nv12.coefficients``.
    """

    def __init__(self, luma: Any, chroma: Any, coefficients: NDArray[np.int32]) -> None:
        self.luma, self.chroma, self.coefficients = luma, chroma, coefficients

    @property
    def shape(self) -> tuple[int, int]:
        """Look up height and width of the view."""
        height, width = self.luma.shape
        return height, width

    @property
    def on_host(self) -> bool:
        """Tell whether the numbers are in the host's memory."""
        return isinstance(self.luma, np.ndarray)

    @cached_property
    def host(self) -> tuple[Pixels, Pixels]:
        """Copy brightness and differences to the host, contiguous, when first asked for."""
        copied = self._parts if self.on_host else (part.get() for part in self._parts)
        luma, chroma = (np.ascontiguousarray(part) for part in copied)
        return luma, chroma

    @cached_property
    def rgb(self) -> Pixels:
        """Convert to (H, W, 3) RGB on the host, when first asked for, as the GPU does."""
        from wheatstone.gpu.cpu.colour_conversion import colours_of

        return colours_of(*self.host, self.coefficients)

    def pixel(self, row: int, column: int) -> Pixels:
        """Convert a single pixel to RGB: (3,)."""
        if "rgb" in vars(self):
            known: Pixels = self.rgb[row, column]
            return known
        half = row // 2, column // 2
        luma, chroma = self.luma[row : row + 1, column : column + 1], self.chroma[half][None, None]
        converted: Pixels = Planes(luma, chroma, self.coefficients).rgb[0, 0]
        return converted

    def can_be_halved(self, *, down: bool) -> bool:
        """Tell whether halves of the view, upper and lower ones if ``down``, have own differences.

        Those are of two rows and two columns of pixels.
        """
        return bool(self.luma.shape[0 if down else 1] % 4 == 0)

    def half(self, number: int, *, down: bool) -> "Planes":
        """Cut out the first or the second half; ``down``: the upper or the lower one."""
        luma, chroma = (_half(part, number, axis=0 if down else 1) for part in self._parts)
        return Planes(luma, chroma, self.coefficients)

    @property
    def _parts(self) -> tuple[Any, Any]:
        return self.luma, self.chroma


def _half(part: Any, number: int, axis: int) -> Any:
    """Cut out the first or the second half along an axis."""
    middle = part.shape[axis] // 2
    kept = slice(middle) if number == 0 else slice(middle, None)
    return part[kept] if axis == 0 else part[:, kept]


AnyView = Pixels | Planes
"""A view of a frame: pixels, or what they are made of."""


def pixels_of(view: AnyView) -> Pixels:
    """Look up the pixels of a view, (H, W) grey levels or (H, W, 3) RGB."""
    return view.rgb if isinstance(view, Planes) else view
