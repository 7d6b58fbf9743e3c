"""Textures that hold data: one texel per array element, never filtered."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL
from OpenGL.raw.GL.VERSION import GL_1_1 as RAW

from wheatstone.gpu.image import nbytes
from wheatstone.viewer.display.screen.opengl import allocating
from wheatstone.viewer.display.screen.program import ShaderProgram, dispatch

UNSIGNED, SIGNED, REAL, COLOR = range(4)  # kinds of samplers, as in shaders/image.glsl
_SERIALS = itertools.count()
SPARE_UNIT = 15  # no sampler reads it: writing here leaves bound what a draw has bound

# By dtype and channels: kind, internal format, format and type. The last two match the first, so
# that an upload copies and converts nothing.
_FORMATS = {
    ("uint8", 1): (UNSIGNED, GL.GL_R8UI, GL.GL_RED_INTEGER, GL.GL_UNSIGNED_BYTE),
    ("uint16", 1): (UNSIGNED, GL.GL_R16UI, GL.GL_RED_INTEGER, GL.GL_UNSIGNED_SHORT),
    ("uint32", 1): (UNSIGNED, GL.GL_R32UI, GL.GL_RED_INTEGER, GL.GL_UNSIGNED_INT),
    ("int16", 1): (SIGNED, GL.GL_R16I, GL.GL_RED_INTEGER, GL.GL_SHORT),
    ("int32", 1): (SIGNED, GL.GL_R32I, GL.GL_RED_INTEGER, GL.GL_INT),
    ("float32", 1): (REAL, GL.GL_R32F, GL.GL_RED, GL.GL_FLOAT),
    ("uint8", 3): (COLOR, GL.GL_RGB8UI, GL.GL_RGB_INTEGER, GL.GL_UNSIGNED_BYTE),
    ("uint8", 4): (COLOR, GL.GL_RGBA8UI, GL.GL_RGBA_INTEGER, GL.GL_UNSIGNED_BYTE),
    ("int32", 4): (SIGNED, GL.GL_RGBA32I, GL.GL_RGBA_INTEGER, GL.GL_INT),
}
KINDS = ("BYTES", "COLOURS", "SHORTS", "WORDS", "REALS")  # as in shaders/unpack.comp
# By dtype and channels: the texture's format, the shader's name of it, what texels are made of.
_STORED_AS = {
    ("uint8", 1): (GL.GL_R8UI, "r8ui", "BYTES"),
    ("uint16", 1): (GL.GL_R16UI, "r16ui", "SHORTS"),
    ("uint32", 1): (GL.GL_R32UI, "r32ui", "WORDS"),
    ("int16", 1): (GL.GL_R16I, "r16i", "SHORTS"),
    ("int32", 1): (GL.GL_R32I, "r32i", "WORDS"),
    ("float32", 1): (GL.GL_R32F, "r32f", "REALS"),
    ("uint8", 4): (GL.GL_RGBA8UI, "rgba8ui", "COLOURS"),
}
_NUMBERS, _TEXELS = 0, 0  # bindings in the shader


class GLTexture:
    """A two-dimensional texture for arrays of one shape, (H, W) or (H, W, channels), and dtype.

    Attributes:
        kind: the kind of sampler that reads the texture.
        texel: name of the dtype, and channels.
        serial: a number that changes at each write, unique among all textures.

    Raises:
        ValueError: no texture format holds such an array.
        Unavailable: OpenGL has no room for the texture.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype, self.serial = shape, np.dtype(dtype), next(_SERIALS)
        self.channels = channels = shape[2] if len(shape) == 3 else 1
        self.texel = self.dtype.name, channels
        if self.texel not in _FORMATS or len(shape) not in (2, 3):
            raise ValueError(f"an array of shape {shape} and dtype {self.dtype} cannot be shown")
        self.kind, internal, self._format, self._type = _FORMATS[self.texel]
        self._texture = GL.glGenTextures(1)
        self.bind(SPARE_UNIT)
        for option in (GL.GL_TEXTURE_MIN_FILTER, GL.GL_TEXTURE_MAG_FILTER):
            GL.glTexParameteri(GL.GL_TEXTURE_2D, option, GL.GL_NEAREST)  # integers allow no other
        height, width = shape[:2]
        layout = (internal, width, height, 0, self._format, self._type)
        with allocating(f"a texture of {width}x{height}"):
            GL.glTexImage2D(GL.GL_TEXTURE_2D, 0, *layout, None)

    def fits(self, shape: tuple[int, ...], dtype: Any) -> bool:
        """Return whether the texture was created for arrays of a shape and dtype."""
        return self.shape == shape and self.dtype == dtype

    def write(self, array: NDArray[Any]) -> None:
        """Copy a host array into the texture."""
        self._write(np.ascontiguousarray(array))

    def write_buffer(self, buffer: int) -> None:
        """Copy a GL buffer into the texture, on the GPU."""
        GL.glBindBuffer(GL.GL_PIXEL_UNPACK_BUFFER, buffer)
        self._write(None, RAW.glTexSubImage2D)  # what finds out what an array is takes long
        GL.glBindBuffer(GL.GL_PIXEL_UNPACK_BUFFER, 0)

    def _write(self, source: Any, write: Callable[..., None] = GL.glTexSubImage2D) -> None:
        """Fill the texture from an array, or from the start of the bound buffer."""
        height, width = self.shape[:2]
        GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 1)  # rows are not padded
        self.bind(SPARE_UNIT)
        region = (0, 0, width, height)
        write(GL.GL_TEXTURE_2D, 0, *region, self._format, self._type, source)
        self.serial = next(_SERIALS)

    def read(self) -> NDArray[Any]:
        """Copy the texture to the host; wait until the GPU has written it."""
        array = np.empty(self.shape, self.dtype)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
        self.bind(SPARE_UNIT)
        GL.glGetTexImage(GL.GL_TEXTURE_2D, 0, self._format, self._type, array)
        return array

    def part(self, rows: slice, columns: slice) -> NDArray[Any]:
        """Copy rows and columns of the texture to the host; unbind the framebuffer for reading."""
        height, width = rows.stop - rows.start, columns.stop - columns.start
        framebuffer = GL.glGenFramebuffers(1)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, framebuffer)
        attached = (GL.GL_COLOR_ATTACHMENT0, GL.GL_TEXTURE_2D, self._texture, 0)
        GL.glFramebufferTexture2D(GL.GL_READ_FRAMEBUFFER, *attached)
        status = GL.glCheckFramebufferStatus(GL.GL_READ_FRAMEBUFFER)
        pixels = np.empty((height, width, *self.shape[2:]), self.dtype)
        if status == GL.GL_FRAMEBUFFER_COMPLETE:
            GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
            region = (columns.start, rows.start, width, height)
            GL.glReadPixels(*region, self._format, self._type, array=pixels)
        else:  # OpenGL need not draw into three channels of integers
            pixels = self.read()[rows, columns]
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, 0)
        GL.glDeleteFramebuffers(1, [framebuffer])
        return pixels

    def bind(self, unit: int) -> None:
        """Bind this texture to a texture unit for samplers."""
        GL.glActiveTexture(GL.GL_TEXTURE0 + unit)
        GL.glBindTexture(GL.GL_TEXTURE_2D, self._texture)

    def bind_image(self, unit: int, layout: int) -> None:
        """Bind this texture, of OpenGL's format ``layout``, to an image unit for shaders."""
        GL.glBindImageTexture(unit, self._texture, 0, False, 0, GL.GL_WRITE_ONLY, layout)
        self.serial = next(_SERIALS)

    def close(self) -> None:
        GL.glDeleteTextures([self._texture])


def written(known: GLTexture | None, array: NDArray[Any]) -> GLTexture:
    """Copy an array to a texture, reused if it fits, else created; return the texture."""
    if known is None or not known.fits(array.shape, array.dtype):
        if known:
            known.close()
        known = GLTexture(array.shape, array.dtype)
    known.write(array)
    return known


class Unpacker:
    """A converter of GL buffers to textures by compute shaders, one program for each format."""

    def __init__(self) -> None:
        self._programs: dict[tuple[str, int], ShaderProgram] = {}
        self._most = int(GL.glGetIntegerv(GL.GL_MAX_SHADER_STORAGE_BLOCK_SIZE))

    def takes(self, texture: GLTexture) -> bool:
        """Return whether a compute shader can fill a texture of this format and size."""
        fits = nbytes(texture.shape, texture.dtype) <= self._most
        return fits and texture.texel in _STORED_AS

    def write(self, texture: GLTexture, buffer: int) -> None:
        """Copy a GL buffer, padded to words of four bytes, into a texture."""
        key = texture.texel
        internal, name, kind = _STORED_AS[key]
        if key not in self._programs:
            signed = texture.dtype.kind == "i"
            self._programs[key] = ShaderProgram(
                "unpack.comp", constants=_constants(name, kind, signed)
            )
        self._programs[key].use()
        GL.glBindBufferBase(GL.GL_SHADER_STORAGE_BUFFER, _NUMBERS, buffer)
        texture.bind_image(_TEXELS, internal)
        height, width = texture.shape[:2]
        dispatch(width, height, GL.GL_TEXTURE_FETCH_BARRIER_BIT | GL.GL_TEXTURE_UPDATE_BARRIER_BIT)
        GL.glBindBufferBase(GL.GL_SHADER_STORAGE_BUFFER, _NUMBERS, 0)

    def close(self) -> None:
        for program in self._programs.values():
            program.close()
        self._programs.clear()


def _constants(name: str, kind: str, signed: bool) -> str:
    numbers = [f"#define {each} {number}" for number, each in enumerate(KINDS)]
    definitions = (
        f"#define FORMAT {name}",
        f"#define ELEMENT {kind}",
        f"#define SIGNED {int(signed)}",
    )
    return "\n".join([*numbers, *definitions])


class PictureTexture:
    """A texture of an (H, W, 3) RGB picture, drawn by Dear ImGui; ``number`` is OpenGL's name.

    Raises:
        Unavailable: OpenGL has no room for it.
    """

    def __init__(self, picture: NDArray[np.uint8]) -> None:
        height, width = picture.shape[:2]
        bound = GL.glGetIntegerv(GL.GL_TEXTURE_BINDING_2D)
        self.number = int(GL.glGenTextures(1))
        GL.glBindTexture(GL.GL_TEXTURE_2D, self.number)
        for option in (GL.GL_TEXTURE_MIN_FILTER, GL.GL_TEXTURE_MAG_FILTER):
            GL.glTexParameteri(GL.GL_TEXTURE_2D, option, GL.GL_LINEAR)
        GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 1)  # rows are not padded
        layout = (GL.GL_RGB8, width, height, 0, GL.GL_RGB, GL.GL_UNSIGNED_BYTE)
        with allocating(f"a texture of {width}x{height}"):
            GL.glTexImage2D(GL.GL_TEXTURE_2D, 0, *layout, np.ascontiguousarray(picture))
        GL.glBindTexture(GL.GL_TEXTURE_2D, bound)

    def close(self) -> None:
        GL.glDeleteTextures([self.number])
