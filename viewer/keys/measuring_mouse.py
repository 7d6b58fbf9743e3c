"""Use the left mouse button with Ctrl to pick pixels and draw the rectangle to measure.

A click without Ctrl picks a pixel that a menu asked for.
"""

from wheatstone.viewer.choices.picking import pick, pick_rectangle
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.panels.inspector.pixel_words import pixel_of
from wheatstone.viewer.panels.measure.marks import panes
from wheatstone.viewer.picture.layout import Hit
from wheatstone.viewer.screen.events import Event

DRAG_BEGINS = 4  # pixels; a click that trembles draws no rectangle


class MeasuringMouse:
    """The mouse after its left button was pressed while Ctrl was held."""

    def __init__(self, session: Session) -> None:
        self._session, self._state = session, session.state
        self._pressed: tuple[Event, Hit] | None = None
        self._draws = False

    def takes(self, event: Event) -> bool:
        """Measure as an event asks; return False if the event has another meaning.

        Args:
            event: of the mouse, at a place in pixels from the picture's top left.
        """
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
        """Begin to pick if Ctrl is held or a pixel is wanted, on the left view or an image like it.

        With Shift held, too, the pixel is pinned for the inspector's table.
        """
        drawn, self._draws = self._session.display.drawn, False
        picks = event.button == 0 and (event.ctrl or bool(self._state.picks))
        hit = drawn.hit(event.x, event.y) if picks else None
        seen = hit and any(pane.number == hit.pane for pane in panes(drawn))
        self._pressed = (event, hit) if hit and seen else None

    def _drag(self, event: Event, press: Event, start: Hit) -> None:
        """Draw the rectangle from the press to the mouse, once the mouse has moved far enough."""
        moved = max(abs(event.x - press.x), abs(event.y - press.y))
        self._draws = self._draws or (press.ctrl and moved >= DRAG_BEGINS)
        here = self._session.display.drawn.position(event.x, event.y, start.pane)
        if self._draws and here:
            source = self._session.source
            begin, end = (start.column, start.row), (here.column, here.row)
            pick_rectangle(self._state, begin, end, (source.width, source.height))

    def _release(self, press: Event, start: Hit) -> None:
        """Pick the pixel under the press, if there is one and no rectangle was drawn."""
        source, state, self._pressed = self._session.source, self._state, None
        pixel = pixel_of(start, source.height, source.width)
        if not pixel or self._draws:
            return
        wanted, state.picks = "" if press.ctrl else state.picks, ""
        if wanted or press.shift:
            state.effects.append((wanted or "pin another",))
        else:
            pick(state, pixel)
        if wanted == "pin":
            state.show_panel("inspector")
