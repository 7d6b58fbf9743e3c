"""The declaration of a panel: a part of the window around the picture."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.layout import Hit
from wheatstone.viewer.lazy_import import import_object

Place = Literal["left", "right", "below", "beside", "foot"]


@dataclass(frozen=True)
class Area:
    """A rectangle of the window, in pixels from its top left."""

    x: int
    y: int
    width: int
    height: int


@dataclass
class PanelContext:
    """Everything that the body of a panel may read.

    Attributes:
        session: the frames shown, and the runs that compute them.
        scale: screen pixels per unit of the unscaled screen.
        rate: frames presented per second.
        hit: the part of the picture under the cursor, or under the pixel whose menu is open; None
            outside the picture and over panels.
        cursor: the position of the cursor in the window, in pixels; None without a hit.
        area: the area of the picture in the window.
    """

    session: Session
    scale: float = 1.0
    rate: float = 0.0
    hit: Hit | None = None
    cursor: tuple[float, float] | None = None
    area: Area = Area(0, 0, 1, 1)

    @property
    def state(self) -> ViewerState:
        """Return the state that holds the user's choices."""
        return self.session.state


class Body:
    """The body of an open panel."""

    def update(self, context: PanelContext) -> None:
        """Update the panel's contents, once before every frame that draws it."""

    def draw(self, context: PanelContext) -> None:
        """Draw the widgets into a Dear ImGui window that has begun; compute nothing."""
        raise NotImplementedError

    def csv(self, context: PanelContext) -> str:
        """Format the contents as CSV; empty: the tables that were drawn are copied."""
        return ""

    def close(self) -> None:
        """Release the resources that the panel holds."""

    @property
    def busy(self) -> bool:
        """Return whether the panel waits for results from the background."""
        return False

    @property
    def due(self) -> float:
        """Return when the panel changes by itself, in seconds of ``time.perf_counter``."""
        return math.inf


@dataclass(frozen=True)
class Panel:
    """The declaration of one panel.

    Attributes:
        name: in settings files and on the command line.
        body: the class of its body, as ``module:Class`` of this package; imported when it is
            opened first.
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
        body: Body = import_object(f"wheatstone.viewer.panels.{self.body}")()
        return body


SIDE_WIDTH = 340  # of the panels left and right of the picture, in units of an unscaled screen
BELOW_HEIGHT = 220
FOOT_HEIGHT = 108
LARGEST_SHARE = 0.3  # of a window that one side may take
BESIDE_SHARE = 0.6  # of the picture's width that a panel beside it takes


@dataclass(frozen=True)
class Places:
    """The areas of a window: the picture's, and each panel's by its name."""

    picture: Area
    panels: dict[str, Area]


def arrange(panels: Sequence[Panel], width: int, height: int, scale: float) -> Places:
    """Lay out a window: a row of panels below, columns left and right, the picture in between.

    A panel with place ``beside`` takes most of the width that remains for the picture. Each panel
    with place ``foot`` takes the whole width at the bottom.

    Args:
        width, height: of the window without its status line, in pixels.
    """
    feet = [p for p in panels if p.place == "foot"]
    foot_height = min(round(FOOT_HEIGHT * scale), int(height * LARGEST_SHARE))
    height = max(height - foot_height * len(feet), 1)
    areas = {
        p.name: Area(0, height + number * foot_height, width, foot_height)
        for number, p in enumerate(feet)
    }
    sides = {side: [p for p in panels if p.place == side] for side in ("left", "right", "below")}
    side_width = min(round(SIDE_WIDTH * scale), int(width * LARGEST_SHARE))
    left, right = (side_width if sides[side] else 0 for side in ("left", "right"))
    below_height = (
        min(round(BELOW_HEIGHT * scale), int(height * LARGEST_SHARE)) if sides["below"] else 0
    )
    picture = Area(left, 0, max(width - left - right, 1), max(height - below_height, 1))
    for side, x, each in (("left", 0, left), ("right", width - right, right)):
        for p, (begin, length) in _lengths(sides[side], picture.height):
            areas[p.name] = Area(x, begin, each, length)
    for p, (begin, length) in _lengths(sides["below"], width):
        areas[p.name] = Area(begin, picture.height, length, below_height)
    if beside := [p for p in panels if p.place == "beside"]:
        taken = round(picture.width * BESIDE_SHARE)
        picture = replace(picture, width=max(picture.width - taken, 1))
        x = picture.x + picture.width
        for p, (begin, length) in _lengths(beside, picture.height):
            areas[p.name] = Area(x, begin, max(width - right - x, 1), length)
    return Places(picture, areas)


def beside_picture(picture: Area, scale: float) -> tuple[Area, Area]:
    """Divide the picture's area: a smaller picture, and room for a list right of it or below it."""
    if picture.width >= picture.height:
        width = min(round(SIDE_WIDTH * scale), picture.width // 2)
        kept = replace(picture, width=picture.width - width)
        return kept, replace(picture, x=picture.x + kept.width, width=width)
    height = min(round(BELOW_HEIGHT * scale), picture.height // 2)
    kept = replace(picture, height=picture.height - height)
    return kept, replace(picture, y=picture.y + kept.height, height=height)


def lowered(places: Places, by: int) -> Places:
    """Move all areas of a window down by some pixels, to make room above them."""
    if not by:
        return places
    panels = {name: replace(area, y=area.y + by) for name, area in places.panels.items()}
    return Places(replace(places.picture, y=places.picture.y + by), panels)


def _lengths(panels: Sequence[Panel], length: int) -> list[tuple[Panel, tuple[int, int]]]:
    """Divide a side's length among its panels by their shares; return each begin and length."""
    total, placed, begin = sum(p.share for p in panels), [], 0
    for number, p in enumerate(panels, 1):
        end = round(length * sum(q.share for q in panels[:number]) / total)
        placed.append((p, (begin, end - begin)))
        begin = end
    return placed
