"""Drawing of a window: the picture, panels, notices and the title."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices import undoing
from wheatstone.viewer.display.frames.last_shown import LastShown
from wheatstone.viewer.display.frames.waiting import Waiting
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.gestures import use_touch
from wheatstone.viewer.display.screen.overlay import Overlay
from wheatstone.viewer.memo import Memo
from wheatstone.viewer.panels.popups import (
    draw_advice,
    draw_equality,
    draw_hints,
    draw_leaving,
    draw_notice,
    draw_question,
)
from wheatstone.viewer.panels.status_words import title
from wheatstone.viewer.theme import PictureStyle
from wheatstone.viewer.window.routing import Routing
from wheatstone.viewer.window.window_layout import WindowLayout

if TYPE_CHECKING:  # OpenGL is imported when there is a context, not before
    from wheatstone.viewer.display.screen.framebuffer import Framebuffer


class AppWindow(Protocol):
    """The interface of a window, visible or offscreen; see ``viewer.display.screen.window``."""

    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def scale(self) -> float: ...
    @property
    def touch(self) -> bool: ...
    @property
    def closed(self) -> bool: ...
    @property
    def minimised(self) -> bool: ...
    @property
    def framebuffer(self) -> "Framebuffer | None": ...
    def wait(self, seconds: float) -> bool: ...
    def poll(self) -> list[Event]: ...
    def set_fullscreen(self, fullscreen: bool) -> bool: ...
    def set_clipboard(self, text: str) -> None: ...
    def copy_picture(self, pixels: NDArray[np.uint8]) -> None: ...
    def offer(self, path: Path) -> None: ...
    def set_title(self, title: str) -> None: ...
    def swap(self) -> None: ...


class Presentation:
    """The drawing of a session's picture and panels in its window."""

    def __init__(
        self,
        window: AppWindow,
        overlay: Overlay,
        layout: WindowLayout,
        routing: Routing,
        waiting: Waiting,
        last: LastShown,
    ) -> None:
        self._window, self._overlay, self._layout = window, overlay, layout
        self._session, self._state = layout.session, layout.state
        self._routing, self._waiting, self._last = routing, waiting, last
        self._title, self._named = "", Memo[str]()  # of the window
        self._warning = ""  # before the title

    @property
    def scale(self) -> float:
        """Return the pixels per unit of text and spacing: the screen's scale times the user's."""
        return self._window.scale * self._state.look.scale

    def announce(self, variants: str) -> None:
        """Show a message that variants are being prepared, because compiling may take seconds."""
        if self._routing.mouse.draws:
            return  # a region, which is prepared for at every move
        before = self._state.messages
        self._state.hint(f"preparing {variants} ...")
        self.draw([])
        self._state.messages = before  # a task that has ended is not logged

    def draw(self, events: list[Event]) -> None:
        """Draw the picture and the panels, with events passed to the panels, and show the frame."""
        layout, look, (width, height) = self._layout, self._state.look, self._window.size
        layout.scale, layout.rate = self.scale, self._session.meters.rates.presented
        use_touch(touch=self._window.touch)
        self._routing.point()
        places = layout.arrange(width, height)
        area, display = places.picture, self._session.display
        if display.style != (of_text := PictureStyle(look.theme, layout.scale)):
            display.style = of_text  # another object would have the picture laid out again
        anything = self._last.anything
        display.hurries = anything and self._routing.mouse.moves_cloud
        self._session.drawing.draw(area.width, area.height, anything=anything)
        if anything:
            self._session.recordings.follow()
            self._routing.point()
        layout.update(first=anything)
        display.blit(width, height, self._window.framebuffer, area.x, area.y)
        undoing.follow(self._state)
        navigates = bool(self._state.focus) or self._routing.in_menus
        style = (layout.scale, events, look.theme)
        with self._overlay.frame(width, height, *style, navigates=navigates):
            layout.draw(places)
            if self._state.hints and self._last.anything:
                images = display.drawn.arrangement
                shown = replace(area, height=images.top + images.framebuffer[1])
                draw_hints(shown, layout.scale)
            undoing.note(self._state)
            draw_question(self._state)
            if self._state.stages:
                draw_equality(self._session.checks.stages, layout.equality_area)
            cancels = False
            if notice := self._waiting.notice or self._waiting.writing:
                above = self._session.drawing.caption_height(area.width, area.height)
                cancels = draw_notice(notice, area, layout.scale, above)
            draw_advice(self._waiting.advice, area)
            draw_leaving(self._state, area)
        if cancels and self._waiting.give_up():
            undoing.follow(self._state)
        self.name_window()
        self._window.swap()
        self._session.meters.presented()

    def warn_in_title(self, warning: str) -> None:
        """Set a warning that precedes the window's title, visible even while drawing is delayed."""
        if warning != self._warning:
            self._warning = warning
            self.name_window()

    def name_window(self) -> None:
        """Update the window's title if it changed."""
        state, name = self._state, self._last.source.name
        shown = state.slot, state.b, state.linked, state.absent, state.mixing, state.presets, name
        named = self._named.of(shown, lambda: title(state, name))
        named = f"{self._warning} - {named}" if self._warning else named
        if named != self._title:
            self._title = named
            self._window.set_title(named)
