"""The offscreen window that is shown in browsers and receives their events.

An offscreen OpenGL context must be current; import after OpenGL is bound.
"""

import gc
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow
from wheatstone.viewer.display.screen.readback import Readback
from wheatstone.viewer.run.jobs.isolated import IsolatedCalls
from wheatstone.viewer.window.app import App
from wheatstone.viewer.window.pace import WATCHES
from wheatstone.viewer.window.serving.encoder import Encoder
from wheatstone.viewer.window.serving.pictures import ServedPicture
from wheatstone.viewer.window.serving.uploads import Offers
from wheatstone.viewer.window.serving.viewer import Resized
from wheatstone.viewer.window.serving.viewers import Input, Viewers, now


class ServedWindow(OffscreenWindow):
    """An offscreen window whose pictures are sent to viewers in browsers.

    Args:
        width, height: in pixels, until the viewer in control sends its own.
        viewers: receives the pictures and provides the events.
        offers: receives the files that the program writes.

    Attributes:
        drawn: number of pictures drawn.
    """

    def __init__(self, width: int, height: int, viewers: Viewers, offers: Offers) -> None:
        super().__init__(width, height)
        self._viewers, self._offers, self._readback = viewers, offers, Readback()
        self._seen: deque[Mapping[str, int]] = deque()  # of the pictures being read
        self._begun = now()
        self._lacks = False  # the picture drawn last could not be read
        self.drawn = 0

    def poll(self) -> list[Event]:
        """Return the viewers' input events since the last call, in order."""
        self._begun = now()
        for one in last_of_each_run(self._viewers.inputs()):
            if isinstance(one.what, Resized):
                self._adapt(one.what)
            else:
                self.add([one.what])
        return super().poll()

    def _adapt(self, asked: Resized) -> None:
        """Set size, scale and touch mode to those of the viewer in control."""
        self.touch = asked.touch
        if self.scale != asked.scale:
            self.scale = asked.scale
            self.add([Event("scale")])
        if self.size != (asked.width, asked.height):
            self.resize(asked.width, asked.height)

    def swap(self) -> None:
        """Begin to read back the drawn picture; publish earlier pictures that are complete."""
        self.drawn += 1
        self._begin()
        self.hand_on()

    def _begin(self) -> None:
        begun = self._readback.begin(self.framebuffer.number, *self.size, self._begun)
        self._lacks = not begun
        if begun:
            self._seen.append(self._viewers.numbers())

    def hand_on(self, *, wait: bool = False) -> None:
        """Publish the pictures that are read back; with ``wait``, wait for all that were drawn."""
        for loan in self._readback.lent(wait=wait):
            seen = self._seen.popleft()
            self._viewers.show(ServedPicture(loan.pixels, seen, loan.seconds, loan.give_back))

    def hand_on_last(self) -> None:
        """Publish all drawn pictures to viewers, after waiting until they are read back."""
        self.hand_on(wait=True)
        if self._lacks:
            self._begin()
            self.hand_on(wait=True)

    def set_clipboard(self, text: str) -> None:
        """Send a text to the clipboard of the viewer in control."""
        super().set_clipboard(text)
        self._viewers.tell({"type": "clipboard", "text": text}, controller=True)

    def copy_picture(self, pixels: NDArray[np.uint8]) -> None:
        """Raise ``Unavailable``: viewers' clipboards only accept text."""
        raise Unavailable("pictures cannot be copied to a browser's clipboard from here")

    def offer(self, path: Path) -> None:
        """Announce a written file to all viewers, for download."""
        self._viewers.tell(self._offers.add(path).message)

    def close(self) -> None:
        """Stop reading pictures back, and delete the framebuffer."""
        self._readback.close()
        super().close()


def last_of_each_run(inputs: list[Input]) -> list[Input]:
    """Keep only the last of consecutive mouse moves, and of consecutive changes of size."""

    def same(one: Input, other: Input) -> bool:
        if isinstance(one.what, Resized) or isinstance(other.what, Resized):
            return type(one.what) is type(other.what)
        return one.what.kind == other.what.kind == "move"

    kept = [one for one, other in pairwise(inputs) if not same(one, other)]
    return kept + inputs[-1:]


PASS = 1 / 60  # seconds from one picture to the next, unless something is done meanwhile
SHORTEST = 1 / 200  # seconds from one picture to the next at least
ENCODES = 0.05  # seconds that the next picture waits for the last one to be encoded, at most
GLANCE = 0.001  # seconds between two looks whether a picture is read
OPENING = 60.0  # seconds that opening a file may take


def run(
    app: App,
    window: ServedWindow,
    viewers: Viewers,
    encoder: Encoder,
    ended: Callable[[], bool] = lambda: False,
) -> None:
    """Run the frame loop of the program for viewers until the program closes.

    Viewers do not close it, only ``ended`` and signals do.

    Args:
        ended: returns whether the program has to end.
    """
    frozen, pace = False, app.pace
    while not (window.closed or app.state.closing or ended()):
        viewers.rests = app.rests
        seconds, looks = pace.seconds(), viewers.looks
        if not (viewers.acted or app.has_to_run) and (seconds or not looks):
            _wait(app, window, viewers, seconds)
            continue
        began = time.perf_counter()
        app.step()
        if app.started and not frozen:
            gc.freeze()  # going through all that was imported would hold up a frame for 0.1 s
            frozen = True
        _pace(window, viewers, encoder, began)


def isolate_reading(app: App, stack: ExitStack) -> None:
    """Open the files that a browser requests in a separate process first, with a time limit.

    So no file can block the threads that draw, serve viewers and end the program.
    """
    app.background.limit = OPENING
    app.background.isolated = stack.enter_context(closing(IsolatedCalls(OPENING)))


def _wait(app: App, window: ServedWindow, viewers: Viewers, seconds: float) -> None:
    """Wait for input or a visible page; if ``seconds`` is not 0, for at most that time."""
    window.hand_on_last()
    app.session.meters.rest()
    if not viewers.looks:
        app.session.hold()
    viewers.wait(_wakes(viewers, only_acts=seconds > 0), min(seconds or WATCHES, WATCHES))
    app.follow_files()


def _wakes(viewers: Viewers, *, only_acts: bool) -> Callable[[], bool]:
    """Return a condition for waking up: input has arrived or, optionally, a page is visible."""
    return lambda: viewers.acted or (viewers.looks and not only_acts)


def _pace(window: ServedWindow, viewers: Viewers, encoder: Encoder, began: float) -> None:
    """Wait until the encoder has the last picture, and then until the next frame is due."""
    viewers.wait(lambda: encoder.has_taken, began + ENCODES - time.perf_counter())
    while (left := began + PASS - time.perf_counter()) > 0:
        window.hand_on()
        if viewers.acted and left < PASS - SHORTEST:
            return
        viewers.wait(lambda: viewers.acted, min(left, GLANCE))
