"""The offscreen window that browsers show, with the events of their viewers.

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
    """A window whose pictures are read back in the background and shown to viewers.

    Args:
        width, height: in pixels, until the viewer in control sends its own.
        audience: receives the pictures and provides the events.
        offers: receives the files that the program writes.

    Attributes:
        drawn: number of pictures drawn.
    """

    def __init__(self, width: int, height: int, audience: Audience, offers: Offers) -> None:
        super().__init__(width, height)
        self._audience, self._offers, self._readback = audience, offers, Readback()
        self._seen: deque[Mapping[str, int]] = deque()  # of the pictures being read
        self._begun = now()
        self._lacks = False  # the picture drawn last could not be read
        self.drawn = 0

    def poll(self) -> list[Event]:
        """Return the events of viewers since the last call, in order."""
        self._begun = now()
        for one in last_of_each_run(self._audience.inputs()):
            if isinstance(one.what, Resized):
                self._adapt(one.what)
            else:
                self.add([one.what])
        return super().poll()

    def _adapt(self, asked: Resized) -> None:
        """Adapt size and scale to the viewer in control."""
        if self.scale != asked.scale:
            self.scale = asked.scale
            self.add([Event("scale")])
        if self.size != (asked.width, asked.height):
            self.resize(asked.width, asked.height)

    def swap(self) -> None:
        """Start reading back the picture drawn, and pass on pictures that are complete."""
        self.drawn += 1
        self._begin()
        self.hand_on()

    def _begin(self) -> None:
        begun = self._readback.begin(self.framebuffer.number, *self.size, self._begun)
        self._lacks = not begun
        if begun:
            self._seen.append(self._audience.numbers())

    def hand_on(self, *, wait: bool = False) -> None:
        """Pass on the pictures whose reading back is complete.

        Args:
            wait: whether to wait for all that are being read back.
        """
        for loan in self._readback.lent(wait=wait):
            seen = self._seen.popleft()
            self._audience.show(ServedPicture(loan.pixels, seen, loan.seconds, loan.give_back))

    def hand_on_last(self) -> None:
        """Pass on all pictures drawn, including the last; wait until they are read back."""
        self.hand_on(wait=True)
        if self._lacks:
            self._begin()
            self.hand_on(wait=True)

    def set_clipboard(self, text: str) -> None:
        """Send a text to the clipboard of the viewer in control."""
        super().set_clipboard(text)
        self._audience.tell({"type": "clipboard", "text": text}, controller=True)

    def offer(self, path: Path) -> None:
        """Announce a file that was written to all viewers."""
        self._audience.tell(self._offers.add(path).message)

    def close(self) -> None:
        """Stop reading back, and delete the framebuffer."""
        self._readback.close()
        super().close()


def last_of_each_run(inputs: list[Input]) -> list[Input]:
    """Remove inputs superseded by the next: moves before a move, sizes before a size."""

    def same(one: Input, other: Input) -> bool:
        """Return whether the other input supersedes the one."""
        if isinstance(one.what, Resized) or isinstance(other.what, Resized):
            return type(one.what) is type(other.what)
        return one.what.kind == other.what.kind == "move"

    kept = [one for one, other in pairwise(inputs) if not same(one, other)]
    return kept + inputs[-1:]
