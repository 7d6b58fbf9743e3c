"""The window's frame loop; read this to see the program run."""

import argparse
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from gpu import Unavailable
from gpu.pipeline import View
from viewer.actions import press
from viewer.desk import Desk
from viewer.display import Display
from viewer.identity import Badge
from viewer.mixing import Mixing
from viewer.overlay import Overlay
from viewer.panels.arrangement import Area
from viewer.panels.equality import draw_equality
from viewer.screenshot import unused_path, write_screenshot
from viewer.session import Session
from viewer.start import open_view
from viewer.state import Slot, ViewerState
from viewer.window import Event, Window


class Screen(Protocol):
    """A window, seen or not; see ``viewer.window.Window``."""

    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def scale(self) -> float: ...
    @property
    def closed(self) -> bool: ...
    @property
    def framebuffer(self) -> int: ...
    def poll(self) -> list[Event]: ...
    def set_fullscreen(self, fullscreen: bool) -> None: ...
    def swap(self) -> None: ...


ZOOM_STEP = 1.2  # a notch of the mouse wheel
SEAM_GRIP = 10  # pixels beside a seam that still take hold of it, unscaled
DRAG_BEGINS = 4  # pixels; a click that trembles does not choose a region


class App:
    """A window that shows a session, and what keys and mouse do to it."""

    def __init__(self, window: Screen, session: Session, overlay: Overlay) -> None:
        self.window, self.session, self.overlay = window, session, overlay
        self.state: ViewerState = session.state
        self.rate = FrameRate()
        self.desk = Desk(session)
        self._area = Area(0, 0, *window.size)  # the picture's, in the window
        self._working = self._chosen  # what computed last
        self._computed = False
        self._dragged_from: tuple[float, float] | None = None  # in pixels
        self._region_from: tuple[float, float] | None = None  # in texels of the left image
        self._drawing = False  # a region, just now
        self._wiping = False  # dragging the seam, just now
        self._stages: Stages | None = None

    @property
    def _chosen(self) -> tuple[Slot, View, Slot | None, bool, Mixing]:
        """All that decides whether a frame can be computed."""
        state = self.state
        return state.slot, state.view, state.b, state.linked, state.mixing

    def run(self) -> None:
        """Show frames until the user closes the window."""
        while not (self.window.closed or self.state.closing):
            self.step()

    @property
    def settled(self) -> bool:
        """Whether what is chosen is computed and shown."""
        return self._computed and self.session.prepared and self.session.current

    def step(self) -> None:
        """One pass: events, the frame that is due, the picture, the panels."""
        events = self.window.poll()
        for event in events:
            self._handle(event)
        self.window.set_fullscreen(self.state.fullscreen)
        width, height = self.window.size
        if width == 0 or height == 0:
            time.sleep(0.02)  # minimised: nothing to draw on
            return
        self._show(events, width, height)
        if self.state.wants_screenshot and self.session.prepared:
            self._save_screenshot()

    def _show(self, events: list[Event], width: int, height: int) -> None:
        if not self.session.prepared and not self._drawing:
            # Preparing may compile for seconds: say so on screen before, not after.
            said = self.state.message
            self.state.message = f"preparing {self.session.unprepared} ..."
            self._present(events, width, height)
            self.state.message, events = said, []
        self.session.advance()
        if not (self.state.paused and self.session.current):
            self._compute()
        if self.state.jump:
            step, self.state.jump = self.state.jump, 0
            self.session.checks.jump(step)
        if self.state.stages:
            self._compare_stages()
        self._present(events, width, height)

    def _compute(self) -> None:
        state = self.state
        try:
            self.session.compute()
        except (Unavailable, ValueError) as error:
            if self._chosen == self._working and not self._computed:
                raise
            state.message = str(error)
            state.slot, view, state.b, state.linked, state.mixing = self._working
            state.views[state.slot.pipeline.name] = view.name
            return
        if not self._computed:
            state.message = state.message or state.slot.declaration.help
        self._working, self._computed = self._chosen, True

    def _compare_stages(self) -> None:
        """Find out which stages of A and B agree, once for every choice of the two."""
        state = self.state
        asked = (state.slot, state.slot_b)
        if self._stages and self._stages.asked == asked:
            return
        try:
            self._stages = Stages(asked, state.frame, self.session.checks.stages())
        except (Unavailable, ValueError) as error:
            state.message, state.stages = str(error), False

    def _present(self, events: list[Event], width: int, height: int) -> None:
        desk = self.desk
        desk.scale, desk.rate = self.window.scale, self.rate.value
        places = desk.arrange(width, height)
        self._area = area = places.picture
        if self._computed:
            self.session.draw(area.width, area.height)
            desk.update()
        self.session.display.blit(height, self.window.framebuffer, area.x, area.y)
        with self.overlay.frame(width, height, self.window.scale, events):
            desk.draw(places)
            if self.state.stages and self._stages:
                draw_equality(self._stages.frame, self._stages.badges)
        self.window.swap()
        self.rate.count()

    def _handle(self, event: Event) -> None:
        if event.kind == "key":
            press(self.state, event.key)
        elif event.kind == "close":
            self.state.closing = True
        elif self.overlay.wants_mouse:
            self.desk.hit = None
        else:
            x, y = event.x - self._area.x, event.y - self._area.y
            self._handle_mouse(replace(event, x=x, y=y))

    def _handle_mouse(self, event: Event) -> None:
        """Do what the mouse did, at a place in the picture's area."""
        display = self.session.display
        if event.kind in ("move", "press", "release", "scroll"):
            self.desk.hit = display.hit(event.x, event.y)
        if event.kind == "scroll" and (hit := display.hit(event.x, event.y)):
            self.state.zoom_at(ZOOM_STEP**event.dy, hit.fraction)
        elif event.kind == "press":
            self._dragged_from = (event.x, event.y)
            self._region_from, self._drawing = self._region_start(event), False
            self._wiping = event.button == 0 and self._near_seam(event)
        elif event.kind == "release":
            self._dragged_from = self._region_from = None
            self._drawing = self._wiping = False
        elif event.kind == "move" and self._dragged_from:
            if self._wiping:
                self._wipe(event)
            elif self._region_from and self.state.view.region:
                self._draw_region(event, self._dragged_from, self._region_from)
            else:
                self._pan(event, self._dragged_from)

    def _near_seam(self, event: Event) -> bool:
        """Whether a press takes hold of a wipe's seam."""
        distance = self.session.display.seam_distance(event.x, event.y)
        return distance is not None and distance <= SEAM_GRIP * self.window.scale

    def _wipe(self, event: Event) -> None:
        place = self.session.display.seam_at(event.x, event.y)
        if place is not None:
            self.state.mixing = self.state.mixing.with_seam(place)

    def _region_start(self, event: Event) -> tuple[float, float] | None:
        """Where in the left image a press begins to draw the view's region, if it does."""
        hit = self.session.display.hit(event.x, event.y)
        draws = self.state.view.region and event.button == 0 and not event.shift
        return (hit.column, hit.row) if draws and hit and hit.pane == 0 else None

    def _pan(self, event: Event, pressed: tuple[float, float]) -> None:
        scale_x, scale_y = self.session.display.fraction_per_pixel()
        x, y = self.state.center
        moved_x, moved_y = event.x - pressed[0], event.y - pressed[1]
        self.state.center = (x - moved_x * scale_x, y - moved_y * scale_y)
        self._dragged_from = (event.x, event.y)

    def _draw_region(
        self, event: Event, pressed: tuple[float, float], start: tuple[float, float]
    ) -> None:
        moved = max(abs(event.x - pressed[0]), abs(event.y - pressed[1]))
        here = self.session.display.position(event.x, event.y, 0)
        self._drawing = self._drawing or moved >= DRAG_BEGINS
        if self._drawing and here:
            source = self.session.source
            end, size = (here.column, here.row), (source.width, source.height)
            self.state.draw_region(start, end, size)

    def close(self) -> None:
        """Close the panels; window, session and overlay are closed by their owners."""
        self.desk.close()

    def _save_screenshot(self) -> None:
        self.state.wants_screenshot = False
        path = unused_path(Path.cwd(), "wheatstone")
        try:
            write_screenshot(path, self.session.display.read(), self.session.recipe())
        except OSError as error:
            self.state.message = str(error)
        else:
            self.state.message = f"saved {path.name}; `wheatstone view {path.name}` restores it"


@dataclass(frozen=True)
class Stages:
    """Equality of the stages of two slots at a frame."""

    asked: tuple[Slot, Slot]
    frame: int
    badges: Mapping[str, Badge]


class FrameRate:
    """Frames presented per second, over the last half second."""

    def __init__(self) -> None:
        self.value = 0.0
        self._since, self._frames = time.perf_counter(), 0

    def count(self) -> None:
        """One more frame was presented."""
        self._frames += 1
        elapsed = time.perf_counter() - self._since
        if elapsed >= 0.5:
            self.value = self._frames / elapsed
            self._since, self._frames = time.perf_counter(), 0


def view(options: argparse.Namespace) -> int:
    """Open a window as the command line says and show it until it is closed."""
    with ExitStack() as stack:
        state, source = open_view(options)
        stack.enter_context(closing(source))
        for note in source.notes:
            print(f"wheatstone: {note}", file=sys.stderr)
        width, height = options.size or (1280, 800)
        window = stack.enter_context(closing(Window(width, height, "Wheatstone")))
        display = stack.enter_context(closing(Display()))
        session = stack.enter_context(closing(Session(state, source, display, options.display)))
        overlay = stack.enter_context(closing(Overlay(window.scale)))
        app = stack.enter_context(closing(App(window, session, overlay)))
        app.run()
    return 0
