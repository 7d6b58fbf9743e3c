"""An OpenGL context without a window or a display server."""

from collections.abc import Iterator
from types import TracebackType
from typing import Self

from wheatstone.gpu import Unavailable
from wheatstone.viewer.screen.egl import (
    PLATFORM_DEVICE,
    PLATFORM_SURFACELESS,
    EglContext,
    EglDevice,
    EglError,
    egl_devices,
    preferred,
)
from wheatstone.viewer.screen.opengl import APT, bind

__all__ = ["EglDevice", "OffscreenContext", "egl_devices"]


class OffscreenContext:
    """An offscreen context of OpenGL 3.3 core or newer, current on this thread until closed.

    It has no framebuffer. Devices are tried in this order: the GPU of the CUDA ordinal, other CUDA
    devices, other hardware, the CPU; last Mesa without a device.

    Args:
        cuda_ordinal: the GPU that CUDA computes on; None without CUDA.

    Attributes:
        device: a description of the chosen device.

    Raises:
        Unavailable: OpenGL is not installed, or no device gives a context.
    """

    def __init__(self, cuda_ordinal: int | None) -> None:
        bind("egl")
        failures = []
        for name, platform, native in _candidates(cuda_ordinal):
            try:
                self._context = EglContext(platform, native)
            except EglError as error:
                failures.append(f"{name}: {error}")
            else:
                self.device = name
                return
        raise Unavailable(f"no OpenGL context ({'; '.join(failures)}); install one with: {APT}")

    def make_current(self) -> None:
        """Make the context current on the calling thread."""
        self._context.make_current()

    def close(self) -> None:
        """Destroy the context and with it everything made in it; harmless when repeated."""
        self._context.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _candidates(cuda_ordinal: int | None) -> Iterator[tuple[str, int, int | None]]:
    """Yield the devices to try: a name, EGL's platform, and the device's handle or None."""
    for device in preferred(egl_devices(), cuda_ordinal):
        yield str(device), PLATFORM_DEVICE, device.handle
    yield "EGL without a device (Mesa surfaceless)", PLATFORM_SURFACELESS, None
