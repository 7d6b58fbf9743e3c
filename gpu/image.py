"""Declare the images of a pipeline: the named arrays that its stages read and write."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wheatstone.gpu.parameters import Params

Array = Any  # numpy.ndarray on the CPU, cupy.ndarray or a texture on the GPU
Extent = Callable[[int, int, Any], int]  # of an array, at a height, a width and parameters


@dataclass(frozen=True)
class DepthScale:
    """What makes depths of disparities: depth = product / (disparity + offset).

    Attributes:
        product: focal length in pixels times the cameras' distance in ``unit``.
        offset: the right principal point's column less the left one's, in pixels.
        unit: of depths: ``m``, what the source counts in, or ``relative`` if that is not known.
    """

    product: float
    offset: float
    unit: str


@dataclass(frozen=True)
class Image:
    """Declare a named array that stages read or write.

    Attributes:
        dims: what each axis counts: ``height``, ``width``, the name of an integer parameter or of a
            property of the parameters, a fixed length, or a function of height, width and
            parameters.
        scale: multiplies a stored value into ``unit``.
        limits: smallest and largest value to show, in ``unit``; if absent, those of the dtype.
        invalid: the stored value, or NaN, that means "no result"; absent if every value is one.
        colormap: the colour map that shows it, whatever the user chose; empty: the user's.
        labels: for an image whose values are labels, not measures, the name of each, from 0 on.
        disparity: whether it tells how many columns farther left the right view shows the point
            that a pixel of the left view shows.
        step: how far apart in ``unit`` neighbouring results are; if absent, ``scale``.
        explained_by: the image of labels that tells why a pixel has no value here.
        chosen_by: for an image whose last axis counts disparities searched, the images that tell
            which of them was chosen, as its index or in pixels; of those kept the first decides.
        stands_for: for an image that is only another's name, which one it means.
        depths: for an image of depths, the smallest and largest to show, with some parameters and a
            scale, of which it has its unit, too; larger ones may occur.
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
    columns: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    disparity: bool = False
    step: Callable[[Any], float] | None = None
    explained_by: str = ""
    chosen_by: tuple[str, ...] = ()
    depths: Callable[[Any, DepthScale], tuple[float, float]] | None = None

    def scaled(self, scale: DepthScale | None) -> "Image":
        """Give an image of depths the unit and the limits of a scale; leave any other as it is."""
        limits = self.depths
        if not (limits and scale):
            return self
        return replace(self, unit=scale.unit, limits=lambda params: limits(params, scale))

    def resolution(self, params: Params) -> float:
        """Compute how far apart neighbouring results are, in ``unit``."""
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
