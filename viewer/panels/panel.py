"""The declaration of a panel: a part of the window around the picture."""

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.later import found
from wheatstone.viewer.picture.layout import Hit

Place = Literal["left", "right", "below", "beside", "foot"]


@dataclass(frozen=True)
class Area:
    """A rectangle of the window, in pixels from its top left."""

    x: int
    y: int
    width: int
    height: int


class PanelContext(Protocol):
    """All that the inside of a panel may look at, as a protocol.

    Attributes:
        session: the frames shown, and what computes them.
        scale: pixels a unit of the unscaled screen.
        hit: what of the picture lies under the cursor; None beside it and over panels.
        area: where the picture is in the window.
    """

    session: Session
    scale: float
    hit: Hit | None
    area: Area

    @property
    def state(self) -> ViewerState:
        """Look up what the user chose."""
        ...


class Body(Protocol):
    """The inside of an open panel."""

    def update(self, desk: PanelContext) -> None:
        """Bring what the panel shows up to date: once before every frame that draws it."""
        ...

    def draw(self, desk: PanelContext) -> None:
        """Ask Dear ImGui for its widgets, in a window that has begun; computes nothing."""
        ...

    def close(self) -> None:
        """Give back what the panel holds."""
        ...


@runtime_checkable
class Waits(Protocol):
    """The inside of a panel that has something found out beside the display."""

    @property
    def busy(self) -> bool:
        """Tell whether more will be known of what was asked."""
        ...


@runtime_checkable
class Animated(Protocol):
    """The inside of a panel that changes by itself, although nothing happens."""

    @property
    def due(self) -> float:
        """Look up when it changes next, in seconds of ``time.perf_counter``; infinite if never."""
        ...


@dataclass(frozen=True)
class Panel:
    """The declaration of one panel.

    Attributes:
        name: in settings files and on the command line.
        title: on screen.
        key: opens and closes it.
        help: what it shows.
        body: the class of its body, as ``module:Class``; imported when it is opened first.
        place: the side of the picture it stands at; ``beside`` it, with most of its width; or the
            foot of the window, as a strip without a title.
        share: its part of that side's length, relative to its neighbours'.
        lasting: whether what it found out is there again when it is opened again.
        of_sequences: whether it has nothing to show of a source of a single frame.
        passing: whether it goes when Esc is pressed or a source is opened, and settings forget it.
    """

    name: str
    title: str
    key: str
    help: str
    body: str
    place: Place
    share: float = 1.0
    lasting: bool = False
    of_sequences: bool = False
    passing: bool = False

    def open(self) -> Body:
        """Import the class of the body and make a new one."""
        body: Body = found(self.body)()
        return body
