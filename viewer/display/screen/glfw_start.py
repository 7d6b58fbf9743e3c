"""Starting GLFW on a Wayland or X11 display."""

import os
import sys
from typing import Any

from wheatstone.gpu import Unavailable

WITHOUT_DISPLAY = (
    "`wheatstone serve` shows the window in a browser, `wheatstone render` writes pictures, "
    "`wheatstone lesson NAME --out FOLDER` writes the steps of a lesson"
)
"""The ways to work without a display."""


class NoDisplay(Unavailable):
    """An error raised without a display: windows cannot open, but everything else works."""


def start_glfw() -> Any:
    """Import and initialise GLFW; its errors raise exceptions until ``gather_errors`` is called.

    Raises:
        NoDisplay: no display is configured.
        Unavailable: the configured display does not open.
    """
    wayland, x11 = os.environ.get("WAYLAND_DISPLAY"), os.environ.get("DISPLAY")
    if sys.platform == "linux" and not (wayland or x11):
        raise NoDisplay(
            "no display (DISPLAY and WAYLAND_DISPLAY are unset); a window opens from a desktop or "
            f"through ssh -Y; {WITHOUT_DISPLAY}"
        )
    prefers_wayland = wayland and (not x11 or os.environ.get("XDG_SESSION_TYPE") == "wayland")
    os.environ.setdefault("PYGLFW_LIBRARY_VARIANT", "wayland" if prefers_wayland else "x11")
    import glfw

    # Wayland does not tell or change a window's position: that is no error.
    reporting: Any = {glfw.FEATURE_UNAVAILABLE: "ignore", glfw.FEATURE_UNIMPLEMENTED: "ignore"}
    glfw.ERROR_REPORTING = reporting | {None: "raise"}
    try:
        glfw.init()
    except glfw.GLFWError as error:
        raise Unavailable(
            f"the display cannot be opened: {message_of(error)}; {WITHOUT_DISPLAY}"
        ) from error
    return glfw


def gather_errors(glfw: Any) -> list[str]:
    """Redirect GLFW's errors to the returned list, so that none of them ends the session."""
    errors: list[str] = []
    harmless = (glfw.FEATURE_UNAVAILABLE, glfw.FEATURE_UNIMPLEMENTED)

    def note(code: int, message: bytes) -> None:
        """Append an error's message to the list."""
        if code not in harmless:
            errors.append(message.decode("utf-8", "replace"))

    glfw.set_error_callback(note)
    return errors


def message_of(error: Exception) -> str:
    """Return the text of a GLFW error without pyGLFW's prefix and quotes: (65550) b'...'."""
    text = str(error).partition(") ")[2] or str(error)
    return text.removeprefix("b'").removesuffix("'")
