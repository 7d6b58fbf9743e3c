"""Share an OpenGL buffer with CUDA as a CuPy array; the only bridge between the two.

No OpenGL is imported; the GL context that owns the buffer must be current on the calling thread.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.cuda import CudaDevice
from wheatstone.gpu.image import nbytes

# What CUDA answers when OpenGL runs elsewhere, and what mends it.
_HINTS = {
    100: "no GPU that CUDA sees drives OpenGL",
    219: "no OpenGL context is current on this thread",
    304: "OpenGL runs on another device (hybrid laptop, software or remote display); "
    "try __NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia",
    999: "OpenGL and CUDA cannot share memory on this display (WSL, VirtualGL)",
}


def why_no_interop(device: CudaDevice) -> str:
    """Return why the current OpenGL context cannot share buffers with a GPU; empty if it can."""
    try:
        from cuda.bindings import runtime
    except ImportError as error:
        return f"cuda-bindings is missing ({error})"
    everything = runtime.cudaGLDeviceList.cudaGLDeviceListAll
    code, _, ordinals = runtime.cudaGLGetDevices(8, everything)
    if int(code):
        return _HINTS.get(int(code), f"cudaGLGetDevices answered {code.name}")
    if device.ordinal not in [int(ordinal) for ordinal in ordinals]:
        return _HINTS[304]
    return ""


class MappedBuffer:
    """An OpenGL buffer registered with CUDA; every mapping discards its content.

    Registered once; ``close`` it before the GL buffer is deleted or resized.

    Args:
        gl_buffer: number of the GL buffer.
        size: its size in bytes.

    Raises:
        Unavailable: the buffer cannot be registered; the message says why.
    """

    def __init__(self, gl_buffer: int, size: int, device: CudaDevice) -> None:
        from cuda.core import Device, GraphicsResource, Stream

        self.device, self.size = device, size
        Device(device.ordinal).set_current()
        self._stream = Stream.from_handle(device.stream.ptr)
        try:
            self._resource = GraphicsResource.from_gl_buffer(gl_buffer, flags="write_discard")
        except Exception as error:
            raise Unavailable(
                f"OpenGL buffer cannot be shared with {device.name}: {error}"
            ) from error

    @contextmanager
    def map(self, shape: tuple[int, ...], dtype: Any) -> Iterator[Any]:
        """Yield the buffer as a C-contiguous CuPy array, which is valid inside the block.

        GL work issued before is done before the block's kernels run, and they are done before GL
        work issued after; the CPU waits for neither.

        Raises:
            ValueError: the array does not fit the buffer.
        """
        import cupy

        if nbytes(shape, dtype) > self.size:
            raise ValueError(f"{shape} {dtype} takes more than the buffer's {self.size} bytes")
        with self._resource.map(stream=self._stream) as mapped:
            # The address may differ in every mapping, so it is asked for every time.
            memory = cupy.cuda.UnownedMemory(
                int(mapped.handle), mapped.size, self, self.device.ordinal
            )
            yield cupy.ndarray(shape, dtype, cupy.cuda.MemoryPointer(memory, 0))

    def close(self) -> None:
        """Unregister the buffer from CUDA, without deleting the OpenGL buffer."""
        self._resource.close()
