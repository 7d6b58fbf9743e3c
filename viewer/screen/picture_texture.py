"""Small pictures, such as thumbnails, as textures with unchanged colours and smoothing.

Import after OpenGL is bound.
"""

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from wheatstone.viewer.screen.opengl import allocating


class PictureTexture:
    """A texture of a picture, drawn by Dear ImGui.

    Attributes:
        number: OpenGL's name of the texture.

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
        """Delete the texture."""
        GL.glDeleteTextures([self.number])
