"""PyOpenGL: the window system it is bound to, and what the current context is."""

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
        Unavailable: it is not installed; the message names the packages.
    """
    try:
        return ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise Unavailable(f"OpenGL is missing ({error}); install it with: {APT}") from error


def bind(platform: Literal["egl", "glx"]) -> None:
    """Bind PyOpenGL to the way contexts are made. It binds once a process, when first imported.

    Raises:
        Unavailable: it is bound, or by PYOPENGL_PLATFORM asked to bind, to another; or the system
            libraries are missing.
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
    """What PyOpenGL is bound to, ``egl`` or ``glx``; empty while it may still choose."""
    module = sys.modules.get("OpenGL.platform")
    bound = getattr(module, "PLATFORM", None)
    return type(bound).__name__.removesuffix("Platform").lower() if bound else ""


def describe_gl() -> dict[str, str]:
    """What the current context says about itself."""
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
    """Turn OpenGL running out of memory, or refusing a size, into ``Unavailable``."""
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
