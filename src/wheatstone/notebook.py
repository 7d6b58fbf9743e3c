"""A widget that shows the program's window in a notebook cell."""

import atexit
import subprocess
import tempfile
import threading
from typing import Any
from weakref import WeakSet

import anywidget
import traitlets

from wheatstone.viewer.resources import ASSETS
from wheatstone.window_process import WindowProcess, WindowSettings

PAGE = ASSETS / "notebook" / "widget.js"
LONGEST_MESSAGE = 2000  # bytes of the window's messages that a cell shows


class NotebookWindow(anywidget.AnyWidget):  # type: ignore[misc]  # seen as Any
    """A notebook widget that shows the program's window in a frame of the page.

    Each page that shows the widget names its origin, because a browser shows the window only in a
    page whose origin the window was started with. The address of the window holds a token: it is
    sent as a message, because a notebook file may save the state of its widgets.
    """

    _esm = PAGE
    height = traitlets.Int(720).tag(sync=True)

    def __init__(self, settings: WindowSettings, height: int = 720, port: int = 0) -> None:
        super().__init__(height=height)
        self._settings, self._port = settings, port
        self._turn = threading.RLock()
        self._windows: dict[str, CellWindow] = {}
        self._views: dict[str, set[str]] = {}
        self.on_msg(self._receive)

    def _receive(self, _: object, message: dict[str, Any], __: object) -> None:
        """Start the window when a page shows the widget; end it when no page shows it."""
        origin, view = str(message.get("origin")), str(message.get("view"))
        views = self._views.setdefault(origin, set())
        if message.get("kind") == "shown":
            views.add(view)
            answer = threading.Thread(target=self._answer, args=(origin,), daemon=True)
            answer.start()  # a window takes seconds to start, in which other cells can run
        else:
            views.discard(view)
            if not views:
                self._end(origin)

    def _answer(self, origin: str) -> None:
        """Send the window's address to the pages of an origin; start the window if needed."""
        with self._turn:
            if not self._views.get(origin):
                return  # the page is gone already
            window = self._windows.get(origin)
            if window is None or not window.running:
                self._end(origin)
                window = self._windows[origin] = CellWindow(self._settings, origin, self._port)
        self.send({"origin": origin, **window.answer()})

    def _end(self, origin: str) -> None:
        """End the running window that notebook pages of one web origin show, if there is one."""
        with self._turn:
            if window := self._windows.pop(origin, None):
                window.close()

    def close(self) -> None:
        """End the windows, and remove the widget from the cells that show it."""
        self._views.clear()
        for origin in list(self._windows):
            self._end(origin)
        super().close()


class CellWindow:
    """A window served to the pages of one origin, which show it in a notebook cell."""

    def __init__(self, settings: WindowSettings, origin: str, port: int) -> None:
        self._messages = tempfile.TemporaryFile()
        framed = ("--frame-origin", origin) if origin.startswith(("http://", "https://")) else ()
        words = ("--port", str(port), *framed)
        self._process = WindowProcess("serve", settings, words, subprocess.PIPE, self._messages)
        self._turn = threading.Lock()
        self._address = ""
        _open_windows.add(self)

    @property
    def running(self) -> bool:
        """Whether the window is still running."""
        return self._process.running

    def answer(self) -> dict[str, str]:
        """Wait until the window is served; return its address, or the error if that fails."""
        with self._turn:
            self._address = self._address or self._process.first_line()
        if self._address:
            return {"address": self._address}
        self._process.wait()
        return {"problem": self._last_messages() or "the window ended before it was shown"}

    def _last_messages(self) -> str:
        """Return the end of the window's error messages; empty after ``close``."""
        if self._messages.closed:
            return ""
        self._messages.seek(0)
        return self._messages.read()[-LONGEST_MESSAGE:].decode(errors="replace").strip()

    def close(self) -> None:
        """End the window and close the file of its messages."""
        self._process.close()
        self._messages.close()


_open_windows: WeakSet[CellWindow] = WeakSet()


@atexit.register
def _close_all() -> None:
    """End all windows, when the notebook's kernel exits."""
    for window in list(_open_windows):
        window.close()
