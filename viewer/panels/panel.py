"""Panels, the areas of the window around the picture: declaration, contents and layout."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.workspaces import BOX, Box, Place, Workspaces
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.layout import Cell, Hit
from wheatstone.viewer.lazy_import import import_object
from wheatstone.viewer.panels.inspector.pixel_facts import PixelFacts

if TYPE_CHECKING:  # the window has none without the user's kernels, and imports no judging then
    from wheatstone.viewer.run.kernels.watching import KernelWatch


@dataclass(frozen=True)
class Area(Cell):
    """A rectangle of the window, in pixels from its top left."""


@dataclass
class PanelContext:
    """Everything that the contents of a panel may read: the session, the areas and the cursor.

    Attributes:
        session: the frames shown, and the runs that compute them.
        scale: screen pixels per unit of the unscaled screen.
        rate: frames presented per second.
        hit: the part of the picture under the cursor, or under the pixel whose menu is open; None
            outside the picture and over panels.
        cursor: the position of the cursor in the window, in pixels; None without a hit.
        area: the area of the picture in the window.
        kernels: the folders of the user's own kernels that are followed.
        facts: the images and costs of the pixel that panels explain.
    """

    session: Session
    scale: float = 1.0
    rate: float = 0.0
    hit: Hit | None = None
    cursor: tuple[float, float] | None = None
    area: Area = Area(0, 0, 1, 1)
    kernels: "tuple[KernelWatch, ...]" = ()
    facts: PixelFacts = field(default_factory=PixelFacts)

    @property
    def state(self) -> ViewerState:
        """Return the viewer's state, which holds the user's choices."""
        return self.session.state


class Body:
    """The base class of the contents of an open panel, which are drawn in every frame."""

    def update(self, context: PanelContext) -> None:
        """Update the panel's contents; called once before every frame that draws the panel."""

    def draw(self, context: PanelContext) -> None:
        """Draw the widgets into the current Dear ImGui window; compute nothing here."""
        raise NotImplementedError

    def csv(self, context: PanelContext) -> str:
        """Return the panel's contents as CSV; if empty, the drawn tables are copied instead."""
        return ""

    def close(self) -> None:
        """Release the resources that the panel holds."""

    @property
    def busy(self) -> bool:
        """Return whether the panel is waiting for results of background work."""
        return False

    @property
    def due(self) -> float:
        """Return when the panel changes next without an event, in ``time.perf_counter`` seconds."""
        return math.inf


@dataclass(frozen=True)
class Panel:
    """The declaration of one panel: its title, its contents and its place in the window.

    Attributes:
        name: in settings files and on the command line.
        body: the class of its body, as ``module:Class`` of this package; imported when it is
            opened first.
        place: the side of the picture where it is; ``beside`` it, with most of its width; or the
            foot of the window, as a strip without a title.
        also: other words that find it in the palette.
        share: its part of that side's length, relative to its neighbours'.
        lasting: whether its results are kept and shown when it is opened again.
        of_sequences: whether it shows nothing for a source of a single frame.
        of_disparity: whether it shows nothing for a pipeline that computes no disparity.
        passing: whether it closes on Esc or a new source, and is not saved in settings.
        box: its rectangle while the user lets it float over the picture.
        needs_picture: whether it is drawn only once the first picture is shown.
    """

    name: str
    title: str
    key: str
    help: str
    body: str
    place: Place
    also: str = ""
    share: float = 1.0
    lasting: bool = False
    of_sequences: bool = False
    of_disparity: bool = False
    passing: bool = False
    needs_picture: bool = True
    box: Box = BOX

    @property
    def spoken(self) -> str:
        """Return the title with a small first letter, for use within a sentence."""
        return self.title[:1].lower() + self.title[1:]

    def open(self) -> Body:
        """Import the class of the panel's contents, and return a new instance."""
        body: Body = import_object(f"wheatstone.viewer.panels.{self.body}")()
        return body


SIZES: Mapping[str, float] = {"left": 340, "right": 340, "below": 220, "beside": 0.6}
"""Usual sizes of the sides in units of an unscaled screen; below 1, as a share of the picture."""
FOOT_HEIGHT, NARROW_FOOT_HEIGHT = 108, 140  # narrow, its widgets take another line
USUAL_SHARE = 0.3  # of a window's height that panels below the picture may take
LARGEST_SHARE = 0.6  # of a window's width or height that a side may take
SMALLEST_PICTURE = 0.2  # of a window's width or height, which panels leave to the picture
NARROW = 900
"""Units of an unscaled screen; in a window narrower than that, panels are sheets."""
SHEET_SHARE = 0.5  # of an upright narrow window's height that panels may take
TABS_HEIGHT = 30  # of the tabs over a sheet


@dataclass(frozen=True)
class Places:
    """The areas of a window in pixels: that of the picture, and those of the panels by name.

    Attributes:
        tabs: the tabs of a narrow window, of whose panels one is seen at a time; None without.
    """

    picture: Area
    panels: dict[str, Area]
    tabs: Area | None = None


def placed(panel: Panel, workspaces: Workspaces) -> Panel:
    """Copy a panel's declaration with the place that the user chose in the current workspace."""
    moved = workspaces.places.get(panel.name)
    if not moved or panel.place == "foot":
        return panel
    return replace(panel, place=moved.place, share=moved.share, box=moved.box)


def arrange(
    panels: Sequence[Panel],
    width: int,
    height: int,
    scale: float,
    sizes: Mapping[str, float] = SIZES,
    fronts: Sequence[str] = (),
) -> Places:
    """Lay out a window: columns left and right, a row of panels below, the picture in the middle.

    A panel with place ``beside`` takes most of the width that remains for the picture. Each panel
    with place ``foot`` takes the whole width at the bottom. A narrow window shows one other panel
    at a time: below the picture if the window is upright, else left of it.

    Args:
        width, height: of the window without its status line, in pixels.
        sizes: of the sides as the user chose them; those without an entry have their usual size.
        fronts: the panels that a narrow window shows by preference, the most wanted first.
    """
    if width < NARROW * scale:
        return _sheets(panels, width, height, scale, fronts)
    feet = [p for p in panels if p.place == "foot"]
    foot_height = min(round(FOOT_HEIGHT * scale), int(height * USUAL_SHARE))
    whole, height = height, max(height - foot_height * len(feet), 1)
    areas = {
        p.name: Area(0, height + number * foot_height, width, foot_height)
        for number, p in enumerate(feet)
    }
    sides = {side: [p for p in panels if p.place == side] for side in ("left", "right", "below")}
    left, right = (_size(side, sides[side], sizes, width, scale) for side in ("left", "right"))
    if (most := int(width * (1 - SMALLEST_PICTURE))) < left + right:
        left, right = most * left // (left + right), most * right // (left + right)
    below = _size("below", sides["below"], sizes, height, scale)
    picture = Area(left, 0, max(width - left - right, 1), max(height - below, 1))
    for side, x, each in (("left", 0, left), ("right", width - right, right)):
        for p, (begin, length) in _lengths(sides[side], picture.height):
            areas[p.name] = Area(x, begin, each, length)
    for p, (begin, length) in _lengths(sides["below"], width):
        areas[p.name] = Area(begin, picture.height, length, below)
    if columns := [p for p in panels if p.place == "beside"]:
        taken = round(picture.width * sizes.get("beside", SIZES["beside"]))
        picture = replace(picture, width=max(picture.width - taken, 1))
        x = picture.x + picture.width
        for p, (begin, length) in _lengths(columns, picture.height):
            areas[p.name] = Area(x, begin, max(width - right - x, 1), length)
    for p in panels:
        if p.place == "float":
            areas[p.name] = area_of(p.box, Area(0, 0, width, whole))
    return Places(picture, areas)


def beside_picture(picture: Area, scale: float) -> tuple[Area, Area]:
    """Divide the picture's area into a smaller picture and room for a list, right or below."""
    if picture.width >= picture.height:
        width = min(round(SIZES["right"] * scale), picture.width // 2)
        kept = replace(picture, width=picture.width - width)
        return kept, replace(picture, x=picture.x + kept.width, width=width)
    height = min(round(SIZES["below"] * scale), picture.height // 2)
    kept = replace(picture, height=picture.height - height)
    return kept, replace(picture, y=picture.y + kept.height, height=height)


def area_of(box: Box, work: Area) -> Area:
    """Convert a rectangle in fractions of the area between the window's bars to pixels."""
    x, y, wide, high = box
    begin = round(work.x + x * work.width), round(work.y + y * work.height)
    return Area(*begin, round(wide * work.width), round(high * work.height))


def _size(
    side: str, panels: Sequence[Panel], sizes: Mapping[str, float], length: int, scale: float
) -> int:
    """Return the pixels of ``length`` that panels on a window side occupy; 0 without panels."""
    share = USUAL_SHARE if side == "below" and side not in sizes else LARGEST_SHARE
    size = min(round(sizes.get(side, SIZES[side]) * scale), int(length * share))
    return size if panels else 0


def _sheets(
    panels: Sequence[Panel], width: int, height: int, scale: float, fronts: Sequence[str]
) -> Places:
    """Lay out a narrow window: picture, one panel at a time with tabs, and panels at the foot."""
    feet = [p for p in panels if p.place == "foot"]
    sheets = [p for p in panels if p.place != "foot"]
    upright, room = width < height, int(height * SHEET_SHARE)
    high = NARROW_FOOT_HEIGHT if upright else FOOT_HEIGHT
    shared = len(feet) + (upright and bool(sheets))  # what shares the room with a foot
    foot_height = min(round(high * scale), room // shared if feet else 0)
    below = height - foot_height * len(feet)
    areas = {
        p.name: Area(0, below + number * foot_height, width, foot_height)
        for number, p in enumerate(feet)
    }
    if not sheets:
        return Places(Area(0, 0, width, max(below, 1)), areas)
    if upright:
        picture, sheet = Area(0, 0, width, height - room), Area(0, height - room, width, room)
    else:
        wide = min(round(SIZES["left"] * scale), int(width * LARGEST_SHARE))
        picture, sheet = Area(wide, 0, width - wide, below), Area(0, 0, wide, below)
    tabs = round(TABS_HEIGHT * scale) if sheets[1:] else 0
    by_name = {p.name: p for p in sheets}
    shown = next((by_name[name] for name in fronts if name in by_name), sheets[0])
    top = sheet.y + tabs
    areas[shown.name] = replace(sheet, y=top, height=max(below - top, 1))
    picture = replace(picture, height=max(picture.height, 1))
    return Places(picture, areas, replace(sheet, height=tabs) if tabs else None)


def lowered(places: Places, by: int) -> Places:
    """Move all areas of a window down by some pixels, to make room above."""
    if not by:
        return places
    panels = {name: replace(area, y=area.y + by) for name, area in places.panels.items()}
    tabs = places.tabs and replace(places.tabs, y=places.tabs.y + by)
    return Places(replace(places.picture, y=places.picture.y + by), panels, tabs)


def _lengths(panels: Sequence[Panel], length: int) -> list[tuple[Panel, tuple[int, int]]]:
    """Divide the length of a window side by its panels' shares; return each start and length."""
    total, placed, begin = sum(p.share for p in panels), [], 0
    for number, p in enumerate(panels, 1):
        end = round(length * sum(q.share for q in panels[:number]) / total)
        placed.append((p, (begin, end - begin)))
        begin = end
    return placed
