"""Copies of pictures from the GPU to the host, made while the GPU draws the next ones."""

import ctypes
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from wheatstone.viewer.display.screen.opengl import allocating

MOST = 3  # pictures on their way to the host
_START = ctypes.c_void_p(0)  # of the buffer bound, not of the host's memory
PATIENCE = 2_000_000_000  # nanoseconds that a picture may take once it is waited for


@dataclass
class _Reading:
    """A picture being copied to a buffer; ``fence`` is signalled once the copy is complete."""

    buffer: int
    fence: Any
    shape: tuple[int, int, int]
    seconds: float

    @property
    def nbytes(self) -> int:
        """The size in bytes of the picture being copied."""
        height, width, channels = self.shape
        return height * width * channels


@dataclass(frozen=True, eq=False)
class Loan:
    """A picture in OpenGL's own memory, lent to the caller to avoid another copy.

    Attributes:
        pixels: (H, W, 4) RGBA, bottom row first; not to be read after ``give_back``.
        seconds: the time that the caller gave to it.
    """

    pixels: NDArray[np.uint8]
    seconds: float
    _buffer: int
    _returned: "deque[Loan]"

    def give_back(self) -> None:
        """Release the picture's memory for reuse; call this once, from any thread."""
        self._returned.append(self)


class Readback:
    """A reader that copies a framebuffer's colours to the host in the background."""

    def __init__(self) -> None:
        self._reading: deque[_Reading] = deque()
        self._lent: set[int] = set()
        self._returned: deque[Loan] = deque()
        self._spare: list[int] = []  # buffers of ``_bytes`` that hold nothing any more
        self._bytes = 0

    def begin(self, framebuffer: int, width: int, height: int, seconds: float) -> bool:
        """Start to copy a framebuffer; return False if too many copies are in progress.

        ``seconds``: a time that is returned with the picture.

        Raises:
            Unavailable: OpenGL has no room for a copy.
        """
        self._take_back()
        if len(self._reading) >= MOST:
            return False
        buffer = self._bound(width, height)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, framebuffer)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 4)
        # Four channels: drivers convert any other number on the CPU, and wait for that.
        GL.glReadPixels(0, 0, width, height, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, _START)
        GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, 0)
        fence = GL.glFenceSync(GL.GL_SYNC_GPU_COMMANDS_COMPLETE, 0)
        self._reading.append(_Reading(buffer, fence, (height, width, 4), seconds))
        return True

    def _bound(self, width: int, height: int) -> int:
        """Bind a buffer for a picture of a size, reusing an old one if possible.

        Drivers keep the memory of deleted buffers for a while: one per picture would fill it.
        """
        if self._bytes != width * height * 4:
            self._delete_spare()
            self._bytes = width * height * 4
        if self._spare:
            buffer = self._spare.pop()
            GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, buffer)
            return buffer
        buffer = int(GL.glGenBuffers(1))
        GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, buffer)
        with allocating(f"a copy of {width}x{height}"):
            GL.glBufferData(GL.GL_PIXEL_PACK_BUFFER, self._bytes, None, GL.GL_STREAM_READ)
        return buffer

    def _delete_spare(self) -> None:
        for buffer in self._spare:
            GL.glDeleteBuffers(1, [buffer])
        self._spare.clear()

    def finished(self, *, wait: bool = False) -> list[tuple[NDArray[np.uint8], float]]:
        """Return the pictures copied completely, (H, W, 4) RGBA, bottom row first, with times."""
        copies = []
        while self._reading and self._is_there(self._reading[0], wait):
            reading = self._reading.popleft()
            copies.append((self._take(reading), reading.seconds))
        return copies

    def lent(self, *, wait: bool = False) -> list[Loan]:
        """Return the copied pictures in OpenGL's own memory; each must be given back."""
        loans = []
        while self._reading and self._is_there(self._reading[0], wait):
            loans.append(self._lend(self._reading.popleft()))
        return loans

    def _lend(self, reading: _Reading) -> Loan:
        GL.glDeleteSync(reading.fence)
        GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, reading.buffer)
        whole = (0, reading.nbytes, GL.GL_MAP_READ_BIT)
        place = GL.glMapBufferRange(GL.GL_PIXEL_PACK_BUFFER, *whole)
        GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, 0)
        memory = ctypes.cast(place, ctypes.POINTER(ctypes.c_uint8))
        pixels: NDArray[np.uint8] = np.ctypeslib.as_array(memory, reading.shape)
        self._lent.add(reading.buffer)
        return Loan(pixels, reading.seconds, reading.buffer, self._returned)

    def _take_back(self) -> None:
        while self._returned:
            loan = self._returned.popleft()
            self._lent.discard(loan._buffer)
            GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, loan._buffer)
            GL.glUnmapBuffer(GL.GL_PIXEL_PACK_BUFFER)
            GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, 0)
            self._keep(loan._buffer, loan.pixels.nbytes)

    def _is_there(self, reading: _Reading, wait: bool) -> bool:
        flush = GL.GL_SYNC_FLUSH_COMMANDS_BIT
        status = GL.glClientWaitSync(reading.fence, flush, PATIENCE if wait else 0)
        return status in (GL.GL_ALREADY_SIGNALED, GL.GL_CONDITION_SATISFIED)

    def _take(self, reading: _Reading) -> NDArray[np.uint8]:
        pixels = np.empty(reading.shape, np.uint8)
        GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, reading.buffer)
        GL.glGetBufferSubData(GL.GL_PIXEL_PACK_BUFFER, 0, pixels.nbytes, pixels)
        GL.glBindBuffer(GL.GL_PIXEL_PACK_BUFFER, 0)
        self._let_go(reading)
        return pixels

    def _let_go(self, reading: _Reading) -> None:
        GL.glDeleteSync(reading.fence)
        self._keep(reading.buffer, reading.nbytes)

    def _keep(self, buffer: int, nbytes: int) -> None:
        if nbytes == self._bytes:
            self._spare.append(buffer)
        else:
            GL.glDeleteBuffers(1, [buffer])

    def close(self) -> None:
        """Cancel the copies in progress, and delete all buffers, including those lent."""
        while self._reading:
            self._let_go(self._reading.popleft())
        self._take_back()
        for buffer in self._lent:
            GL.glDeleteBuffers(1, [buffer])  # which nobody may read any more
        self._lent.clear()
        self._delete_spare()
