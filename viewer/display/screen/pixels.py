"""Pixel buffers, which receive the results of a pipeline's last stage for display by OpenGL.

A GL buffer holds the values, and a texture is filled from it on the GPU. The mode is how values
reach the buffer: ``interop``: kernels write into the buffer itself; ``copy``: a CUDA array is
copied through the host; ``cpu``: a host array is copied.
"""

import ctypes
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import Device, open_device
from wheatstone.gpu.image import nbytes
from wheatstone.gpu.pipeline import Array


class PixelBuffer:
    """A GL buffer that passes the values of an image to a texture.

    Attributes:
        mode: ``interop``, ``copy`` or ``cpu``.
        shape: height and width of the image, and its channels if there are several.
        buffer: OpenGL's number of the buffer.
    """

    mode: str

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self.buffer = _new_buffer(shape, dtype)

    def map(self) -> AbstractContextManager[Array]:
        """Yield an array of ``shape`` and ``dtype`` on the computing device, to be filled fully.

        After the block the GL buffer holds the values; the array must not be used any more.
        """
        raise NotImplementedError

    def close(self) -> None:
        from OpenGL import GL

        GL.glDeleteBuffers(1, [self.buffer])


class InteropPixels(PixelBuffer):
    """A pixel buffer that kernels write into directly, without copying.

    Raises:
        Unavailable: OpenGL and CUDA cannot share a buffer; the message says why.
    """

    mode = "interop"

    def __init__(self, shape: tuple[int, ...], dtype: Any, device: Device) -> None:
        from wheatstone.gpu.cuda import CudaDevice
        from wheatstone.gpu.interop import MappedBuffer

        assert isinstance(device, CudaDevice)
        super().__init__(shape, dtype)
        try:
            self._shared = MappedBuffer(self.buffer, nbytes(shape, dtype), device)
        except Unavailable:
            super().close()
            raise

    def map(self) -> AbstractContextManager[Array]:
        return self._shared.map(self.shape, self.dtype)

    def close(self) -> None:
        self._shared.close()  # before the buffer it shares
        super().close()


class CopiedPixels(PixelBuffer):
    """A pixel buffer that is filled from a device's array through the host."""

    def __init__(self, shape: tuple[int, ...], dtype: Any, device: Device) -> None:
        self.mode = "cpu" if device.on_host else "copy"
        self._device = device
        with device.active():
            self._host = self._array = device.zeros(shape, np.dtype(dtype))
        if self.mode == "copy":
            self._host = device.host_buffer(shape, np.dtype(dtype))
        super().__init__(shape, dtype)

    @contextmanager
    def map(self) -> Iterator[Array]:
        yield self._array
        if self.mode == "copy":
            self._device.download(self._array, self._host)
        _fill_buffer(self.buffer, self._host)


def display_mode(asked: str, kind: str) -> tuple[str, str]:
    """Choose whether results reach OpenGL directly or through copies; return mode and reason.

    The mode is how results reach OpenGL. The reason is empty with interop and for the CPU.

    Args:
        asked: ``interop``, ``copy`` or ``auto``: interop if the current context allows it.
        kind: ``cpu`` or ``cuda``.

    Raises:
        Unavailable: interop was requested and is impossible.
    """
    if kind == "cpu":
        return "cpu", ""
    if asked == "copy":
        return "copy", "copying was asked for"
    from wheatstone.gpu.cuda import CudaDevice
    from wheatstone.gpu.interop import why_no_interop

    device = open_device("cuda")
    assert isinstance(device, CudaDevice)
    why = why_no_interop(device)
    if why and asked == "interop":
        raise Unavailable(f"interop is impossible: {why}; use --display copy")
    return ("copy" if why else "interop"), why


def open_pixels(asked: str, shape: tuple[int, ...], dtype: Any, device: Device) -> PixelBuffer:
    """Create a pixel buffer that passes results of a device to OpenGL.

    Raises:
        Unavailable: interop was requested and is impossible, or there is no room.
    """
    if display_mode(asked, device.kind)[0] == "interop":
        try:
            return InteropPixels(shape, dtype, device)
        except Unavailable:
            if asked == "interop":
                raise
    return CopiedPixels(shape, dtype, device)


def _new_buffer(shape: tuple[int, ...], dtype: Any) -> int:
    from OpenGL import GL

    from wheatstone.viewer.display.screen.opengl import allocating

    buffer = int(GL.glGenBuffers(1))
    GL.glBindBuffer(GL.GL_PIXEL_UNPACK_BUFFER, buffer)
    with allocating(f"a pixel buffer of {shape[1]}x{shape[0]}"):
        size = _whole_words(nbytes(shape, dtype))
        GL.glBufferData(GL.GL_PIXEL_UNPACK_BUFFER, size, None, GL.GL_STREAM_DRAW)
    GL.glBindBuffer(GL.GL_PIXEL_UNPACK_BUFFER, 0)
    return buffer


def _fill_buffer(buffer: int, array: Array) -> None:
    from OpenGL import GL
    from OpenGL.raw.GL.VERSION import GL_1_5 as RAW  # what finds out what an array is takes long

    assert array.flags.c_contiguous
    GL.glBindBuffer(GL.GL_PIXEL_UNPACK_BUFFER, buffer)
    # Without old content the driver need not wait until the previous frame has read it.
    size = _whole_words(array.nbytes)
    RAW.glBufferData(GL.GL_PIXEL_UNPACK_BUFFER, size, None, GL.GL_STREAM_DRAW)
    RAW.glBufferSubData(
        GL.GL_PIXEL_UNPACK_BUFFER, 0, array.nbytes, ctypes.c_void_p(array.ctypes.data)
    )
    GL.glBindBuffer(GL.GL_PIXEL_UNPACK_BUFFER, 0)


def _whole_words(size: int) -> int:
    """Round a size in bytes up to words of four bytes, as compute shaders read a buffer."""
    return -(-size // 4) * 4
