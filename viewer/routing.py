"""Where events go: to a question, the palette, the tour, menus, panels, keys, or the mouse."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from wheatstone.viewer.choices import undoing
from wheatstone.viewer.choices.learning import LESSON, LESSON_KEYS
from wheatstone.viewer.desk import Desk
from wheatstone.viewer.keys.actions import press
from wheatstone.viewer.keys.menu.bars import LEAVES
from wheatstone.viewer.keys.mouse import MOUSE, Mouse
from wheatstone.viewer.keys.palette import finding as palette
from wheatstone.viewer.panels.tour.card import KEYS as TOUR_KEYS
from wheatstone.viewer.picture.layout import Hit
from wheatstone.viewer.screen.events import Event

ANSWERS = {"Enter": True, "Y": True, "Esc": False, "N": False}  # keys, while there is a question
WORK_PANELS = (
    *("Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown"),
    *("Enter", "Space", "Tab", "Shift+Tab"),
)
"""Keys that a panel takes while it has the focus; all others keep their meaning."""


class Widgets(Protocol):
    """Dear ImGui's part of the window: ``viewer.screen.overlay.Overlay``."""

    @property
    def wants_keyboard(self) -> bool:
        """Tell whether the user is typing into a panel."""

    @property
    def wants_mouse(self) -> bool:
        """Tell whether the mouse belongs to a panel just now, not to the picture."""

    @property
    def drawn(self) -> bool:
        """Tell whether panels have been drawn: before that nothing can be clicked."""

    @property
    def clicked(self) -> bool:
        """Tell whether a click is still to be seen: what it opens is not open yet."""

    def close_popups(self) -> bool:
        """Close the lists and menus that are open over the panels; tell whether there were any."""


class Routing:
    """Hands each event of a window to what it is for.

    Args:
        desk: the panels and bars of the window, and its session.
        widgets: take what is typed and clicked in panels.
        give_up: gives up what lets the user wait; tells whether anything did.

    Attributes:
        mouse: what the mouse does over the picture.
    """

    def __init__(self, desk: Desk, widgets: Widgets, give_up: Callable[[], bool]) -> None:
        self._desk, self._state = desk, desk.state
        self._widgets, self._give_up = widgets, give_up
        self._cursor: tuple[float, float] | None = None  # in the window
        self._later: list[Event] = []  # to be handled once a click before them has been seen
        self.mouse = Mouse(desk.session)

    @property
    def holds(self) -> bool:
        """Tell whether events wait for a click before them."""
        return bool(self._later)

    def due(self, events: Sequence[Event]) -> list[Event]:
        """List the events that can be handled in this frame; hold the others back.

        A key that comes after a click belongs to what the click opens, such as a menu. While frames
        are slow, both arrive at once, and only the next frame has the menu. What comes before the
        first frame is of its panels, too.
        """
        if not (events or self._later):
            return []
        events, clicked = [*self._later, *events], self._widgets.clicked
        if not self._widgets.drawn:
            self._later = events
            return []
        for place, event in enumerate(events):
            if clicked and event.kind in ("key", "text"):
                self._later = events[place:]
                return events[:place]
            clicked = clicked or event.kind in ("press", "release")
        self._later = []
        return events

    @property
    def in_menus(self) -> bool:
        """Tell whether keys go to the menus: one is open, or about to be."""
        return self._desk.bars.open or self._state.asks_for_menus

    @property
    def hit(self) -> Hit | None:
        """Find what of the picture lies under the cursor, which may rest while panels move."""
        if not self._cursor or self._widgets.wants_mouse:
            return None
        (x, y), area = self._cursor, self._desk.area
        display = self._desk.session.display
        found = display.hit(x - area.x, y - area.y)
        return found if found and display.drawn.of_frame(found.pane) else None

    def handle(self, event: Event, scale: float) -> None:
        """Do what an event asks for.

        Args:
            scale: pixels a unit of the unscaled screen.
        """
        state = self._state
        if event.kind == "key":
            state.hints = False
        if event.kind in ("key", "press", "drop") and not event.repeat:
            state.history.begin_gesture()
        if event.kind in ("key", "text"):
            self._type(event)
        elif event.kind in MOUSE:
            self._point(event, scale)
        elif event.kind == "drop" and event.paths:
            state.errands.append(("open", *event.paths))
        elif event.kind == "close":
            state.closing = True
        elif event.kind == "error":
            state.message = event.text

    def _type(self, event: Event) -> None:
        """Hand a key or a character to what lies on top."""
        state, key = self._state, event.kind == "key"
        if event.key == "Esc" and event.repeat:
            return  # held down it would close everything, and then the program
        if state.question:
            if event.key in ANSWERS:
                state.answer(ANSWERS[event.key])
        elif state.palette:
            palette.feed(state, event)
        elif key and state.tour and event.key in TOUR_KEYS:
            state.errands.append(("tour", TOUR_KEYS[event.key]))
        elif self.in_menus:
            if event.key in LEAVES:
                state.asks_for_menus = False
                self._widgets.close_popups()
        elif key:
            in_panel = state.focus and event.key in WORK_PANELS
            if in_panel or self._widgets.wants_keyboard:
                return
            if event.key in LESSON_KEYS and LESSON in state.open_panels and state.panels:
                state.errands.append((LESSON, LESSON_KEYS[event.key]))
            else:
                self._press(event)

    def _press(self, event: Event) -> None:
        """Do what a key does; Esc ends what lets the user wait before it ends the program."""
        self._state.marked = None
        if event.key != "Esc":
            self._state.leaving = 0.0
        ends = event.key == "Esc" and (self._widgets.close_popups() or self._give_up())
        if ends:
            undoing.follow(self._state)
        else:
            press(self._state, event.key, held=event.repeat)

    def _point(self, event: Event, scale: float) -> None:
        """Let the mouse do something to the picture, unless it is over a panel."""
        self._cursor = (event.x, event.y)
        if not self._widgets.wants_mouse:
            x, y = event.x - self._desk.area.x, event.y - self._desk.area.y
            self.mouse.handle(replace(event, x=x, y=y), scale)
