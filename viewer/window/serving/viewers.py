"""The state shared by window, encoder and server threads: viewers, inputs and newest picture."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.window.serving.pictures import ServedPicture
from wheatstone.viewer.window.serving.viewer import Resized, Viewer

MOST_VIEWERS = 8


@dataclass(frozen=True)
class Input:
    """An input event from a viewer, with its number.

    Attributes:
        viewer: its name.
        number: given to the input by the viewer.
    """

    viewer: str
    number: int
    what: Event | Resized


class Viewers:
    """The connected viewers, in order of arrival; one of them is in control of the window.

    The first viewer is in control unless another took control. Every method may be called from
    any thread.

    Attributes:
        changed: notified of every change here; hold it to read or change several attributes.
        by_name: the viewers.
        controller: the name of the viewer in control; empty without one.
        picture: the newest; None before the first.
        rests: whether the program has nothing more to draw until the next input.
        closed: whether the program has ended.
    """

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.by_name: dict[str, Viewer] = {}
        self.controller = ""
        self.picture: ServedPicture | None = None
        self.rests = self.closed = False
        self._inputs: list[Input] = []

    def join(self, viewer: Viewer) -> bool:
        """Add a viewer; return False if the limit is reached."""
        with self.changed:
            if self.full:
                return False
            self.by_name[viewer.name] = viewer
            self.controller = self.controller or viewer.name
            self.changed.notify_all()
        return True

    def leave(self, viewer: Viewer) -> None:
        """Remove a viewer; if it was in control, the next one takes control."""
        with self.changed:
            self.by_name.pop(viewer.name, None)
            if self.controller == viewer.name:
                self._control(next(iter(self.by_name), ""))
            self.changed.notify_all()

    def control(self, viewer: Viewer) -> None:
        """Put a viewer in control; the program's window adopts the viewer's size."""
        with self.changed:
            if viewer.name != self.controller:
                self._control(viewer.name)
            self.changed.notify_all()

    def _control(self, name: str) -> None:
        """Put a viewer in control by name; release the previous viewer's mouse buttons."""
        before, self.controller = self.controller, name
        for button in (0, 1, 2):
            self._inputs.append(Input(before, 0, Event("release", button=button, x=-1, y=-1)))
        if name and (size := self.by_name[name].size):
            self._inputs.append(Input(name, 0, size))

    def do(self, viewer: Viewer, number: int, what: Event | Resized) -> None:
        """Queue an input of a viewer, if it is in control."""
        with self.changed:
            if isinstance(what, Resized):
                viewer.size = what
            if viewer.name == self.controller:
                self._inputs.append(Input(viewer.name, number, what))
                self.changed.notify_all()

    def change(self, what: Callable[[], None]) -> None:
        """Call a function that changes a viewer, with the lock held, and notify all threads."""
        with self.changed:
            what()
            self.changed.notify_all()

    def inputs(self) -> list[Input]:
        """Return and remove the queued inputs, in order."""
        with self.changed:
            taken, self._inputs = self._inputs, []
            for one in taken:
                if viewer := self.by_name.get(one.viewer):
                    viewer.number = max(viewer.number, one.number)
        return taken

    @property
    def acted(self) -> bool:
        """Return whether inputs of the viewer in control are queued."""
        return bool(self._inputs)

    @property
    def looks(self) -> bool:
        """Return whether the page of any viewer is visible."""
        with self.changed:
            return any(viewer.visible for viewer in self.by_name.values())

    @property
    def full(self) -> bool:
        """Return whether the limit of viewers is reached."""
        return len(self.by_name) >= MOST_VIEWERS

    def numbers(self) -> Mapping[str, int]:
        """Return, for each viewer, the number of the last input that ``inputs`` returned."""
        with self.changed:
            return {name: viewer.number for name, viewer in self.by_name.items()}

    def show(self, picture: ServedPicture) -> None:
        """Publish the newest picture; the one before is discarded if it was never encoded."""
        with self.changed:
            before, self.picture = self.picture, picture
            if before and not before.taken:
                before.give_back()
            self.changed.notify_all()

    def wait(self, until: Callable[[], bool], seconds: float) -> None:
        """Wait until a condition is true or the program ends, for at most ``seconds``."""
        with self.changed:
            self.changed.wait_for(lambda: self.closed or until(), max(seconds, 0.0))

    def tell(self, message: Mapping[str, Any], *, controller: bool = False) -> None:
        """Send a message to all viewers, or only to the one in control."""
        text = json.dumps(message)
        with self.changed:
            everyone = self.by_name.values()
            receivers = [v for v in everyone if not controller or v.name == self.controller]
        for viewer in receivers:
            viewer.send(text)

    def close(self) -> None:
        """Mark the program as ended, which ends all threads."""
        with self.changed:
            self.closed = True
            self.changed.notify_all()


def now() -> float:
    """Return the current time of the clock for pictures, in seconds."""
    return time.perf_counter()
