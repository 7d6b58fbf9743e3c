"""A window that nobody sees: the whole program, panels and all, without a display.

An offscreen OpenGL context must be current; import after OpenGL is bound.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from viewer.screen.events import Event
from viewer.screen.framebuffer import Framebuffer


class OffscreenWindow:
    """Stands where ``viewer.screen.window.Window`` stands; what happens to it is told by ``add``.

    Args:
        width, height: in pixels.
        scale: of text and spacing, as on a screen of that density.

    Attributes:
        clipboard: what was copied last.
    """

    def __init__(self, width: int, height: int, scale: float = 1.0) -> None:
        self.size, self.scale, self.closed = (width, height), scale, False
        self.clipboard = ""
        self._framebuffer = Framebuffer()
        self._framebuffer.resize(width, height)
        self._events: list[Event] = []

    @property
    def framebuffer(self) -> int:
        """OpenGL's number of what would be on screen."""
        return self._framebuffer.number

    def add(self, events: Iterable[Event]) -> None:
        """Let things happen, in order."""
        self._events += events

    def poll(self) -> list[Event]:
        """What happened since the last call, in order."""
        events, self._events = self._events, []
        return events

    def resize(self, width: int, height: int) -> None:
        """Give the window another size; 0 is a minimised one."""
        self.size = (width, height)
        if width > 0 and height > 0:
            self._framebuffer.resize(width, height)
        self.add([Event("resize")])

    def swap(self) -> None:
        """Nothing: what is drawn stays."""

    def set_fullscreen(self, fullscreen: bool) -> None:
        """Nothing: there is no screen to fill."""

    def set_clipboard(self, text: str) -> None:
        """Keep a text that would be there to paste."""
        self.clipboard = text

    def read(self) -> NDArray[np.uint8]:
        """What the window shows: (H, W, 3), top row first."""
        return self._framebuffer.read()

    def close(self) -> None:
        """Delete the framebuffer."""
        self._framebuffer.close()
