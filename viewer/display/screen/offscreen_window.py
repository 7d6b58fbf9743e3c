"""An offscreen window, for running the program with its panels without a display."""

import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.framebuffer import Framebuffer
from wheatstone.viewer.display.screen.overlay import import_ahead


class OffscreenWindow:
    """A substitute for ``Window`` without a screen, whose events are added by ``add``."""

    def __init__(self, width: int, height: int, scale: float = 1.0) -> None:
        import_ahead()
        self.size, self.scale, self.closed = (width, height), scale, False
        self.touch = False
        self.clipboard = self.title = ""
        self.copied_picture: NDArray[np.uint8] | None = None
        self._framebuffer = Framebuffer()
        self._framebuffer.resize(width, height)
        self._events: list[Event] = []

    @property
    def framebuffer(self) -> Framebuffer:
        """The framebuffer that replaces the one on screen."""
        return self._framebuffer

    def add(self, events: Iterable[Event]) -> None:
        """Add events to the window's queue, in order."""
        self._events += events

    def poll(self) -> list[Event]:
        """Return the events since the last call, in order."""
        events, self._events = self._events, []
        return events

    def wait(self, seconds: float) -> bool:
        """Wait for an event, at most ``seconds``; return whether there is one."""
        if not self._events:
            time.sleep(seconds)
        return bool(self._events)

    @property
    def minimised(self) -> bool:
        """Whether the width or the height of the window is 0, as if it were minimised."""
        return 0 in self.size

    def resize(self, width: int, height: int) -> None:
        """Change the size of the window in pixels; 0 for a minimised window."""
        self.size = (width, height)
        if width > 0 and height > 0:
            self._framebuffer.resize(width, height)
        self.add([Event("resize")])

    def swap(self) -> None:
        """Do nothing: there is no screen, and the framebuffer keeps its content."""

    def set_fullscreen(self, fullscreen: bool) -> bool:
        """Do nothing: there is no screen to fill."""
        return True

    def set_clipboard(self, text: str) -> None:
        """Store a text in place of the desktop's clipboard."""
        self.clipboard = text

    def copy_picture(self, pixels: NDArray[np.uint8]) -> None:
        """Store a picture in place of the desktop's clipboard."""
        self.copied_picture = pixels

    def offer(self, path: Path) -> None:
        """Do nothing: a file offered to the user is already on this machine."""

    def set_title(self, title: str) -> None:
        """Store the text of the title bar, which is not shown."""
        self.title = title

    def read(self) -> NDArray[np.uint8]:
        """Copy the window's content to the host: (H, W, 3), top row first."""
        return self._framebuffer.read()

    def close(self) -> None:
        self._framebuffer.close()
