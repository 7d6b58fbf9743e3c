"""Routing of events to a question, the palette, the tour, menus, panels, keys, or the mouse.

Events are handled one at a time, in order. A key belongs to the element that has the keyboard at
that moment, for any number of events between two frames.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from wheatstone.viewer.choices import undoing
from wheatstone.viewer.choices.dialogs import Question
from wheatstone.viewer.choices.learning import LESSON, lesson_effect
from wheatstone.viewer.choices.open_sources import SOURCES
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.overlay import Overlay
from wheatstone.viewer.panels.keys.action import DIGITS
from wheatstone.viewer.panels.keys.actions import press
from wheatstone.viewer.panels.keys.menu.bars import LEAVES
from wheatstone.viewer.panels.keys.mouse import MOUSE, Mouse
from wheatstone.viewer.panels.keys.palette import finding as palette
from wheatstone.viewer.panels.tour import KEYS as TOUR_KEYS
from wheatstone.viewer.window.window_layout import WindowLayout

ANSWERS = {"Enter": True, "Y": True, "Esc": False, "N": False}  # keys, while there is a question
WORK_PANELS = (
    *("Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown"),
    *("Enter", "Space", "Tab", "Shift+Tab"),
)
"""Keys that a panel takes while it has the focus; all others keep their meaning."""
SOURCE_KEYS = {
    **{digit: ("show source", digit) for digit in DIGITS},
    **{f"Shift+{digit}": ("compare source", digit) for digit in DIGITS},
}
"""Effects of digits while the panel of open sources has the focus."""
PATH_BEGINS = ("/", "~")
"""Characters with which a path begins that is typed while nothing else receives text."""
LEAVE_FIELD = ("Enter", "Esc", "Tab", "Shift+Tab")
"""Keys with which the user leaves a text field; the next key may belong to something else."""


class Routing:
    """The router that passes each event of a window to its receiver, such as a panel.

    Args:
        layout: the panels and bars of the window, and its session.
        widgets: receive the events for panels.
        give_up: cancels the task that the user waits for; returns whether there was one.

    Attributes:
        mouse: the effect of the mouse on the picture.
    """

    def __init__(self, layout: WindowLayout, widgets: Overlay, give_up: Callable[[], bool]) -> None:
        self._layout, self._state = layout, layout.state
        self._widgets, self._give_up = widgets, give_up
        self._cursor: tuple[float, float] | None = None  # in the window
        self._asked_at: tuple[float, float] | None = None  # of the menu of a pixel
        self._left = False  # whether the cursor is outside the window
        self._in_picture_menu = False  # or an entry of it has not run yet
        self._held: deque[Event] = deque()  # until a click or key before them is processed
        self._unseen = False  # whether this frame may show something else that takes the keyboard
        self._asked: Question | None = None  # the question that is on screen
        self.mouse = Mouse(layout.session)

    @property
    def holds(self) -> bool:
        """Whether events are queued behind an earlier click or key."""
        return bool(self._held)

    def due(self, events: Sequence[Event]) -> Iterator[Event]:
        """Yield the input events that can be handled in this frame; queue those that must wait.

        The caller handles each one before it asks for the next. A key after a click belongs to the
        element that the click opens, such as a menu or a text field, which exists only in the next
        frame. The same holds after a key that panels get. Events before the first frame wait for
        its panels as well.
        """
        self._held.extend(events)
        self._unseen = False
        while self._held and not self._waits(self._held[0]):
            yield self._held.popleft()
        self._asked = self._state.question

    def _waits(self, event: Event) -> bool:
        """Return whether an event has to wait for the next frame."""
        if not self._widgets.drawn:
            return True
        return event.kind in ("key", "text") and (self._unseen or self._widgets.pending)

    @property
    def in_menus(self) -> bool:
        """Whether keys go to the menus: a menu is open, or about to open."""
        state = self._state
        return state.asks_for_menus or state.in_picture_menu or self._layout.bars.open

    def point(self) -> None:
        """Update the pixel under the cursor, which can change even if the cursor does not move.

        While the menu of a pixel is open, and until the entry chosen has run, that pixel counts;
        the picture of its frame may come only then.
        """
        layout = self._layout
        chosen = self._in_picture_menu and self._state.effects
        self._in_picture_menu = self._state.picture_menu or bool(chosen)
        if self._in_picture_menu:
            if not layout.hit:
                self._point_at(self._asked_at)
            return
        if self._left and not self._state.effects:  # a click before may need the pixel
            self._cursor = None
        self._asked_at = self._cursor
        layout.hit = layout.cursor = None
        if not self._widgets.wants_mouse:
            self._point_at(self._cursor)

    def _point_at(self, place: tuple[float, float] | None) -> None:
        """Set the pixel under the cursor from a position in the window, if its view is computed."""
        layout = self._layout
        if place:
            (x, y), area, display = place, layout.area, layout.session.display
            hit = display.hit(x - area.x, y - area.y)
            if hit and display.drawn.of_frame(hit.pane):
                layout.hit, layout.cursor = hit, place

    def handle(self, event: Event, scale: float) -> bool:
        """Handle an event; return whether it is also passed to the panels.

        Args:
            scale: pixels per unit of the unscaled screen.
        """
        state = self._state
        if event.kind in ("key", "press", "scroll", "drop"):
            state.hints = False
        if event.kind in ("key", "press", "drop") and not event.repeat:
            state.history.begin_gesture()
            state.messages = state.messages.after_action(time.monotonic())
        if event.kind in ("key", "text"):
            return self._type(event)
        if event.kind in MOUSE:
            self._point(event, scale)
            self._unseen |= event.kind in ("press", "release")
            state.keys_for_dialog &= event.kind != "press"
        elif event.kind == "leave":
            self._left = True
        elif event.kind == "drop" and event.paths:
            state.effects.append(("open", *event.paths))
        elif event.kind == "focus":
            state.keys_for_dialog = False
        elif event.kind == "close":
            state.closing = True
        elif event.kind == "error":
            state.report_error(event.text)
        return True

    def _type(self, event: Event) -> bool:
        """Pass a key or character to the element with the focus; return whether it is a panel."""
        state, key = self._state, event.kind == "key"
        if event.key == "Esc" and event.repeat:
            return False  # held down it would close everything, and then the program
        if state.keys_for_dialog:
            if event.key == "Esc":
                state.effects.append(("close dialog",))
        elif state.question and state.question is self._asked:
            if event.key in ANSWERS:
                state.answer(ANSWERS[event.key])
        elif state.palette:
            palette.feed(state, event)
        elif self._widgets.typing:
            self._unseen |= event.key in LEAVE_FIELD
            return True
        elif key and state.tour and event.key in TOUR_KEYS:
            state.effects.append(("tour", TOUR_KEYS[event.key]))
        elif self.in_menus:
            return self._type_in_menus(event)
        elif key and state.focus and event.key in WORK_PANELS:
            self._unseen = True
            return True
        elif key and state.focus == SOURCES and event.key in SOURCE_KEYS:
            state.effects.append(SOURCE_KEYS[event.key])
        elif key and (effect := self._lesson_effect(event.key)):
            state.effects.append(effect)
        elif (key and event.text) or event.text in PATH_BEGINS:
            palette.begin_path(state, event)
        elif key:
            self._press(event)
        return False

    def _lesson_effect(self, key: str) -> tuple[str, ...]:
        """Return the action of a key on the visible lesson, such as a step; empty if none."""
        seen = LESSON in self._state.open_panels and self._state.panels
        return lesson_effect(self._state.lesson, key) if seen else ()

    def _type_in_menus(self, event: Event) -> bool:
        """Pass a key to the open menus, unless it closes them; return whether it was passed."""
        self._unseen = True
        if leaves := event.key in LEAVES:
            self._state.asks_for_menus = self._state.asks_for_picture_menu = False
            self._widgets.close_popups()
        return not leaves

    def _press(self, event: Event) -> None:
        """Run the command of a key; Esc cancels a pending task before it ends the program."""
        focus, self._state.marked = self._state.focus, None
        if event.key != "Esc":
            self._state.leaving = 0.0
        ends = event.key == "Esc" and (self._widgets.close_popups() or self._give_up())
        if ends:
            undoing.follow(self._state)
        else:
            press(self._state, event.key, held=event.repeat)
        self._unseen |= self._state.asks_for_menus or self._state.focus not in ("", focus)

    def _point(self, event: Event, scale: float) -> None:
        """Apply a mouse event to the picture, unless the mouse is over a panel.

        A press that leaves a field of a panel does nothing else.
        """
        self._cursor, self._left = (event.x, event.y), False
        leaves_field = event.kind == "press" and self._widgets.typing
        if not self._widgets.wants_mouse and not leaves_field:
            x, y = event.x - self._layout.area.x, event.y - self._layout.area.y
            self.mouse.handle(replace(event, x=x, y=y), scale)
