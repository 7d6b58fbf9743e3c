"""The declaration of a panel: a part of the window around the picture."""

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.lazy_import import import_object
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
    """Everything that the body of a panel may read, as a protocol.

    Attributes:
        session: the frames shown, and the runs that compute them.
        scale: screen pixels per unscaled unit.
        hit: the part of the picture under the cursor; None outside the picture and over panels.
        area: the area of the picture in the window.
    """

    session: Session
    scale: float
    hit: Hit | None
    area: Area

    @property
    def state(self) -> ViewerState:
        """Return the state that holds the user's choices."""
        ...


class Body(Protocol):
    """The body of an open panel."""

    def update(self, context: PanelContext) -> None:
        """Update the panel's contents, once before every frame that draws it."""
        ...

    def draw(self, context: PanelContext) -> None:
        """Draw the widgets into a Dear ImGui window that has begun; compute nothing."""
        ...

    def close(self) -> None:
        """Release the resources that the panel holds."""
        ...


@runtime_checkable
class Waits(Protocol):
    """The body of a panel that waits for results computed in the background."""

    @property
    def busy(self) -> bool:
        """Return whether results are still being computed."""
        ...


@runtime_checkable
class Animated(Protocol):
    """The body of a panel that changes by itself, without input."""

    @property
    def due(self) -> float:
        """Return when it changes next, in seconds of ``time.perf_counter``; infinite if never."""
        ...


@dataclass(frozen=True)
class Panel:
    """The declaration of one panel.

    Attributes:
        name: in settings files and on the command line.
        title: on screen.
        key: opens and closes it.
        help: describes its contents.
        body: the class of its body, as ``module:Class``; imported when it is opened first.
        place: the side of the picture where it is; ``beside`` it, with most of its width; or the
            foot of the window, as a strip without a title.
        share: its part of that side's length, relative to its neighbours'.
        lasting: whether its results are kept and shown when it is opened again.
        of_sequences: whether it shows nothing for a source of a single frame.
        passing: whether it closes on Esc or a new source, and is not saved in settings.
        needs_picture: whether it is drawn only once the first picture is shown.
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
    needs_picture: bool = True

    def open(self) -> Body:
        """Import the class of the body and make a new one."""
        body: Body = import_object(self.body)()
        return body
