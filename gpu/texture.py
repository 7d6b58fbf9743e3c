"""Images that CUDA kernels read through a texture."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


class Texture:
    """An image in a CUDA array, which kernels read through a texture object.

    Point sampling, unnormalised coordinates, clamped to the edge.

    Args:
        shape: (H, W) or (H, W, 4).
        written: whether kernels write it as well: into ``linear``, from where ``fill`` copies it.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any, *, written: bool = False) -> None:
        from cupy.cuda import runtime, texture

        self.shape, self.dtype = shape, np.dtype(dtype)
        bits = self.dtype.itemsize * 8
        depths = (bits,) * 4 if len(shape) == 3 else (bits, 0, 0, 0)
        channel = texture.ChannelFormatDescriptor(*depths, runtime.cudaChannelFormatKindUnsigned)
        self.array = texture.CUDAarray(channel, shape[1], shape[0])
        resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=self.array)
        sampling = texture.TextureDescriptor(
            (runtime.cudaAddressModeClamp,) * 2,
            runtime.cudaFilterModePoint,
            runtime.cudaReadModeElementType,
        )
        self.object = texture.TextureObject(resource, sampling)
        self.linear: Any = None
        self._parts: dict[tuple[int, ...], Texture] = {}
        if written:
            import cupy

            self.linear = cupy.zeros(shape, dtype)

    def __getitem__(self, rows: slice) -> "Texture":
        """Return a texture with a copy of some rows, queued on the current stream.

        The next part with as many rows is in the same texture.
        """
        import cupy
        from cupy.cuda import runtime

        first, end, _ = rows.indices(self.shape[0])
        shape = (end - first, *self.shape[1:])
        if shape not in self._parts:
            self._parts[shape] = Texture(shape, self.dtype, written=True)
        part, stream = self._parts[shape], cupy.cuda.get_current_stream()
        width, kind = part.linear[0].nbytes, runtime.memcpyDeviceToDevice
        size = (width, shape[0], kind, stream.ptr)
        runtime.memcpy2DFromArrayAsync(part.linear.data.ptr, width, self.array.ptr, 0, first, *size)
        part.fill()
        return part

    def fill(self) -> None:
        """Copy ``linear``, the array that kernels write, to the texture, on the current stream."""
        import cupy

        self.copy_from(self.linear, cupy.cuda.get_current_stream())

    def copy_from(self, source: Any, stream: Any) -> None:
        """Copy an array of the image's shape, on the device or the host, into the texture."""
        self.array.copy_from(source.reshape(self.shape[0], -1), stream)

    def copy_to(self, target: Any, stream: Any) -> None:
        """Copy the texture into an array of the image's shape."""
        self.array.copy_to(target.reshape(self.shape[0], -1), stream)


def as_array(image: Any) -> Any:
    """Return an image as an array: the image itself, or the content of a texture."""
    if not isinstance(image, Texture):
        return image
    if image.linear is not None:
        return image.linear
    import cupy

    copied = cupy.empty(image.shape, image.dtype)
    image.copy_to(copied, cupy.cuda.get_current_stream())
    return copied


@contextmanager
def written(image: Any) -> Iterator[Any]:
    """Yield the array that a kernel writes; then copy it to the texture, if the image is one."""
    if not hasattr(image, "object"):
        yield image
        return
    yield image.linear
    image.fill()
