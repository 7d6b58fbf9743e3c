"""Views in the format of video decoders: luma and chroma planes, on the host or a GPU."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

GPU, SOFTWARE = "gpu", "software"
"""The choices of a video's decoder: the GPU where it can and else the CPU, or always the CPU."""


class Planes:
    """A view as a video decoder outputs it: luma and chroma planes, converted to RGB on request.

    Attributes:
        luma: (H, W) uint8, of NumPy or CuPy; rows may have padding.
        chroma: (ceil(H / 2), ceil(W / 2), 2) uint8, the blue and the red difference.
        coefficients: (6,) int32, from ``gpu.pipelines.nv12.coefficients``.
    """

    def __init__(self, luma: Any, chroma: Any, coefficients: NDArray[np.int32]) -> None:
        self.luma, self.chroma, self.coefficients = luma, chroma, coefficients

    @property
    def shape(self) -> tuple[int, int]:
        """Return height and width of the view in pixels."""
        height, width = self.luma.shape
        return height, width

    @property
    def on_host(self) -> bool:
        """Return whether the planes are in the host's memory."""
        return isinstance(self.luma, np.ndarray)

    @cached_property
    def host(self) -> tuple[Pixels, Pixels]:
        """Return luma and chroma as contiguous arrays on the host, copied at the first access."""
        copied = self._parts if self.on_host else (part.get() for part in self._parts)
        luma, chroma = (np.ascontiguousarray(part) for part in copied)
        return luma, chroma

    @cached_property
    def rgb(self) -> Pixels:
        """Return the view as (H, W, 3) RGB on the host, with the same colours as on the GPU."""
        from wheatstone.gpu.cpu.input_views import colours_of

        return colours_of(*self.host, self.coefficients)

    def grey(self, out: Pixels | None = None) -> Pixels:
        """Convert the view's planes to (H, W) grey levels on the host.

        They are the grey levels of ``rgb``, in a sixth of the time.

        Args:
            out: (H, W), overwritten with the result instead of allocating an array.
        """
        from wheatstone.gpu.cpu.input_views import grey_of

        room = np.empty(self.shape, np.uint8) if out is None else out
        return grey_of(*self.host, self.coefficients, room)

    def pixel(self, row: int, column: int) -> Pixels:
        """Convert a single pixel of the view to RGB: (3,)."""
        if "rgb" in vars(self):
            known: Pixels = self.rgb[row, column]
            return known
        half = row // 2, column // 2
        luma, chroma = self.luma[row : row + 1, column : column + 1], self.chroma[half][None, None]
        converted: Pixels = Planes(luma, chroma, self.coefficients).rgb[0, 0]
        return converted

    def can_be_halved(self, *, down: bool) -> bool:
        """Return whether the view can be split into left and right (with ``down``: top and bottom).

        A chroma value belongs to two rows and two columns of pixels.
        """
        return self.shape[0 if down else 1] % 4 == 0

    def half(self, number: int, *, down: bool) -> "Planes":
        """Return the left (0) or right (1) half of the view; with ``down``, the upper or lower."""
        luma, chroma = (_half(part, number, axis=0 if down else 1) for part in self._parts)
        return Planes(luma, chroma, self.coefficients)

    @property
    def _parts(self) -> tuple[Any, Any]:
        return self.luma, self.chroma


class LaterPlanes(Planes):
    """A view of a video that is decoded when one of its planes is first read."""

    def __init__(self, shape: tuple[int, int], decode: Callable[[], Planes]) -> None:
        """Store the view's size and the function that decodes it.

        Args:
            shape: its height and width.
            decode: decodes it; may raise ``ValueError``, as the access to a plane then does.
        """
        self._shape, self._decode = shape, decode

    def __getattr__(self, name: str) -> Any:
        """Decode the view at the first access to one of its planes."""
        if name not in ("luma", "chroma", "coefficients"):
            raise AttributeError(name)
        decoded = self._decode()
        super().__init__(decoded.luma, decoded.chroma, decoded.coefficients)
        return getattr(self, name)

    @property
    def shape(self) -> tuple[int, int]:
        """Return height and width of the view, without decoding it."""
        return self._shape

    def half(self, number: int, *, down: bool) -> Planes:
        """Return the left (0) or right (1) half of the view; with ``down``, the upper or lower."""
        height, width = self._shape
        shape = (height // 2, width) if down else (height, width // 2)
        return LaterPlanes(shape, lambda: Planes.half(self, number, down=down))


def _half(part: Any, number: int, axis: int) -> Any:
    """Return the first (0) or second (1) half of an array along an axis."""
    middle = part.shape[axis] // 2
    kept = slice(middle) if number == 0 else slice(middle, None)
    return part[kept] if axis == 0 else part[:, kept]


AnyView = Pixels | Planes
"""A view of a frame: pixels, or the planes of decoded video."""


def pixels_of(view: AnyView) -> Pixels:
    """Return the pixels of a view, (H, W) grey levels or (H, W, 3) RGB."""
    return view.rgb if isinstance(view, Planes) else view
