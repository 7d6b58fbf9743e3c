"""Let kernels write images that later kernels read through a texture."""

from collections.abc import Iterator
from contextlib import contextmanager

from wheatstone.gpu.pipeline import Array


@contextmanager
def written(image: Array) -> Iterator[Array]:
    """Yield the array that a kernel is to write; afterwards fill a texture from its array."""
    if not hasattr(image, "object"):
        yield image
        return
    yield image.linear
    image.fill()
