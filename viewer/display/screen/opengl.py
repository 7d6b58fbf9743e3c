"""PyOpenGL: binding to EGL or GLX, properties of the context, and translation of its errors."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from wheatstone.gpu import Unavailable
from wheatstone.gpu.installation import as_root

APT = as_root("apt-get install libegl1 libgl1-mesa-dri libopengl0 libgl1 libx11-6 libxext6")
_LIBRARIES = {"egl": ("libEGL.so.1", "libOpenGL.so.0"), "glx": ("libGL.so.1",)}
SOFTWARE = ("llvmpipe", "softpipe", "swiftshader", "software")
"""Parts of the names of renderers that draw on the CPU."""
COMPUTE = {
    f"GL_ARB_{name}"
    for name in ("compute_shader", "shader_image_load_store", "shader_storage_buffer_object")
}
"""The extensions that give OpenGL older than 4.3 compute shaders that paint from buffers."""
_ALIASES = {"x11": "glx", "linux": "glx", "wayland": "egl"}  # PyOpenGL's own


def load_library(name: str) -> ctypes.CDLL:
    """Load a system library of OpenGL.

    Raises:
        Unavailable: the library is not installed; the message names the packages.
    """
    try:
        return ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise Unavailable(f"OpenGL is missing ({error}); install it with: {APT}") from error


def bind(platform: Literal["egl", "glx"]) -> None:
    """Bind PyOpenGL to the platform that creates contexts, which is possible once per process.

    Raises:
        Unavailable: PyOpenGL is bound to another platform already, or PYOPENGL_PLATFORM asks for
            another; or the system libraries are missing.
    """
    asked = os.environ.get("PYOPENGL_PLATFORM") or platform
    asked = _ALIASES.get(asked, asked)
    if bound_platform() not in ("", platform):
        raise Unavailable(
            f"this process already uses OpenGL through {bound_platform()}, so it cannot use "
            f"{platform}; run it as a process of its own"
        )
    if asked != platform:
        raise Unavailable(
            f"PYOPENGL_PLATFORM is {asked}, but this needs {platform}: unset PYOPENGL_PLATFORM"
        )
    for library in _LIBRARIES[platform]:
        load_library(library)
    os.environ["PYOPENGL_PLATFORM"] = platform
    import OpenGL

    OpenGL.ERROR_CHECKING = checks_errors()
    import OpenGL.GL


def checks_errors() -> bool:
    """Return whether OpenGL is checked for errors after each call.

    That takes a fifth of the time to draw a frame, so it is enabled for debugging only.
    """
    return bool(os.environ.get("WHEATSTONE_DEBUG") or os.environ.get("WHEATSTONE_GL_CHECKS"))


def bound_platform() -> str:
    """Return the platform that PyOpenGL is bound to, ``egl`` or ``glx``; empty while unbound."""
    module = sys.modules.get("OpenGL.platform")
    bound = getattr(module, "PLATFORM", None)
    return type(bound).__name__.removesuffix("Platform").lower() if bound else ""


def describe_gl() -> dict[str, str]:
    """Return the vendor, renderer and versions of the current context."""
    from OpenGL import GL

    names = {
        "vendor": GL.GL_VENDOR,
        "renderer": GL.GL_RENDERER,
        "version": GL.GL_VERSION,
        "glsl": GL.GL_SHADING_LANGUAGE_VERSION,
    }
    return {name: GL.glGetString(code).decode() for name, code in names.items()}


def on_cpu() -> bool:
    """Return whether the current context draws on the CPU."""
    renderer = describe_gl()["renderer"].casefold()
    return any(name in renderer for name in SOFTWARE)


def has_compute_shaders() -> bool:
    """Return whether the current context supports the compute shaders that draw pictures.

    OpenGL 4.3 does, and older versions with extensions: NVIDIA's driver has them in any context.
    """
    from OpenGL import GL

    version = GL.glGetIntegerv(GL.GL_MAJOR_VERSION), GL.glGetIntegerv(GL.GL_MINOR_VERSION)
    if tuple(map(int, version)) >= (4, 3):
        return True
    count = range(int(GL.glGetIntegerv(GL.GL_NUM_EXTENSIONS)))
    return COMPUTE <= {GL.glGetStringi(GL.GL_EXTENSIONS, index).decode() for index in count}


@contextmanager
def allocating(what: str) -> Iterator[None]:
    """Convert OpenGL errors about memory or sizes in the ``with`` block to ``Unavailable``.

    Args:
        what: the name of the allocated object, for the message.

    Raises:
        RuntimeError: OpenGL reports another error in the block.
    """
    from OpenGL import GL
    from OpenGL.error import GLError

    while GL.glGetError():
        pass  # of calls before, which nobody asked about
    try:
        yield
        code = int(GL.glGetError())
    except GLError as error:
        code = int(error.err)
    if code in (GL.GL_OUT_OF_MEMORY, GL.GL_INVALID_VALUE):
        raise Unavailable(f"OpenGL has no memory for {what}; choose a smaller image or window")
    if code:
        raise RuntimeError(f"OpenGL error {code:#x} while creating {what}")
