"""Docking of panels with the mouse: moving by their titles, resizing by their borders.

The places are plain data of the workspace, not Dear ImGui's docking: the picture is drawn before
its frame begins, into the area that panels leave, the same in a window, a browser and a file.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from wheatstone.viewer.choices.workspaces import PanelPlace, Place, Workspaces, boxed, limited
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels.panel import SIZES, Area, Panel, Places, area_of
from wheatstone.viewer.panels.widgets import KEY_BLUE, bare_window

GRIP = 6.0  # width of a border that can be dragged, in units of an unscaled screen
EDGE = 80.0  # how near to an edge a panel is dropped there, in the same
MOVES = 8.0  # by which the mouse moves before it drags a panel, in the same
LEAST, MOST = 0.1, 0.9  # of two neighbours' length that either takes
SMALLEST = 120.0  # size of a side, in units of an unscaled screen
SIDES: tuple[Place, ...] = ("left", "right", "below", "beside")


@dataclass(frozen=True)
class Border:
    """A border of panels that the user can drag, with the function that applies its position."""

    name: str
    area: Area
    at: Callable[[float, float], Workspaces]


@dataclass(frozen=True)
class Drag:
    """The state of dragging a panel: where it was pressed, in the window and in the panel."""

    panel: Panel
    begin: tuple[float, float]
    within: tuple[float, float]
    moves: bool = False


class PanelDocking:
    """The docking of a window's panels: dragging of their titles and borders."""

    def __init__(self) -> None:
        self._drag: Drag | None = None

    def take(self, panel: Panel, area: Area) -> None:
        """Start dragging a panel if its title is pressed; call this after its window has begun."""
        mouse, height = imgui.get_io().mouse_pos, imgui.get_frame_height()
        x, y = mouse.x - area.x, mouse.y - area.y
        on_title = 0 <= y < height and 0 <= x < area.width - height  # right of it: closes it
        if on_title and imgui.is_item_hovered() and imgui.is_mouse_clicked(0):
            self._drag = Drag(panel, (mouse.x, mouse.y), (x, y))

    def draw(
        self,
        workspaces: Workspaces,
        panels: Sequence[Panel],
        places: Places,
        work: Area,
        scale: float,
    ) -> Workspaces:
        """Draw the borders and the target of a dragged panel; return the changed workspaces.

        Args:
            panels: those that are open, at their places.
            work: the window between its bars.
        """
        if self._drag:
            return self._dragged(self._drag, workspaces, panels, places, work, scale)
        for border in _borders(workspaces, panels, places, scale):
            if _holds(border):
                mouse = imgui.get_io().mouse_pos
                return border.at(mouse.x, mouse.y)
        return workspaces

    def _dragged(
        self,
        drag: Drag,
        workspaces: Workspaces,
        panels: Sequence[Panel],
        places: Places,
        work: Area,
        scale: float,
    ) -> Workspaces:
        """Show where a panel would be dropped; move it there when the button is released."""
        if drag.panel.name not in places.panels:  # closed meanwhile
            self._drag = None
            return workspaces
        mouse = imgui.get_io().mouse_pos
        x, y = mouse.x, mouse.y
        distance = max(abs(x - drag.begin[0]), abs(y - drag.begin[1]))
        if not drag.moves and distance < MOVES * scale:
            if not imgui.is_mouse_down(0):
                self._drag = None
            return workspaces
        self._drag = drag = replace(drag, moves=True)
        others = [p for p in panels if p.name != drag.panel.name]
        side = _side_at(x, y, others, places, work, EDGE * scale)
        place, preview = _target(drag, side, places, work, (x, y), scale)
        canvas, color = imgui.get_foreground_draw_list(), imgui.get_color_u32(KEY_BLUE)
        corners = (preview.x, preview.y), (preview.x + preview.width, preview.y + preview.height)
        canvas.add_rect(*corners, color, thickness=3 * scale)
        if imgui.is_mouse_down(0):
            return workspaces
        self._drag = None
        stays = place.place == drag.panel.place != "float"
        return workspaces if stays else workspaces.moved(drag.panel.name, place)


def _side_at(
    x: float, y: float, others: Sequence[Panel], places: Places, work: Area, edge: float
) -> Place:
    """Return the window side at a position, where a panel can be dropped; else floating."""
    for panel in others:
        area = places.panels.get(panel.name)
        if area and panel.place in SIDES and area.holds(x, y):
            return panel.place
    if x - work.x < edge:
        return "left"
    if work.x + work.width - x < edge:
        return "right"
    return "below" if work.y + work.height - y < edge else "float"


def _target(
    drag: Drag, side: Place, places: Places, work: Area, at: tuple[float, float], scale: float
) -> tuple[PanelPlace, Area]:
    """Return the place where a dragged panel would be dropped, and the area to highlight."""
    if side == "float":
        area = places.panels[drag.panel.name]
        wide, high = min(area.width, work.width // 2), min(area.height, work.height // 2)
        left, top = at[0] - min(drag.within[0], wide / 2), at[1] - drag.within[1]
        box = box_of(Area(round(left), round(top), wide, high), work)
        return PanelPlace("float", drag.panel.share, box), area_of(box, work)
    size = round(SIZES["left" if side == "beside" else side] * scale)
    marked = {
        "left": Area(work.x, work.y, size, work.height),
        "right": Area(work.x + work.width - size, work.y, size, work.height),
        "below": Area(work.x, work.y + work.height - size, work.width, size),
        "beside": replace(
            places.picture, x=places.picture.x + places.picture.width // 2, width=size
        ),
    }
    return PanelPlace(side, 1.0, drag.panel.box), marked[side]


def box_of(area: Area, work: Area) -> tuple[float, float, float, float]:
    """Convert an area of the window to fractions of the part between the window's bars."""
    return boxed(
        (area.x - work.x) / work.width,
        (area.y - work.y) / work.height,
        area.width / work.width,
        area.height / work.height,
    )


def _holds(border: Border) -> bool:
    """Draw a draggable border over the panels, and return whether the user drags it."""
    area = border.area
    imgui.set_next_window_pos((area.x, area.y))
    imgui.set_next_window_size((area.width, area.height))
    flags = imgui.WindowFlags_
    imgui.push_style_var(imgui.StyleVar_.window_min_size, (1.0, 1.0))
    imgui.push_style_var(imgui.StyleVar_.window_padding, (0.0, 0.0))
    kind = bare_window() | int(flags.no_background | flags.no_focus_on_appearing)
    imgui.begin(f"border {border.name}", None, kind)
    imgui.invisible_button("grip", (area.width, area.height))
    held = bool(imgui.is_item_active())
    if held or imgui.is_item_hovered():
        end = (area.x + area.width, area.y + area.height)
        color = imgui.get_color_u32(KEY_BLUE)
        imgui.get_window_draw_list().add_rect_filled((area.x, area.y), end, color)
    imgui.end()
    imgui.pop_style_var(2)
    return held


def _borders(
    workspaces: Workspaces, panels: Sequence[Panel], places: Places, scale: float
) -> Iterator[Border]:
    """Yield all draggable borders: between panels and picture, and between neighbouring panels."""
    picture, grip = places.picture, round(GRIP * scale)
    for side in SIDES:
        listed = [p for p in panels if p.place == side and p.name in places.panels]
        if not listed:
            continue
        first = places.panels[listed[0].name]
        if side == "below":
            last = places.panels[listed[-1].name]
            line = Area(first.x, first.y - grip // 2, last.x + last.width - first.x, grip)
            yield Border(side, line, _sizing(workspaces, side, first, picture, scale))
        else:
            last = places.panels[listed[-1].name]
            x = first.x + first.width if side == "left" else first.x
            line = Area(x - grip // 2, first.y, grip, last.y + last.height - first.y)
            yield Border(side, line, _sizing(workspaces, side, first, picture, scale))
        for one, two in pairwise(listed):
            yield _between(workspaces, one, two, places, grip)


def _units(pixels: float, scale: float) -> float:
    return round(max(pixels / scale, SMALLEST), 1)


def _sizing(
    workspaces: Workspaces, side: Place, first: Area, picture: Area, scale: float
) -> Callable[[float, float], Workspaces]:
    """Return a function that sets the width or height of a window side from a mouse position."""
    end, lowest = first.x + first.width, first.y + first.height

    def at(x: float, y: float) -> Workspaces:
        if side == "below":
            return workspaces.sized(side, _units(lowest - y, scale))
        if side == "beside":
            share = (end - x) / max(end - picture.x, 1)
            return workspaces.sized(side, round(min(max(share, LEAST), MOST), 3))
        return workspaces.sized(side, _units(x - first.x if side == "left" else end - x, scale))

    return at


def _between(workspaces: Workspaces, one: Panel, two: Panel, places: Places, grip: int) -> Border:
    """Create the border between two neighbouring panels on the same side of the window."""
    before, after = places.panels[one.name], places.panels[two.name]
    across = one.place == "below"
    if across:
        line = Area(after.x - grip // 2, after.y, grip, after.height)
        begin, length = before.x, before.width + after.width
    else:
        line = Area(after.x, after.y - grip // 2, after.width, grip)
        begin, length = before.y, before.height + after.height
    both = one.share + two.share

    def at(x: float, y: float) -> Workspaces:
        part = min(max(((x if across else y) - begin) / length, LEAST), MOST) * both
        shares = ((one, part), (two, both - part))
        changed = workspaces
        for panel, share in shares:
            place = PanelPlace(panel.place, limited(share), panel.box)
            changed = changed.moved(panel.name, place)
        return changed

    return Border(f"{one.name} {two.name}", line, at)
