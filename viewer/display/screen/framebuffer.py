"""An offscreen framebuffer for drawing pictures, with or without a window."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from wheatstone.gpu import Unavailable
from wheatstone.viewer.display.screen.opengl import allocating
from wheatstone.viewer.display.screen.texture import SPARE_UNIT

_SPACE = (  # what views in space need: attachment and format
    (GL.GL_COLOR_ATTACHMENT1, GL.GL_R32I),
    (GL.GL_DEPTH_ATTACHMENT, GL.GL_DEPTH_COMPONENT24),
)


class Framebuffer:
    """A framebuffer with 8 bits per colour channel, which compute shaders can write to.

    The first 3D view adds a depth buffer, and an image of integers that identify visible texels.
    From then on all attachments are created and deleted together, because OpenGL draws only where
    the smallest attachment has pixels.

    Attributes:
        colors: OpenGL's number of the colour texture; 0 before the first ``resize``.
    """

    def __init__(self) -> None:
        self.width = self.height = 0
        self._framebuffer = GL.glGenFramebuffers(1)
        self.colors = 0
        self._space: list[int] = []
        self._has_space = False

    def resize(self, width: int, height: int) -> None:
        """Bind the framebuffer at a size of at least 1x1; the content is lost if the size changes.

        Raises:
            Unavailable: OpenGL has no room for the images.
        """
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._framebuffer)
        if (width, height) == (self.width, self.height):
            return
        self._delete_attachments()
        with allocating(f"a picture of {width}x{height}"):
            self._attach_colors(width, height)
            if self._has_space:
                self._attach_space(width, height)
        self.width, self.height = width, height
        self._check_complete()

    def _attach_colors(self, width: int, height: int) -> None:
        self.colors = int(GL.glGenTextures(1))
        GL.glActiveTexture(GL.GL_TEXTURE0 + SPARE_UNIT)
        GL.glBindTexture(GL.GL_TEXTURE_2D, self.colors)
        for option in (GL.GL_TEXTURE_MIN_FILTER, GL.GL_TEXTURE_MAG_FILTER):
            GL.glTexParameteri(GL.GL_TEXTURE_2D, option, GL.GL_NEAREST)  # it has no smaller images
        layout = (GL.GL_RGBA8, width, height, 0, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE)
        GL.glTexImage2D(GL.GL_TEXTURE_2D, 0, *layout, None)
        attachment = (GL.GL_COLOR_ATTACHMENT0, GL.GL_TEXTURE_2D, self.colors, 0)
        GL.glFramebufferTexture2D(GL.GL_FRAMEBUFFER, *attachment)

    def _attach_space(self, width: int, height: int) -> None:
        self._space = [int(GL.glGenRenderbuffers(1)) for _ in _SPACE]
        for buffer, (attachment, kind) in zip(self._space, _SPACE, strict=True):
            GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, buffer)
            GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, kind, width, height)
            place = (attachment, GL.GL_RENDERBUFFER, buffer)
            GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, *place)

    def _check_complete(self) -> None:
        status = int(GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER))
        if status != GL.GL_FRAMEBUFFER_COMPLETE:
            raise RuntimeError(f"the framebuffer is incomplete: OpenGL's status {status:#x}")

    def bind_image(self, unit: int, access: int) -> None:
        """Bind the colour texture to an image unit so that compute shaders can access it."""
        GL.glBindImageTexture(unit, self.colors, 0, False, 0, access, GL.GL_RGBA8UI)

    @contextmanager
    def space(self) -> Iterator[None]:
        """Enable drawing of depths and texel numbers for 3D views in the ``with`` block.

        Raises:
            Unavailable: OpenGL has no room for them.
        """
        if not self._has_space:
            try:
                with allocating(f"depths of {self.width}x{self.height}"):
                    self._attach_space(self.width, self.height)
            except Unavailable:
                self._delete_space()
                raise
            self._has_space = True
            self._check_complete()
        GL.glDrawBuffers(2, (GL.GL_COLOR_ATTACHMENT0, GL.GL_COLOR_ATTACHMENT1))
        try:
            GL.glClearBufferfv(GL.GL_DEPTH, 0, (1.0,))
            GL.glClearBufferiv(GL.GL_COLOR, 1, (0, 0, 0, 0))
            yield
        finally:
            GL.glDrawBuffers(1, (GL.GL_COLOR_ATTACHMENT0,))

    def number_at(self, x: int, y: int) -> int:
        """Read the texel number of a pixel, counted from the top left; wait until it is drawn."""
        number = np.zeros(1, np.int32)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self._framebuffer)
        GL.glReadBuffer(GL.GL_COLOR_ATTACHMENT1)
        pixel = (x, self.height - 1 - y, 1, 1)
        GL.glReadPixels(*pixel, GL.GL_RED_INTEGER, GL.GL_INT, array=number)
        GL.glReadBuffer(GL.GL_COLOR_ATTACHMENT0)
        return int(number[0])

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
        """OpenGL's number of the framebuffer."""
        return int(self._framebuffer)

    def blit(self, target: int, x: int, top: int) -> None:
        """Copy the colours to another framebuffer, which stays bound; 0 is the window's own.

        Args:
            x, top: place of the upper left corner, in the other one's pixels from the left and from
                below.
        """
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self._framebuffer)
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, target)
        source = (0, 0, self.width, self.height)
        place = (x, top - self.height, x + self.width, top)
        GL.glBlitFramebuffer(*source, *place, GL.GL_COLOR_BUFFER_BIT, GL.GL_NEAREST)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, target)

    def close(self) -> None:
        GL.glDeleteFramebuffers(1, [self._framebuffer])
        self._delete_attachments()

    def _delete_space(self) -> None:
        """Delete the renderbuffers for depths and texel numbers of 3D views."""
        GL.glDeleteRenderbuffers(len(self._space), self._space)
        self._space = []

    def _delete_attachments(self) -> None:
        if self.colors:
            GL.glDeleteTextures([self.colors])
        self._delete_space()
        self.colors = self.width = self.height = 0
