"""Opens a window, does what test_window.py asks for, and answers in JSON."""

import json
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.display.screen.display import Display, Pane, Picture
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.overlay import Overlay
from wheatstone.viewer.display.screen.window import Window

TITLE = "wheatstone test"


def shown(window: Window) -> NDArray[np.uint8]:
    """What the window's own framebuffer holds, top row first."""
    from OpenGL import GL

    width, height = window.size
    pixels = np.empty((height, width, 3), np.uint8)
    GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, 0)
    GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 1)
    GL.glReadPixels(0, 0, width, height, GL.GL_RGB, GL.GL_UNSIGNED_BYTE, array=pixels)
    return pixels[::-1]


def draw(window: Window, folder: str) -> dict[str, Any]:
    """Draw disparities from a file and save what the window shows."""
    with closing(Display()) as display:
        display.upload_image("v", np.load(Path(folder) / "values.npy"))
        picture = Picture((Pane("v", 1 / 16, 0, 63, -16, "turbo"),), zoom=1.5)
        display.draw(picture, *window.size)
        display.blit(*window.size)
        np.save(Path(folder) / "seen.npy", shown(window))
        window.swap()
    return {}


def keys(window: Window, *names: str) -> dict[str, Any]:
    """Press keys by xdotool and collect how they arrive."""
    search = ["xdotool", "search", "--sync", "--name", TITLE, "windowfocus", "--sync"]
    subprocess.run(search, check=True, timeout=60, stdout=subprocess.DEVNULL)
    subprocess.run(["xdotool", "key", "--delay", "20", *names], check=True, timeout=60)
    arrived: list[str] = []
    deadline = time.monotonic() + 60
    while len(arrived) < len(names) and time.monotonic() < deadline:
        arrived += [event.key for event in window.poll() if event.kind == "key"]
        window.swap()
    return {"keys": arrived}


def fullscreen(window: Window) -> dict[str, Any]:
    """Fill the screen and go back, each twice."""
    sizes, mode = [window.size], window._glfw.get_video_mode(window._glfw.get_primary_monitor())
    for full in (True, False):
        window.set_fullscreen(full)
        window.set_fullscreen(full)
        deadline = time.monotonic() + 60
        while window.size == sizes[-1] and time.monotonic() < deadline:
            window.poll()
        sizes.append(window.size)
    return {"sizes": sizes, "screen": tuple(mode.size)}


def enlarged(window: Window) -> dict[str, Any]:
    """Move the window towards a corner of the screen, and enlarge it beyond the screen."""
    mode = window._glfw.get_video_mode(window._glfw.get_primary_monitor())
    window._glfw.set_window_pos(window._window, 700, 500)
    window.enlarge(20.0)
    deadline = time.monotonic() + 60
    while window.size == (321, 199) and time.monotonic() < deadline:
        window.poll()
    place = window._glfw.get_window_pos(window._window)
    return {"size": window.size, "place": place, "screen": tuple(mode.size)}


def focus_lost(window: Window) -> dict[str, Any]:
    """Fill the screen, lose the focus to another window without a window manager, go on."""
    import glfw

    texts: list[str] = []

    def pass_by() -> None:
        """Let the window tell what happened, for a while."""
        for _ in range(20):
            texts.extend(event.text for event in window.poll() if event.kind == "error")
            window.swap()

    filled = [window.set_fullscreen(True)]
    for vanishes in (False, True):
        glfw.set_window_attrib(window._window, glfw.AUTO_ICONIFY, vanishes)
        pass_by()
        search = ["xdotool", "search", "--sync", "--name", TITLE, "windowfocus", "--sync"]
        subprocess.run(search, check=True, timeout=60, stdout=subprocess.DEVNULL)
        pass_by()
        other = glfw.create_window(50, 40, "other", None, None)
        glfw.focus_window(other)
        pass_by()
        glfw.destroy_window(other)
        texts.append(f"vanishes: {vanishes}")
    filled += [window.set_fullscreen(full) for full in (False, True, False)]
    return {"said": texts, "filled": filled, "size": window.size}


def seen_again(window: Window) -> dict[str, Any]:
    """Take the window off the screen and back while it waits for events."""
    while window.wait(0.5):
        window.poll()
    words = ["sleep", "0.3", "windowmap"]
    search = ["xdotool", "search", "--name", TITLE, "windowunmap", *words]
    kinds: list[str] = []
    with subprocess.Popen(search, stdout=subprocess.DEVNULL):
        deadline = time.monotonic() + 60
        while "refresh" not in kinds and time.monotonic() < deadline:
            if window.wait(0.2):
                kinds += [event.kind for event in window.poll()]
    return {"kinds": kinds}


def no_screen(window: Window) -> dict[str, Any]:
    """Fill a screen and put a text into the clipboard where neither can be done."""
    window._glfw.get_monitors = list  # as if every screen were unplugged
    worked = window.set_fullscreen(True)
    window.set_clipboard("half a character: \udc80")
    return {"worked": worked, "said": [e.text for e in window.poll() if e.kind == "error"]}


def panels(window: Window) -> dict[str, Any]:
    """Draw a panel over the background and compare the pixels in and around it."""
    wants = []
    with closing(Display()) as display, closing(Overlay(window.scale)) as overlay:
        from imgui_bundle import imgui

        for x in (300, 30):
            for _ in range(3):
                display.blit(*window.size)
                before = shown(window).astype(int)
                with overlay.frame(*window.size, 1.0, [Event("move", x=x, y=30)]):
                    imgui.set_next_window_pos((10, 10))
                    imgui.set_next_window_size((200, 100))
                    imgui.begin("panel")
                    imgui.text("640 \u00d7 480 \u00b7 12.3 ms")
                    imgui.end()
                changed = np.any(shown(window) != before, axis=2)
                window.swap()
            wants.append(overlay.wants_mouse)
    inside = int(changed[10:110, 10:210].sum())
    return {
        "changed inside the panel": inside,
        "changed outside the panel": int(changed.sum()) - inside,
        "wants mouse": wants,
    }


def resizes(window: Window) -> dict[str, Any]:
    """Run the program while the window is resized, and compare its pictures."""
    from tests.resizes import WORDS, resized
    from wheatstone.viewer.cli.cli import parse
    from wheatstone.viewer.cli.start import open_view
    from wheatstone.viewer.window.app import open_app

    seen: list[NDArray[np.uint8]] = []
    swap = window.swap

    def kept() -> None:
        """Keep what the window shows: afterwards OpenGL may have lost it."""
        seen[:] = [shown(window)]
        swap()

    def resize(width: int, height: int) -> None:
        """Give the window another size, and wait until it has it."""
        window._glfw.set_window_size(window._window, width, height)
        deadline = time.monotonic() + 60
        while window.size != (width, height) and time.monotonic() < deadline:
            window.poll()

    window.swap = kept  # type: ignore[method-assign]
    with ExitStack() as stack:
        state, source = open_view(parse(["view", *WORDS, "--no-bars"]))
        state.paused = True
        app = open_app(stack, window, state, source)
        return {"pictures": resized(app, resize, lambda: seen[0])}


def program(window: Window, peer: str, *words: str) -> dict[str, Any]:
    """Run the program with a variant that a network or a program is, until its first picture."""
    from tests.offscreen_app import settle
    from wheatstone.viewer.cli.cli import parse
    from wheatstone.viewer.cli.start import open_view
    from wheatstone.viewer.run.peers.own_peer import declare_peers
    from wheatstone.viewer.window.app import open_app

    declare_peers([peer])
    seen: list[NDArray[np.uint8]] = []
    swap = window.swap

    def kept() -> None:
        seen[:] = [shown(window)]
        swap()

    window.swap = kept  # type: ignore[method-assign]
    with ExitStack() as stack:
        state, source = open_view(parse(["view", *words, "--no-bars"]))
        state.paused = True
        app = open_app(stack, window, state, source)
        settle(app)
        sides = [runner.shown for runner in (app.session.a, app.session.b)]
        return {
            "variants": [side.slot.variant for side in sides if side],
            "levels": int(np.ptp(seen[0])),
            "failed": bool(app.failed),
        }


if __name__ == "__main__":
    task, *arguments = sys.argv[1:]
    with closing(Window(321, 199, TITLE)) as opened:
        print(json.dumps(globals()[task](opened, *arguments)))
