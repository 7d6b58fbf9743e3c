"""Copies of GL buffers into textures by compute shaders.

On an H200, OpenGL's own copy of a 1080p image takes about ten times as long. Import after OpenGL is
bound.
"""

from OpenGL import GL

from wheatstone.gpu.image import nbytes
from wheatstone.viewer.screen.compute import dispatch
from wheatstone.viewer.screen.program import ShaderProgram
from wheatstone.viewer.screen.texture import GLTexture

KINDS = ("BYTES", "COLOURS", "SHORTS", "WORDS", "REALS")  # as in shaders/unpack.comp
# By dtype and channels: the texture's format, the shader's name of it, what texels are made of.
_FORMATS = {
    ("uint8", 1): (GL.GL_R8UI, "r8ui", "BYTES"),
    ("uint16", 1): (GL.GL_R16UI, "r16ui", "SHORTS"),
    ("uint32", 1): (GL.GL_R32UI, "r32ui", "WORDS"),
    ("int16", 1): (GL.GL_R16I, "r16i", "SHORTS"),
    ("int32", 1): (GL.GL_R32I, "r32i", "WORDS"),
    ("float32", 1): (GL.GL_R32F, "r32f", "REALS"),
    ("uint8", 4): (GL.GL_RGBA8UI, "rgba8ui", "COLOURS"),
}
_NUMBERS, _TEXELS = 0, 0  # bindings in the shader


class Unpacker:
    """Copies GL buffers into textures, with one program for each format."""

    def __init__(self) -> None:
        self._programs: dict[tuple[str, int], ShaderProgram] = {}
        self._most = int(GL.glGetIntegerv(GL.GL_MAX_SHADER_STORAGE_BLOCK_SIZE))

    def takes(self, texture: GLTexture) -> bool:
        """Return whether a compute shader can fill a texture."""
        fits = nbytes(texture.shape, texture.dtype) <= self._most
        return fits and texture.texel in _FORMATS

    def write(self, texture: GLTexture, buffer: int) -> None:
        """Copy a GL buffer, padded to words of four bytes, into a texture."""
        key = texture.texel
        internal, name, kind = _FORMATS[key]
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
        """Delete the programs."""
        for program in self._programs.values():
            program.close()
        self._programs.clear()


def _constants(name: str, kind: str, signed: bool) -> str:
    """Return the shader's constants for a format, as source lines."""
    numbers = [f"#define {each} {number}" for number, each in enumerate(KINDS)]
    told = f"#define FORMAT {name}", f"#define ELEMENT {kind}", f"#define SIGNED {int(signed)}"
    return "\n".join([*numbers, *told])
