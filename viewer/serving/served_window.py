"""The window that browsers show: nobody sees it here, its events come from them.

An offscreen OpenGL context must be current; import after OpenGL is bound.
"""

from collections import deque
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from wheatstone.viewer.screen.events import Event
from wheatstone.viewer.screen.offscreen_window import OffscreenWindow
from wheatstone.viewer.screen.readback import Readback
from wheatstone.viewer.serving.audience import Audience, Input, Resized, now
from wheatstone.viewer.serving.pictures import ServedPicture
from wheatstone.viewer.serving.uploads import Offers


class ServedWindow(OffscreenWindow):
    """A window whose pictures are read back beside the drawing, for an audience.

    Args:
        width, height: in pixels, until the viewer in control says its own.
        audience: sees the pictures; what it does are the events.
        offers: takes the files that the program writes.

    Attributes:
        drawn: how many pictures were drawn.
    """

    def __init__(self, width: int, height: int, audience: Audience, offers: Offers) -> None:
        super().__init__(width, height)
        self._audience, self._offers, self._readback = audience, offers, Readback()
        self._seen: deque[Mapping[str, int]] = deque()  # of the pictures being read
        self._begun = now()
        self._lacks = False  # the picture drawn last could not be read
        self.drawn = 0

    def poll(self) -> list[Event]:
        """Return what viewers did since the last call, in order."""
        self._begun = now()
        for one in last_of_each_run(self._audience.inputs()):
            if isinstance(one.what, Resized):
                self._adapt(one.what)
            else:
                self.add([one.what])
        return super().poll()

    def _adapt(self, asked: Resized) -> None:
        """Take the size that the viewer in control has room for."""
        if self.scale != asked.scale:
            self.scale = asked.scale
            self.add([Event("scale")])
        if self.size != (asked.width, asked.height):
            self.resize(asked.width, asked.height)

    def swap(self) -> None:
        """Begin to read what was drawn, and hand on what is there already."""
        self.drawn += 1
        self._begin()
        self.hand_on()

    def _begin(self) -> None:
        begun = self._readback.begin(self.framebuffer.number, *self.size, self._begun)
        self._lacks = not begun
        if begun:
            self._seen.append(self._audience.numbers())

    def hand_on(self, *, wait: bool = False) -> None:
        """Hand on the pictures that are read.

        Args:
            wait: whether to wait for all that are being read.
        """
        for loan in self._readback.lent(wait=wait):
            seen = self._seen.popleft()
            self._audience.show(ServedPicture(loan.pixels, seen, loan.seconds, loan.give_back))

    def hand_on_last(self) -> None:
        """Hand on all that was drawn; wait until it is read."""
        self.hand_on(wait=True)
        if self._lacks:
            self._begin()
            self.hand_on(wait=True)

    def set_clipboard(self, text: str) -> None:
        """Give the viewer in control a text to paste."""
        super().set_clipboard(text)
        self._audience.tell({"type": "clipboard", "text": text}, controller=True)

    def offer(self, path: Path) -> None:
        """Tell all viewers of a file that was written."""
        self._audience.tell(self._offers.add(path).message)

    def close(self) -> None:
        """Give up what is being read, and delete the framebuffer."""
        self._readback.close()
        super().close()


def last_of_each_run(inputs: list[Input]) -> list[Input]:
    """Leave out what the next input makes pointless: moves before a move, sizes before a size."""

    def same(one: Input, other: Input) -> bool:
        """Tell whether the other replaces the one."""
        if isinstance(one.what, Resized) or isinstance(other.what, Resized):
            return type(one.what) is type(other.what)
        return one.what.kind == other.what.kind == "move"

    kept = [one for one, other in pairwise(inputs) if not same(one, other)]
    return kept + inputs[-1:]
