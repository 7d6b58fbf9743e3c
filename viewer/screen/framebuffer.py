"""A framebuffer off the screen, which pictures are drawn into, with a window or without.

Import after OpenGL is bound.
"""

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from viewer.screen.opengl import allocating


class Framebuffer:
    """A framebuffer with a colour image of 8 bits a channel."""

    def __init__(self) -> None:
        self.width = self.height = 0
        self._framebuffer = GL.glGenFramebuffers(1)
        self._colors = GL.glGenRenderbuffers(1)

    def resize(self, width: int, height: int) -> None:
        """Bind the framebuffer at a size of at least 1x1; the content is lost if the size changes.

        Raises:
            Unavailable: OpenGL has no room for the image.
        """
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._framebuffer)
        if (width, height) == (self.width, self.height):
            return
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, self._colors)
        with allocating(f"a picture of {width}x{height}"):
            GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, GL.GL_RGBA8, width, height)
        attachment = (GL.GL_COLOR_ATTACHMENT0, GL.GL_RENDERBUFFER, self._colors)
        GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, *attachment)
        self.width, self.height = width, height

    def read(self) -> NDArray[np.uint8]:
        """Copy the colours to the host, (H, W, 3), top row first; wait until they are drawn."""
        pixels = np.empty((self.height, self.width, 3), np.uint8)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self._framebuffer)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
        region = (0, 0, self.width, self.height)
        GL.glReadPixels(*region, GL.GL_RGB, GL.GL_UNSIGNED_BYTE, array=pixels)
        return np.ascontiguousarray(pixels[::-1])

    @property
    def number(self) -> int:
        """Look up OpenGL's number of the framebuffer."""
        return int(self._framebuffer)

    def blit(self, target: int, x: int, top: int) -> None:
        """Copy the colours to another framebuffer, which stays bound.

        Args:
            target: OpenGL's number of the other one; 0 is the window's own.
            x, top: where the upper left corner goes, in the other one's pixels from the left and
                from below.
        """
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self._framebuffer)
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, target)
        source = (0, 0, self.width, self.height)
        place = (x, top - self.height, x + self.width, top)
        GL.glBlitFramebuffer(*source, *place, GL.GL_COLOR_BUFFER_BIT, GL.GL_NEAREST)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, target)

    def close(self) -> None:
        """Delete the framebuffer and its image."""
        GL.glDeleteFramebuffers(1, [self._framebuffer])
        GL.glDeleteRenderbuffers(1, [self._colors])
