"""OpenGL contexts without a window or a display server, created by EGL through ctypes.

PyOpenGL's own EGL module is not used: it needs OpenGL to be bound before a device is chosen.
"""

import ctypes
from collections.abc import Callable, Iterator
from ctypes import POINTER, byref, c_char_p, c_int, c_ssize_t, c_uint, c_void_p
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from wheatstone.gpu import Unavailable
from wheatstone.viewer.display.screen.opengl import APT, bind, load_library

PLATFORM_DEVICE, PLATFORM_SURFACELESS = 0x313F, 0x31DD
_CUDA_DEVICE, _DRM_FILE, _EXTENSIONS = 0x323A, 0x3233, 0x3055
_CONFIG = (0x3033, 0x0001, 0x3040, 0x0008, 0x3038)  # pbuffers, desktop OpenGL
# OpenGL 3.3, core profile; drivers give the newest version compatible with it.
_CONTEXT = (0x3098, 3, 0x30FB, 3, 0x30FD, 1, 0x3038)
_OPENGL_API = 0x30A2

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "eglQueryString": (c_char_p, c_void_p, c_int),
    "eglGetError": (c_int,),
    "eglInitialize": (c_uint, c_void_p, POINTER(c_int), POINTER(c_int)),
    "eglBindAPI": (c_uint, c_uint),
    "eglChooseConfig": (c_uint, c_void_p, POINTER(c_int), POINTER(c_void_p), c_int, POINTER(c_int)),
    "eglCreateContext": (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_int)),
    "eglMakeCurrent": (c_uint, c_void_p, c_void_p, c_void_p, c_void_p),
    "eglDestroyContext": (c_uint, c_void_p, c_void_p),
}
_EXTENSION_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "eglQueryDevicesEXT": (c_uint, c_int, POINTER(c_void_p), POINTER(c_int)),
    "eglQueryDeviceStringEXT": (c_char_p, c_void_p, c_int),
    "eglQueryDeviceAttribEXT": (c_uint, c_void_p, c_int, POINTER(c_ssize_t)),
    "eglGetPlatformDisplayEXT": (c_void_p, c_uint, c_void_p, POINTER(c_int)),
}


class EglError(RuntimeError):
    """An error of an EGL call; the message names the call and EGL's error code."""


@cache
def egl(name: str) -> Callable[..., Any]:
    """Return an EGL function by name.

    Raises:
        Unavailable: libEGL is not installed.
        EglError: this libEGL does not have the function.
    """
    library = load_library("libEGL.so.1")
    if name in _SIGNATURES:
        function = getattr(library, name)
        function.restype, *function.argtypes = _SIGNATURES[name]
        return function  # type: ignore[no-any-return]
    library.eglGetProcAddress.restype = c_void_p
    address = library.eglGetProcAddress(name.encode())
    if not address:
        raise EglError(f"{name} is missing")
    return ctypes.CFUNCTYPE(*_EXTENSION_SIGNATURES[name])(address)


@dataclass(frozen=True)
class EglDevice:
    """A device that EGL can render on without a window system.

    Attributes:
        index: the device's position in EGL's list.
        cuda_ordinal: number of the same GPU in CUDA; None for devices unknown to CUDA.
        software: whether the CPU renders.
        drm_file: the kernel's device file; empty if there is none.
    """

    index: int
    handle: int
    cuda_ordinal: int | None
    software: bool
    drm_file: str

    def __str__(self) -> str:
        kind = "software" if self.software else "hardware"
        if self.cuda_ordinal is not None:
            kind = f"CUDA device {self.cuda_ordinal}"
        file = f", {self.drm_file}" if self.drm_file else ""
        return f"EGL device {self.index} ({kind}{file})"


def egl_devices() -> list[EglDevice]:
    """List the devices that EGL offers; empty if EGL cannot list them.

    Raises:
        Unavailable: libEGL is not installed.
    """
    offered = egl("eglQueryString")(None, _EXTENSIONS) or b""
    if not {b"EGL_EXT_device_enumeration", b"EGL_EXT_device_base"} & set(offered.split()):
        return []
    handles, count = (c_void_p * 32)(), c_int()
    if not egl("eglQueryDevicesEXT")(32, handles, byref(count)):
        return []
    return [_device(index, handle or 0) for index, handle in enumerate(handles[: count.value])]


def _device(index: int, handle: int) -> EglDevice:
    extensions = (egl("eglQueryDeviceStringEXT")(handle, _EXTENSIONS) or b"").split()
    ordinal, file = c_ssize_t(), b""
    has_ordinal = b"EGL_NV_device_cuda" in extensions and egl("eglQueryDeviceAttribEXT")(
        handle, _CUDA_DEVICE, byref(ordinal)
    )
    if b"EGL_EXT_device_drm" in extensions:
        file = egl("eglQueryDeviceStringEXT")(handle, _DRM_FILE) or b""
    return EglDevice(
        index,
        handle,
        ordinal.value if has_ordinal else None,
        b"EGL_MESA_device_software" in extensions,
        file.decode(),
    )


class EglContext:
    """An OpenGL core context without a surface, on an EGL platform or a device of it.

    Raises:
        EglError: a step failed.
    """

    def __init__(self, platform: int, native: int | None) -> None:
        self._display = self._try("eglGetPlatformDisplayEXT", platform, native, None)
        self._try("eglInitialize", self._display, None, None)
        self._try("eglBindAPI", _OPENGL_API)
        attributes = (c_int * len(_CONTEXT))(*_CONTEXT)
        self._context = self._try(
            "eglCreateContext", self._display, self._config(), None, attributes
        )
        try:
            self.make_current()
        except EglError:
            self.close()
            raise

    def _config(self) -> c_void_p:
        """Choose an EGL config for pbuffers; return a null pointer if there is no such config."""
        config, count = c_void_p(), c_int()
        attributes = (c_int * len(_CONFIG))(*_CONFIG)
        egl("eglChooseConfig")(self._display, attributes, byref(config), 1, byref(count))
        return config

    def make_current(self) -> None:
        """Make the context current on the calling thread."""
        self._try("eglMakeCurrent", self._display, None, None, self._context)

    def close(self) -> None:
        """Destroy the context, but not EGL's display, which is shared; harmless when repeated."""
        if self._context:
            egl("eglMakeCurrent")(self._display, None, None, None)
            egl("eglDestroyContext")(self._display, self._context)
            self._context = None

    @staticmethod
    def _try(name: str, *arguments: Any) -> Any:
        """Call an EGL function; raise ``EglError`` if its result is false."""
        result = egl(name)(*arguments)
        if not result:
            raise EglError(f"{name} failed with {egl('eglGetError')():#x}")
        return result


def preferred(devices: list[EglDevice], cuda_ordinal: int | None) -> Iterator[EglDevice]:
    """Yield devices in the order to try: the wanted GPU, other CUDA devices, hardware, software."""

    def rank(device: EglDevice) -> int:
        if device.cuda_ordinal is not None:
            return 0 if device.cuda_ordinal == cuda_ordinal else 1
        return 3 if device.software else 2

    yield from sorted(devices, key=rank)


__all__ = ["EglDevice", "OffscreenContext", "egl_devices"]


class OffscreenContext:
    """An offscreen context of OpenGL 3.3 core or newer, current on this thread until closed.

    It has no framebuffer. Devices are tried in this order: the GPU of the CUDA ordinal, other CUDA
    devices, other hardware, the CPU; last Mesa without a device.

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

    def __exit__(self, *error: object) -> None:
        self.close()


def _candidates(cuda_ordinal: int | None) -> Iterator[tuple[str, int, int | None]]:
    """Yield the EGL devices to try, each as name, platform and device handle (or None)."""
    for device in preferred(egl_devices(), cuda_ordinal):
        yield str(device), PLATFORM_DEVICE, device.handle
    yield "EGL without a device (Mesa surfaceless)", PLATFORM_SURFACELESS, None
