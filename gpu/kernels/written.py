"""Let kernels write what later kernels read through a texture."""

from collections.abc import Iterator
from contextlib import contextmanager

from wheatstone.gpu.pipeline import Array


@contextmanager
def written(image: Array) -> Iterator[Array]:
    """Yield the array that a kernel is to write; a texture is filled from its array afterwards."""
    if not hasattr(image, "object"):
        yield image
        return
    yield image.linear
    image.fill()
