"""A window with an OpenGL context that collects the user's input as events."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.glfw_start import gather_errors, message_of, start_glfw
from wheatstone.viewer.display.screen.opengl import APT, bind, bound_platform
from wheatstone.viewer.display.screen.overlay import import_ahead
from wheatstone.viewer.resources import ICON

__all__ = ["Event", "Window"]
NAME = "wheatstone"
"""The name of the program's windows for desktops: the stem of its ``.desktop`` file."""
SURROGATES = range(0xD800, 0xE000)


class Window:
    """A GLFW window, with OpenGL 3.3 core or newer current on this thread until it is closed.

    Args:
        width, height: in units of an unscaled screen; on a HiDPI one the window has more pixels.

    Raises:
        Unavailable: there is no display, or it offers no OpenGL.
    """

    touch = False
    """Whether fingers work it, not mouse and keys."""

    def __init__(
        self, width: int, height: int, title: str, *, fullscreen: bool = False, visible: bool = True
    ) -> None:
        self._glfw = glfw = start_glfw()
        import_ahead()
        self._events: list[Event] = []
        self._is_icon = self._is_empty = False
        self._alt_alone = False  # pressed, and no other key since
        self._windowed = (0, 0, width, height)  # x, y, width and height to return to
        try:
            self._bind()
            self._window: Any = self._create(width, height, title, visible)
        except Exception as error:
            glfw.terminate()
            if not isinstance(error, glfw.GLFWError):
                raise
            raise Unavailable(
                f"the window cannot be opened: {message_of(error)}; OpenGL 3.3 is needed, try: "
                f"{APT}"
            ) from error
        glfw.make_context_current(self._window)
        glfw.swap_interval(1)
        self._set_icon()
        self._listen()
        self._errors = gather_errors(glfw)
        self.set_fullscreen(fullscreen)

    def _bind(self) -> None:
        """Bind GLFW and PyOpenGL to EGL on Wayland or on request, otherwise to GLX."""
        glfw, wayland = self._glfw, self._on_wayland()
        asked = bound_platform() or os.environ.get("PYOPENGL_PLATFORM")
        egl = wayland or asked in ("egl", "wayland")
        bind("egl" if egl else "glx")
        api = glfw.EGL_CONTEXT_API if egl else glfw.NATIVE_CONTEXT_API
        glfw.window_hint(glfw.CONTEXT_CREATION_API, api)

    def _on_wayland(self) -> bool:
        """Return whether windows use Wayland; False with GLFW before 3.4, which may not know it."""
        glfw = self._glfw
        return hasattr(glfw, "get_platform") and glfw.get_platform() == glfw.PLATFORM_WAYLAND

    def _create(self, width: int, height: int, title: str, visible: bool) -> Any:
        glfw = self._glfw
        glfw.window_hint(glfw.CONTEXT_VERSION_MAJOR, 3)
        glfw.window_hint(glfw.CONTEXT_VERSION_MINOR, 3)
        glfw.window_hint(glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE)
        glfw.window_hint(glfw.OPENGL_FORWARD_COMPAT, True)
        glfw.window_hint(glfw.SCALE_TO_MONITOR, True)
        glfw.window_hint(glfw.VISIBLE, visible)
        glfw.window_hint(glfw.AUTO_ICONIFY, False)  # another window beside is no reason to vanish
        glfw.window_hint_string(glfw.X11_CLASS_NAME, NAME)
        glfw.window_hint_string(glfw.X11_INSTANCE_NAME, NAME)
        if hasattr(glfw, "get_platform"):  # GLFW 3.4, which also knows Wayland's name
            glfw.window_hint_string(glfw.WAYLAND_APP_ID, NAME)
        return glfw.create_window(width, height, title, None, None)

    def _set_icon(self) -> None:
        from PIL import Image

        if not self._on_wayland():
            with Image.open(ICON) as picture:
                self._glfw.set_window_icon(self._window, 1, [picture.convert("RGBA")])

    def _listen(self) -> None:
        glfw, window, add = self._glfw, self._window, self._add
        glfw.set_key_callback(window, self._on_key)
        glfw.set_char_callback(window, self._on_character)
        glfw.set_mouse_button_callback(window, self._on_button)
        self._cursor = glfw.get_cursor_pos(window)
        glfw.set_cursor_pos_callback(window, self._on_move)
        glfw.set_scroll_callback(
            window, lambda _, dx, dy: add(self._at_cursor("scroll", dx=dx, dy=dy))
        )
        glfw.set_cursor_enter_callback(window, self._on_enter)
        glfw.set_drop_callback(window, lambda _, paths: add(Event("drop", paths=tuple(paths))))
        glfw.set_window_focus_callback(window, self._on_focus)
        glfw.set_framebuffer_size_callback(window, self._on_resize)
        glfw.set_window_content_scale_callback(window, lambda *_: add(Event("scale")))
        glfw.set_window_refresh_callback(window, lambda _: add(Event("refresh")))
        glfw.set_window_iconify_callback(window, self._on_iconify)
        glfw.set_window_close_callback(window, lambda _: add(Event("close")))

    def _add(self, event: Event) -> None:
        self._events.append(event)

    def _on_key(self, _: Any, key: int, scancode: int, action: int, modifiers: int) -> None:
        from wheatstone.viewer.display.screen.keys import key_name

        glfw = self._glfw
        self._follow_alt(key, action)
        if action == glfw.RELEASE:
            return
        label = None if key == glfw.KEY_UNKNOWN else glfw.get_key_name(key, scancode)
        if name := key_name(key, label, modifiers):
            text = self._pasted() if name == "Ctrl+V" else ""
            self._add(Event("key", key=name, repeat=action == glfw.REPEAT, text=text))

    def _pasted(self) -> str:
        """Return the clipboard's text, several lines as words of a shell; empty without a text."""
        errors = len(self._errors)
        copied: bytes | None = self._glfw.get_clipboard_string(self._window)
        del self._errors[errors:]  # that there is none
        lines = (copied or b"").decode("utf-8", "replace").strip().splitlines()
        return shlex.join(lines) if lines[1:] else "".join(lines)

    def _follow_alt(self, key: int, action: int) -> None:
        """Add a key event for Alt when it is released, if it was pressed alone."""
        glfw = self._glfw
        if key == glfw.KEY_LEFT_ALT and action == glfw.RELEASE and self._alt_alone:
            self._add(Event("key", key="Alt"))
        self._alt_alone = key == glfw.KEY_LEFT_ALT and action != glfw.RELEASE

    def _on_focus(self, _: Any, focused: int) -> None:
        self._alt_alone = False  # Alt may have gone elsewhere, to change windows
        self._add(Event("focus", focused=bool(focused)))

    def _on_resize(self, _: Any, width: int, height: int) -> None:
        self._is_empty = 0 in (width, height)
        self._add(Event("resize"))

    def _on_iconify(self, _: Any, iconified: int) -> None:
        self._is_icon = bool(iconified)
        self._add(Event("refresh"))

    def _on_character(self, _: Any, codepoint: int) -> None:
        from wheatstone.viewer.display.screen.keys import typed_name

        if codepoint in SURROGATES:
            return  # half a character: what Python could not write down
        # GLFW reports a key and what it types one right after the other.
        if self._events and self._events[-1].kind == "key":
            pressed = self._events.pop()
            name = typed_name(pressed.key, chr(codepoint))
            self._add(Event("key", key=name, repeat=pressed.repeat))
        self._add(Event("text", text=chr(codepoint)))

    def _on_button(self, _: Any, button: int, action: int, modifiers: int) -> None:
        self._alt_alone = False
        kind = "press" if action == self._glfw.PRESS else "release"
        shift = bool(modifiers & self._glfw.MOD_SHIFT)
        ctrl = bool(modifiers & self._glfw.MOD_CONTROL)
        self._add(self._at_cursor(kind, button=button, shift=shift, ctrl=ctrl))

    def _on_move(self, _: Any, x: float, y: float) -> None:
        self._cursor = (x, y)
        self._add(self._at_cursor("move"))

    def _on_enter(self, _: Any, entered: int) -> None:
        if not entered:
            self._add(Event("leave"))

    def _at_cursor(self, kind: Any, **values: Any) -> Event:
        # Where the cursor was then; asking GLFW now would tell where it has gone since.
        x, y = self._cursor
        width, height = self._glfw.get_window_size(self._window)
        pixels_x, pixels_y = self.size
        x, y = x * pixels_x / max(width, 1), y * pixels_y / max(height, 1)
        return Event(kind, x=x, y=y, **values)

    def wait(self, seconds: float) -> bool:
        """Wait for an event, at most ``seconds``; return whether there is one."""
        self._take_events(lambda: self._glfw.wait_events_timeout(seconds))
        return bool(self._events or self._errors)

    def _take_events(self, take: Callable[[], None]) -> None:
        """Receive pending events from GLFW; record an error for a path that is not UTF-8."""
        try:
            take()
        except UnicodeDecodeError:  # pyGLFW: of the paths in a drop
            self._errors.append("a file's name is not UTF-8; rename the file or its folder")

    def poll(self) -> list[Event]:
        """Return the events since the last call, in order, with errors at the end."""
        self._take_events(self._glfw.poll_events)
        events, self._events = self._events, []
        wrong = [Event("error", text=text) for text in dict.fromkeys(self._errors)]
        self._errors.clear()
        return events + wrong

    def swap(self) -> None:
        """Show the drawn picture at the next refresh of the screen."""
        self._glfw.swap_buffers(self._window)

    @property
    def framebuffer(self) -> None:
        """Return None, because OpenGL itself owns the framebuffer on screen."""
        return None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the framebuffer in pixels; may be 0 while minimised."""
        width, height = self._glfw.get_framebuffer_size(self._window)
        return width, height

    @property
    def minimised(self) -> bool:
        """Whether the window is invisible, because it is an icon or has no pixels."""
        return self._is_icon or self._is_empty

    @property
    def scale(self) -> float:
        """The factor of text sizes in pixels, relative to an unscaled screen."""
        x, y = self._glfw.get_window_content_scale(self._window)
        return float(max(x, y)) or 1.0

    def enlarge(self, factor: float) -> None:
        """Enlarge the window by a factor, but not beyond the screen's work area."""
        glfw, window = self._glfw, self._window
        monitor = glfw.get_primary_monitor()
        if not monitor:
            return
        left, top, across, down = glfw.get_monitor_workarea(monitor)
        before, above, after, below = glfw.get_window_frame_size(window)  # its title and borders
        width, height = (round(side * factor) for side in glfw.get_window_size(window))
        width, height = min(width, across - before - after), min(height, down - above - below)
        glfw.set_window_size(window, width, height)
        if not self._on_wayland():  # whose windows cannot say where they are
            x, y = glfw.get_window_pos(window)
            x = max(min(x, left + across - after - width), left + before)
            y = max(min(y, top + down - below - height), top + above)
            glfw.set_window_pos(window, x, y)

    @property
    def closed(self) -> bool:
        """Whether the user asked to close the window, or it is closed."""
        return self._window is None or bool(self._glfw.window_should_close(self._window))

    def set_clipboard(self, text: str) -> None:
        """Copy a text to the clipboard of the desktop."""
        self._glfw.set_clipboard_string(None, text.encode("utf-8", "replace").decode())

    def copy_picture(self, pixels: NDArray[np.uint8]) -> None:
        """Copy an (H, W, 3) RGB picture to the clipboard of the desktop; GLFW copies texts only.

        Raises:
            Unavailable: the desktop's clipboard takes no pictures, or cannot be reached.
        """
        import copykitten

        height, width = pixels.shape[:2]
        opaque = np.full((height, width, 1), 255, np.uint8)
        try:
            copykitten.copy_image(np.dstack((pixels, opaque)).tobytes(), width, height)
        except copykitten.CopykittenError as error:
            raise Unavailable(f"the picture cannot be copied to the clipboard ({error})") from error

    def offer(self, path: Path) -> None:
        """Do nothing: a file offered to the user is already on the user's machine."""

    def set_title(self, title: str) -> None:
        """Change the text in the title bar."""
        self._glfw.set_window_title(self._window, title)

    @property
    def fullscreen(self) -> bool:
        """Whether the window fills a screen, which ends when the screen is unplugged."""
        return bool(self._glfw.get_window_monitor(self._window))

    def set_fullscreen(self, fullscreen: bool) -> bool:
        """Enter or leave full screen on the window's screen; return whether that worked.

        Harmless when repeated. The reason of a failure is reported as an event.
        """
        if fullscreen == self.fullscreen:
            return True
        errors = len(self._errors)
        if fullscreen:
            self._fill_screen()
        else:
            self._glfw.set_window_monitor(self._window, None, *self._windowed, self._glfw.DONT_CARE)
        return len(self._errors) == errors and fullscreen == self.fullscreen

    def _fill_screen(self) -> None:
        """Fill the screen that most of the window is on, and save the window's position."""
        glfw, window = self._glfw, self._window
        try:
            monitor = self._monitor()
            mode = self._mode(monitor)
        except ValueError as error:
            self._errors.append(str(error))
            return
        self._windowed = (*glfw.get_window_pos(window), *glfw.get_window_size(window))
        area = (0, 0, mode.size.width, mode.size.height)
        glfw.set_window_monitor(window, monitor, *area, mode.refresh_rate)

    def _mode(self, monitor: Any) -> Any:
        try:
            mode = monitor and self._glfw.get_video_mode(monitor)  # of no screen GLFW aborts
        except ValueError:  # pyGLFW: a pointer to nothing
            mode = None
        if not mode:
            raise ValueError("no screen is available for full screen")
        return mode

    def _monitor(self) -> Any:
        glfw = self._glfw
        x, y = glfw.get_window_pos(self._window)
        width, height = glfw.get_window_size(self._window)

        def overlap(monitor: Any) -> int:
            left, top = glfw.get_monitor_pos(monitor)
            size = self._mode(monitor).size
            across = min(x + width, left + size.width) - max(x, left)
            down = min(y + height, top + size.height) - max(y, top)
            return int(max(across, 0) * max(down, 0))

        return max(glfw.get_monitors(), key=overlap, default=None)

    def hide(self) -> None:
        """Hide the window."""
        if self._window is not None:
            self._glfw.hide_window(self._window)

    def close(self) -> None:
        """Close the window and destroy its context; harmless when repeated."""
        if self._window is not None:
            self._glfw.destroy_window(self._window)
            self._window = None
            self._glfw.terminate()
