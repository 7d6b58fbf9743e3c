"""The declaration of an image of a pipeline: a named array that stages read and write."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.parameters import Params

Array = Any  # numpy.ndarray on the CPU, cupy.ndarray or a texture on the GPU
Extent = Callable[[int, int, Any], int]  # of an array, at a height, a width and parameters


# Arrays in main memory, by their elements.
Uint8 = NDArray[np.uint8]
Uint16 = NDArray[np.uint16]
Uint32 = NDArray[np.uint32]
Int16 = NDArray[np.int16]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class DepthScale:
    """Constants that convert disparities to depths: depth = product / (disparity + offset).

    Attributes:
        product: focal length in pixels times the cameras' distance in ``unit``.
        offset: the right principal point's column less the left one's, in pixels.
        unit: of depths: ``m``, the source's unit, or ``relative`` if that is not known.
    """

    product: float
    offset: float
    unit: str


@dataclass(frozen=True)
class Image:
    """The declaration of a named array that stages read or write.

    Attributes:
        dims: length of each axis: ``height``, ``width``, the name of an integer parameter or of a
            property of the parameters, a fixed length, or a function of height, width and
            parameters.
        scale: multiplies a stored value into ``unit``.
        limits: smallest and largest value to show, in ``unit``; if absent, those of the dtype.
        invalid: the stored value, or NaN, that means "no result"; absent if every value is one.
        colormap: the colour map of this image, in place of the user's; empty: the user's.
        labels: for an image whose values are labels, not measures, the name of each, from 0 on.
        binary: for an image of 0 and 255 alone, what each of them means.
        disparity: whether its values are disparities: how many columns a left pixel's match in the
            right view is shifted to the left.
        step: distance in ``unit`` between neighbouring results; if absent, ``scale``.
        explained_by: the image of labels that gives the reason why a pixel has no value here.
        chosen_by: for an image whose last axis counts disparities searched, the images that hold
            the chosen one, as its index or in pixels; of those kept the first decides.
        stands_for: for an image that is only another name, the image that it means.
        depths: for an image of depths, the smallest and largest to show, given the parameters and a
            scale, which also sets its unit; larger ones may occur.
        remembers: for an image that holds what another one held after the frame before, the name of
            that one; in the first frame of a sequence every byte is 0.
        columns: for an image that is a table, which `render` prints, the names of its columns; a
            row whose last value is 0 is empty.
    """

    name: str
    dtype: str
    help: str
    dims: tuple[str | int | Extent, ...] = ("height", "width")
    scale: float = 1.0
    unit: str = ""
    limits: Callable[[Any], tuple[float, float]] | None = None
    invalid: Callable[[Any], float] | None = None
    colormap: str = ""
    stands_for: Callable[[Any], str] | None = None
    remembers: str = ""
    columns: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    binary: tuple[str, ...] = ()
    disparity: bool = False
    step: Callable[[Any], float] | None = None
    explained_by: str = ""
    chosen_by: tuple[str, ...] = ()
    depths: Callable[[Any, DepthScale], tuple[float, float]] | None = None

    def scaled(self, scale: DepthScale | None) -> "Image":
        """Return an image of depths with unit and limits of a depth scale; any other unchanged."""
        limits = self.depths
        if not (limits and scale):
            return self
        return replace(self, unit=scale.unit, limits=lambda params: limits(params, scale))

    def resolution(self, params: Params) -> float:
        """Return the smallest difference between two values of an image, in ``unit``."""
        return self.step(params) if self.step else self.scale

    def shape(self, height: int, width: int, params: Params) -> tuple[int, ...]:
        """Compute the length of every axis at an image size and a set of parameters."""
        size = {"height": height, "width": width}

        def length(dim: str | int | Extent) -> int:
            if isinstance(dim, str):
                return int(size.get(dim) or getattr(params, dim))
            return dim if isinstance(dim, int) else dim(height, width, params)

        return tuple(map(length, self.dims))


def nbytes(shape: tuple[int, ...], dtype: Any) -> int:
    """Compute the size of an array in bytes."""
    return math.prod(shape) * int(np.dtype(dtype).itemsize)
