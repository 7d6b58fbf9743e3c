"""Dear ImGui on top of the picture: panels, their style and fonts, and their events."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.installation import this_installation
from wheatstone.viewer.display.screen import style
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.opengl import APT
from wheatstone.viewer.display.screen.style import FONT_SIZE
from wheatstone.viewer.theme import THEMES

_FONT = "assets/fonts/Roboto/Roboto-Regular.ttf"  # of imgui_bundle
_ARROWS = "assets/fonts/Inconsolata-Medium.ttf"  # for characters that Roboto lacks
_MONOSPACE = _ARROWS
_ICONS = "assets/fonts/Font_Awesome_6_Free-Solid-900.otf"

# Names of imgui.Key by those of viewer.screen.keys, where they differ by more than capitals.
_KEYS = {
    "Esc": "escape",
    "Left": "left_arrow",
    "Right": "right_arrow",
    "Up": "up_arrow",
    "Down": "down_arrow",
    "PageUp": "page_up",
    "PageDown": "page_down",
    **{str(digit): f"_{digit}" for digit in range(10)},
}
BLINK, VISIBLE = 1.2, 0.8
"""Dear ImGui's text cursor, in seconds: the period of its blinking, and the visible part of it."""
FLOAT_MAX = 3.4028234e38
"""The position, negated, by which Dear ImGui knows that there is no cursor."""
MARGIN = 0.01  # seconds, so that the cursor has turned in the frame that is due

_MODIFIERS = {"Ctrl": "mod_ctrl", "Alt": "mod_alt", "Super": "mod_super", "Shift": "mod_shift"}


def import_ahead() -> None:
    """Start importing Dear ImGui on another thread, so that later imports take less time.

    The import takes a tenth of a second, in which the main thread may wait for OpenGL.
    """
    Thread(target=_import_imgui, name="imgui").start()


def _import_imgui() -> None:
    with suppress(ImportError):  # ``Overlay`` says it
        import imgui_bundle  # noqa: F401


class Overlay:
    """Dear ImGui's context, which draws panels on the bound framebuffer; see ``frame``.

    Args:
        scale: pixels per unit of the unscaled screen, for text and spacing.

    Attributes:
        drawn: whether panels have been drawn: before that nothing can be clicked.

    Raises:
        Unavailable: Dear ImGui cannot be loaded.
    """

    def __init__(self, scale: float = 1.0) -> None:
        try:
            import imgui_bundle
            from imgui_bundle import imgui, implot
        except ImportError as error:
            absent = isinstance(error, ModuleNotFoundError)
            remedy = this_installation().command("imgui-bundle") if absent else APT
            raise Unavailable(
                f"the panels need Dear ImGui ({error}); install what is missing with: {remedy}"
            ) from error
        from imgui_bundle.python_backends.opengl_backend_programmable import (
            ProgrammablePipelineRenderer,
        )

        self._imgui: Any = imgui
        self._implot: Any = implot
        self._context = imgui.create_context()
        self._plots = implot.create_context()
        self._io: Any = imgui.get_io()
        self._io.set_ini_filename("")  # no file of window positions
        fonts, merged = Path(imgui_bundle.__file__).parent, imgui.ImFontConfig()
        merged.merge_mode = True
        self._io.fonts.add_font_from_file_ttf(str(fonts / _FONT), FONT_SIZE)
        self._io.fonts.add_font_from_file_ttf(str(fonts / _ARROWS), FONT_SIZE, merged)
        self._io.fonts.add_font_from_file_ttf(str(fonts / _ICONS), FONT_SIZE, merged)
        self._io.fonts.add_font_from_file_ttf(str(fonts / _MONOSPACE), FONT_SIZE)
        self._renderer: Any = ProgrammablePipelineRenderer()  # type: ignore[no-untyped-call]
        self._last_frame = time.perf_counter()
        self._scale = 1.0
        self.drawn = False
        style.set_style(imgui)
        self._worn = ""
        self._rescale(scale)

    def _rescale(self, scale: float) -> None:
        """Scale text and spacing to a screen's density, always from the unscaled sizes."""
        if scale != self._scale:
            style.set_style(self._imgui)
            if self._worn:
                style.wear(self._worn, self._imgui, self._implot)
            sizes = self._imgui.get_style()
            sizes.scale_all_sizes(scale)
            sizes.font_scale_dpi = self._scale = scale

    @property
    def wants_mouse(self) -> bool:
        """Whether mouse input belongs to a panel, not to the picture."""
        return bool(self._io.want_capture_mouse)

    @property
    def typing(self) -> bool:
        """Whether a text field had the keyboard focus in the last frame."""
        self._imgui.set_current_context(self._context)
        return bool(self._imgui.get_current_context().want_text_input_next_frame == 1)

    @property
    def pending(self) -> bool:
        """Whether Dear ImGui has an unprocessed click or key, which may move the keyboard focus."""
        imgui = self._imgui
        imgui.set_current_context(self._context)
        kinds = imgui.internal.InputEventType
        waiting = imgui.get_current_context().input_events_queue
        return any(event.type in (kinds.mouse_button, kinds.key) for event in waiting)

    @property
    def due(self) -> float:
        """The time, by ``time.perf_counter``, when panels must be redrawn without an event.

        That is now while a mouse button is down, and else when the text cursor blinks.
        """
        imgui = self._imgui
        imgui.set_current_context(self._context)
        if imgui.is_any_mouse_down():
            return time.perf_counter()
        if not self.typing:
            return math.inf
        passed = float(imgui.get_current_context().input_text_state.cursor_anim)
        turn = passed % BLINK if passed > 0 else passed  # below 0 it stays for longer
        return self._last_frame + (VISIBLE if turn <= VISIBLE else BLINK) - turn + MARGIN

    def close_popups(self) -> bool:
        """Close the lists and menus that are open over the panels; return whether any were open."""
        imgui = self._imgui
        opened = bool(imgui.is_popup_open("", int(imgui.PopupFlags_.any_popup)))
        if opened:
            imgui.internal.close_popup_to_level(0, True)
        return opened

    @contextmanager
    def frame(
        self,
        width: int,
        height: int,
        scale: float,
        events: Sequence[Event],
        theme: str = THEMES[0],
        *,
        navigates: bool = False,
    ) -> Iterator[None]:
        """Draw the panels built in the ``with`` block with Dear ImGui on the bound framebuffer.

        Args:
            scale: pixels per unit of the unscaled screen.
            events: the panels' events since the last frame.
            navigates: whether arrows, Space and Enter move through the focused panel.
        """
        imgui, io = self._imgui, self._io
        imgui.set_current_context(self._context)
        self._implot.set_current_context(self._plots)
        self._rescale(scale)
        if theme != self._worn:
            self._worn = theme
            style.wear(theme, imgui, self._implot)
        now = time.perf_counter()
        io.delta_time = max(now - self._last_frame, 1e-6)
        self._last_frame = now
        io.display_size = (max(width, 1), max(height, 1))
        self._navigate(navigates)
        for event in events:
            self._feed(event)
        imgui.new_frame()
        try:
            yield
        except BaseException:
            with suppress(RuntimeError):  # of windows left open: what broke the block counts
                imgui.end_frame()
            raise
        imgui.render()
        self.drawn = True
        drawn = imgui.get_draw_data()
        if width > 0 and height > 0 and drawn.total_vtx_count:
            self._renderer.render(drawn)

    def _navigate(self, on: bool) -> None:
        io = self._io
        bit = int(self._imgui.ConfigFlags_.nav_enable_keyboard)
        if bool(io.config_flags & bit) != on:
            io.config_flags ^= bit
            io.config_nav_cursor_visible_always = on

    def _feed(self, event: Event) -> None:
        io = self._io
        if event.kind in ("move", "press", "release", "scroll"):
            io.add_mouse_pos_event(event.x, event.y)
        if event.kind in ("press", "release") and event.button < 5:
            io.add_mouse_button_event(event.button, event.kind == "press")
        elif event.kind == "scroll":
            io.add_mouse_wheel_event(event.dx, event.dy)
        elif event.kind == "leave":
            io.add_mouse_pos_event(-FLOAT_MAX, -FLOAT_MAX)
        elif event.kind == "key":
            self._feed_key(event.key)
        elif event.kind == "text":
            io.add_input_character(ord(event.text))
        elif event.kind == "focus":
            io.add_focus_event(event.focused)

    def _feed_key(self, name: str) -> None:
        """Pass press and release of a key to Dear ImGui; a key held down arrives repeatedly."""
        *modifiers, base = name.split("+")
        if base == "Tab" and "Ctrl" in modifiers:
            return  # goes from panel to panel, which Dear ImGui would do in a way of its own
        if (len(base) == 1 or base in ("Plus", "Minus")) and not {"Ctrl", "Alt"} & {*modifiers}:
            return  # its character does it all, and Dear ImGui takes one key a frame
        key = getattr(self._imgui.Key, _KEYS.get(base, base.lower()), None)
        held = [getattr(self._imgui.Key, _MODIFIERS[m]) for m in modifiers if m in _MODIFIERS]
        if key is None:
            return
        for pressed in (*held, key):
            self._io.add_key_event(pressed, True)
        for released in (key, *held):
            self._io.add_key_event(released, False)

    def close(self) -> None:
        self._imgui.set_current_context(self._context)
        self._renderer.shutdown()
        self._implot.destroy_context(self._plots)
        self._imgui.destroy_context(self._context)


def monospace() -> Any:
    """Return the font for source text in Dear ImGui's current context."""
    from imgui_bundle import imgui

    return imgui.get_io().fonts.fonts[1]
