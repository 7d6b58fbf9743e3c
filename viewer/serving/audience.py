"""All who look, what they did, and the newest picture: what the three threads share."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wheatstone.viewer.screen.events import Event
from wheatstone.viewer.serving.pictures import ServedPicture
from wheatstone.viewer.serving.viewer import Viewer

MOST_VIEWERS = 8


@dataclass(frozen=True)
class Resized:
    """The viewer in control has room for another size: in pixels, with the scale of its screen."""

    width: int
    height: int
    scale: float


@dataclass(frozen=True)
class Input:
    """What a viewer did.

    Attributes:
        viewer: its name.
        number: that the viewer gave the input.
    """

    viewer: str
    number: int
    what: Event | Resized


class Audience:
    """Those who look, in the order in which they came; the first in control unless another took it.

    Every method may be called from any thread.

    Attributes:
        changed: notified whenever anything here changes; hold it to read or change several things.
        viewers: by name.
        controller: the name of the viewer in control; empty without one.
        picture: the newest; None before there is one.
        rests: whether the program has nothing more to draw until something is done.
        closed: whether the program has ended.
    """

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.viewers: dict[str, Viewer] = {}
        self.controller = ""
        self.picture: ServedPicture | None = None
        self.rests = self.closed = False
        self._inputs: list[Input] = []

    def join(self, viewer: Viewer) -> bool:
        """Let a viewer look; tell whether there was room."""
        with self.changed:
            if self.full:
                return False
            self.viewers[viewer.name] = viewer
            self.controller = self.controller or viewer.name
            self.changed.notify_all()
        return True

    def leave(self, viewer: Viewer) -> None:
        """Let a viewer go; control passes on to whoever came first of the others."""
        with self.changed:
            self.viewers.pop(viewer.name, None)
            if self.controller == viewer.name:
                self._control(next(iter(self.viewers), ""))
            self.changed.notify_all()

    def control(self, viewer: Viewer) -> None:
        """Let a viewer control the program, whose window takes its size."""
        with self.changed:
            if viewer.name != self.controller:
                self._control(viewer.name)
            self.changed.notify_all()

    def _control(self, name: str) -> None:
        """Pass control on; whatever the one before held down is let go."""
        before, self.controller = self.controller, name
        for button in (0, 1, 2):
            self._inputs.append(Input(before, 0, Event("release", button=button, x=-1, y=-1)))
        if name and (size := self.viewers[name].size):
            self._inputs.append(Input(name, 0, Resized(*size)))

    def do(self, viewer: Viewer, number: int, what: Event | Resized) -> None:
        """Note what a viewer did, if it is in control."""
        with self.changed:
            if isinstance(what, Resized):
                viewer.size = (what.width, what.height, what.scale)
            if viewer.name == self.controller:
                self._inputs.append(Input(viewer.name, number, what))
                self.changed.notify_all()

    def change(self, what: Callable[[], None]) -> None:
        """Change something of a viewer, and let all threads know."""
        with self.changed:
            what()
            self.changed.notify_all()

    def inputs(self) -> list[Input]:
        """Return what viewers did since the last call, in order."""
        with self.changed:
            taken, self._inputs = self._inputs, []
            for one in taken:
                if viewer := self.viewers.get(one.viewer):
                    viewer.number = max(viewer.number, one.number)
        return taken

    @property
    def acted(self) -> bool:
        """Tell whether viewers did something that is not taken yet."""
        return bool(self._inputs)

    @property
    def looks(self) -> bool:
        """Tell whether anyone looks."""
        with self.changed:
            return any(viewer.visible for viewer in self.viewers.values())

    @property
    def full(self) -> bool:
        """Tell whether there is no room for another viewer."""
        return len(self.viewers) >= MOST_VIEWERS

    def numbers(self) -> Mapping[str, int]:
        """Tell by viewer which input was taken last."""
        with self.changed:
            return {name: viewer.number for name, viewer in self.viewers.items()}

    def show(self, picture: ServedPicture) -> None:
        """Have a picture shown instead of any that waits."""
        with self.changed:
            before, self.picture = self.picture, picture
            if before and not before.taken:
                before.give_back()
            self.changed.notify_all()

    def wait(self, until: Callable[[], bool], seconds: float) -> None:
        """Wait until something holds or the program ends, at most some seconds."""
        with self.changed:
            self.changed.wait_for(lambda: self.closed or until(), max(seconds, 0.0))

    def tell(self, message: Mapping[str, Any], *, controller: bool = False) -> None:
        """Send a message to all viewers, or to the one in control."""
        text = json.dumps(message)
        with self.changed:
            told = [v for v in self.viewers.values() if not controller or v.name == self.controller]
        for viewer in told:
            viewer.send(text)

    def dismiss(self, reason: str) -> None:
        """Close the page of the viewer in control; the program goes on."""
        with self.changed:
            viewer = self.viewers.get(self.controller)
        if viewer:
            viewer.dismiss(reason)

    def close(self) -> None:
        """Let the threads end."""
        with self.changed:
            self.closed = True
            self.changed.notify_all()


def now() -> float:
    """Read the clock that pictures are timed by, in seconds."""
    return time.perf_counter()
