"""Stand-ins for images without content, with which kernel launches are listed, not executed."""

from types import SimpleNamespace
from typing import Any

import numpy as np


class Placeholder:
    """A stand-in for an image: no content, but the attributes of an array that launchers read.

    Attributes:
        index: the image's position, for callers that number them.
    """

    flags = SimpleNamespace(c_contiguous=True)

    def __init__(self, shape: tuple[int, ...], dtype: Any, index: int = 0) -> None:
        self.shape, self.dtype, self.index = shape, np.dtype(dtype), index

    @property
    def size(self) -> int:
        """Return the number of elements of the image."""
        return int(np.prod(self.shape))

    def __getitem__(self, part: slice) -> "Placeholder":
        """Return a stand-in for a part of a flat array."""
        return Placeholder((part.stop - part.start,), self.dtype, self.index)

    def reshape(self, shape: tuple[int, ...]) -> "Placeholder":
        """Return a stand-in for the same elements in another shape."""
        return Placeholder(shape, self.dtype, self.index)


class TexturePlaceholder(Placeholder):
    """A stand-in for a texture; its ``object`` and ``linear`` are stand-ins for arrays."""

    def __init__(self, shape: tuple[int, ...], dtype: Any, index: int = 0) -> None:
        super().__init__(shape, dtype, index)
        self.object = self.linear = Placeholder(shape, dtype, index)

    def fill(self) -> None:
        """Do nothing: a stand-in for a texture has no content."""


def placeholder(
    shape: tuple[int, ...], dtype: Any, index: int = 0, *, texture: bool = False
) -> Placeholder:
    """Create a stand-in for an array or a texture."""
    return (TexturePlaceholder if texture else Placeholder)(shape, dtype, index)
