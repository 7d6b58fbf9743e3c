"""The mouse over the picture: zoom, move, draw a region, move the seam of A and B, measure.

Views in space are turned and approached instead.
"""

import math
import time
from collections.abc import Callable

from wheatstone.viewer.choices.comparison import show_parameters
from wheatstone.viewer.choices.regions import draw_region, pick, pick_rectangle
from wheatstone.viewer.choices.tuning import tune
from wheatstone.viewer.choices.zooming import approach, go_home, turn, zoom_at
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.caption import label_at
from wheatstone.viewer.display.picture.layout import Hit
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.panels.inspector.pixel_words import pixel_of
from wheatstone.viewer.panels.marks import panes
from wheatstone.viewer.panels.range_handles import DOUBLE_CLICK, RangeMouse

DRAG_BEGINS = 4  # pixels; a click that trembles draws no rectangle


class MeasuringMouse:
    """The mouse while it picks a pixel, or draws a rectangle to measure with Ctrl held."""

    def __init__(self, session: Session) -> None:
        self._session, self._state = session, session.state
        self._pressed: tuple[Event, Hit] | None = None
        self._draws = False

    def takes(self, event: Event) -> bool:
        """Handle a mouse event that belongs to measuring; return False for all other events."""
        if event.kind == "press":
            self._press(event)
            return self._pressed is not None
        if not self._pressed or event.kind == "scroll":
            return False
        if event.kind == "move":
            self._drag(event, *self._pressed)
        else:
            self._release(*self._pressed)
        return True

    def _press(self, event: Event) -> None:
        """Begin to pick a pixel of the left view, if Ctrl is held or an effect waits for a pixel.

        If Shift is held as well, the pixel is pinned for the inspector's table.
        """
        drawn, self._draws = self._session.display.drawn, False
        picks = event.button == 0 and (event.ctrl or bool(self._state.picks))
        hit = drawn.hit(event.x, event.y) if picks else None
        seen = hit and any(pane.number == hit.pane for pane in panes(drawn))
        self._pressed = (event, hit) if hit and seen else None

    def _drag(self, event: Event, press: Event, start: Hit) -> None:
        """Draw the rectangle to measure from the press to the mouse, after a minimum distance."""
        moved = max(abs(event.x - press.x), abs(event.y - press.y))
        self._draws = self._draws or (press.ctrl and moved >= DRAG_BEGINS)
        here = self._session.display.drawn.position(event.x, event.y, start.pane)
        if self._draws and here:
            source = self._session.source
            begin, end = (start.column, start.row), (here.column, here.row)
            pick_rectangle(self._state, begin, end, (source.width, source.height))

    def _release(self, press: Event, start: Hit) -> None:
        """Pick the pixel that was pressed, unless a rectangle was drawn."""
        source, state, self._pressed = self._session.source, self._state, None
        pixel = pixel_of(start, source.height, source.width)
        if not pixel or self._draws:
            return
        wanted, state.picks = "" if press.ctrl else state.picks, ""
        if wanted or press.shift:
            state.effects.append((wanted or "pin another",))
            if not wanted:
                state.show_panel("inspector")
        else:
            pick(state, pixel)
        if wanted == "pin":
            state.show_panel("inspector")


MOUSE = ("move", "press", "release", "scroll")
"""The kinds of events that come from the mouse."""
ZOOM_STEP = 1.2  # factor of the zoom for a notch of the mouse wheel
APPROACH_STEP = 1.1  # factor by which a notch comes nearer to what is seen in space
SETTLES = 0.25  # seconds after which a view in space counts as still
SEAM_GRIP = 10  # pixels beside a seam that still take hold of it, unscaled


class Mouse:
    """The mouse over the picture; positions are in pixels from the picture's top left."""

    def __init__(self, session: Session, clock: Callable[[], float] = time.monotonic) -> None:
        self._session, self._state, self._clock = session, session.state, clock
        self.draws = False  # whether the mouse draws a region just now
        self._turns = False  # a view in space, just now
        self._moved_cloud = -math.inf  # when a view in space was moved last
        self._pressed_at: tuple[float, float, float] = (-math.inf, 0.0, 0.0)  # time, x, y
        self._dragged_from: tuple[float, float] | None = None  # in pixels
        self._region_from: tuple[float, float] | None = None  # in texels of the left image
        self._moves_seam = False  # just now
        self._clicks = False  # a button is down, and the mouse has not moved since
        self._measuring, self._ranges = MeasuringMouse(session), RangeMouse(session)

    def handle(self, event: Event, scale: float) -> None:
        """Handle a mouse event over the picture, such as a press, drag or scroll."""
        if self._ranges.takes(event, scale) or self._measuring.takes(event):
            return
        drawn = self._session.display.drawn
        if event.kind == "press" and event.button == 0 and (slot := self._label_at(event)):
            self._state.panels = True
            tune(self._state, slot)
            show_parameters(self._state)
            return
        hit = drawn.hit(event.x, event.y)  # None beside the picture
        in_space = bool(hit and drawn.in_space(hit.pane))
        if event.kind == "scroll" and hit:
            self._scroll(event, hit, in_space)
        elif event.kind == "press":
            self._press(event, hit, in_space, scale)
        elif event.kind == "release":
            if self._clicks and hit:
                self._click(event, hit)
            self._dragged_from = self._region_from = None
            self.draws = self._moves_seam = self._turns = self._clicks = False
        elif event.kind == "move" and self._dragged_from:
            _, x, y = self._pressed_at
            self._clicks &= max(abs(event.x - x), abs(event.y - y)) < DRAG_BEGINS * scale
            self._moved_cloud = self._clock() if in_space else self._moved_cloud
            self._drag(event, self._dragged_from)

    def _label_at(self, event: Event) -> str:
        """Return the run, ``a`` or ``b``, whose label above the picture was hit; empty if none."""
        display = self._session.display
        drawn, caption = display.drawn.arrangement, display.drawn.picture.caption
        if not caption or event.y >= drawn.top:
            return ""
        return label_at(caption, event.x, event.y, drawn.framebuffer[0], display.style)

    def _scroll(self, event: Event, hit: Hit, in_space: bool) -> None:
        """Zoom at the cursor; in a 3D view, move towards or away from the points."""
        if in_space:
            self._moved_cloud = self._clock()
            approach(self._state, APPROACH_STEP**event.dy)
        else:
            zoom_at(self._state, ZOOM_STEP**event.dy, hit.fraction)

    def _press(self, event: Event, hit: Hit | None, in_space: bool, scale: float) -> None:
        """Begin to drag the seam of results A and B, a point cloud, a region or the picture."""
        self._dragged_from = (event.x, event.y)
        self._region_from, self.draws = self._region_start(event, hit), False
        distance = self._session.display.drawn.seam_distance(event.x, event.y)
        near = distance is not None and distance <= SEAM_GRIP * scale
        self._moves_seam = event.button == 0 and near
        self._turns = in_space and event.button == 0 and not event.shift
        before, self._pressed_at = self._pressed_at, (self._clock(), event.x, event.y)
        self._clicks = hit is not None and not self._moves_seam
        if self._turns and not self._moves_seam:
            self._press_cloud(event, before, scale)

    def _click(self, event: Event, hit: Hit) -> None:
        """Pin the clicked pixel of the left view; on a right click, open the pixel's menu."""
        drawn = self._session.display.drawn
        if event.button == 1:
            self._state.asks_for_picture_menu = True
        elif event.button == 0 and any(pane.number == hit.pane for pane in panes(drawn)):
            self._state.request("click pixel")

    @property
    def moves_cloud(self) -> bool:
        """Return whether a 3D view is being moved, or was moved a moment ago."""
        return self._clock() - self._moved_cloud < SETTLES

    def _press_cloud(self, event: Event, last: tuple[float, float, float], scale: float) -> None:
        """Reset a 3D view to its first viewpoint if the press is a double click."""
        before, x, y = last
        near = max(abs(event.x - x), abs(event.y - y)) <= DRAG_BEGINS * scale
        if near and self._pressed_at[0] - before < DOUBLE_CLICK:
            go_home(self._state)
            self._pressed_at = (-math.inf, 0.0, 0.0)

    def _drag(self, event: Event, pressed: tuple[float, float]) -> None:
        """Continue to drag the seam of results A and B, a point cloud, a region or the picture."""
        if self._moves_seam:
            place = self._session.display.drawn.seam_at(event.x, event.y)
            if place is not None:
                self._state.mixing = self._state.mixing.with_seam(place)
        elif self._turns:
            self._turn(event, pressed)
        elif self._region_from and self._state.view.region:
            self._draw_region(event, pressed, self._region_from)
        else:
            self._pan(event, pressed)

    def _turn(self, event: Event, pressed: tuple[float, float]) -> None:
        """Turn the point cloud by the distance that the mouse moved."""
        cell = self._session.display.drawn.arrangement.cells[0]
        side = max(min(cell.width, cell.height), 1)
        turn(self._state, (event.x - pressed[0]) / side, (event.y - pressed[1]) / side)
        self._dragged_from = (event.x, event.y)

    def _region_start(self, event: Event, hit: Hit | None) -> tuple[float, float] | None:
        """Return the column and row at which a press begins to draw a region, or None."""
        draws = self._state.view.region and event.button == 0 and not event.shift
        return (hit.column, hit.row) if draws and hit and hit.pane == 0 else None

    def _pan(self, event: Event, pressed: tuple[float, float]) -> None:
        """Move the picture by the distance that the mouse moved."""
        scale_x, scale_y = self._session.display.fraction_per_pixel()
        x, y = self._state.center
        moved_x, moved_y = event.x - pressed[0], event.y - pressed[1]
        self._state.look_at(x - moved_x * scale_x, y - moved_y * scale_y)
        self._dragged_from = (event.x, event.y)

    def _draw_region(
        self, event: Event, pressed: tuple[float, float], start: tuple[float, float]
    ) -> None:
        """Set the view's region to the rectangle from press to mouse, after a minimum distance."""
        moved = max(abs(event.x - pressed[0]), abs(event.y - pressed[1]))
        here = self._session.display.drawn.position(event.x, event.y, 0)
        self.draws = self.draws or moved >= DRAG_BEGINS
        if self.draws and here:
            source = self._session.source
            end, size = (here.column, here.row), (source.width, source.height)
            draw_region(self._state, start, end, size)
