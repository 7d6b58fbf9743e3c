"""PyOpenGL: bind it to EGL or GLX, describe the context, and translate its errors."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from gpu import Unavailable

APT = "apt-get install libegl1 libgl1-mesa-dri libopengl0 libgl1"
_LIBRARIES = {"egl": ("libEGL.so.1", "libOpenGL.so.0"), "glx": ("libGL.so.1",)}
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
    """Bind PyOpenGL to the platform that makes contexts, which is possible once a process.

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
    import OpenGL.GL  # noqa: F401


def bound_platform() -> str:
    """Name the platform that PyOpenGL is bound to, ``egl`` or ``glx``; empty while unbound."""
    module = sys.modules.get("OpenGL.platform")
    bound = getattr(module, "PLATFORM", None)
    return type(bound).__name__.removesuffix("Platform").lower() if bound else ""


def describe_gl() -> dict[str, str]:
    """Ask the current context for its vendor, renderer and versions."""
    from OpenGL import GL

    names = {
        "vendor": GL.GL_VENDOR,
        "renderer": GL.GL_RENDERER,
        "version": GL.GL_VERSION,
        "glsl": GL.GL_SHADING_LANGUAGE_VERSION,
    }
    return {name: GL.glGetString(code).decode() for name, code in names.items()}


@contextmanager
def allocating(what: str) -> Iterator[None]:
    """Turn errors of OpenGL about memory or sizes in the block into ``Unavailable``.

    Args:
        what: what is being allocated, for the message.
    """
    from OpenGL import GL
    from OpenGL.error import GLError

    try:
        yield
    except GLError as error:
        if error.err not in (GL.GL_OUT_OF_MEMORY, GL.GL_INVALID_VALUE):
            raise
        raise Unavailable(
            f"OpenGL has no room for {what}; choose a smaller image or window"
        ) from error
