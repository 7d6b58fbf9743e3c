"""Runs the program in a real window whose loop stalls while xdotool types; answers in JSON."""

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from tests.test_parameters_panel import FIELD, row_of
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.script_player import settle
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.display.screen.window import Window
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.window.app import App, open_app

TITLE = "Wheatstone"
STALL = 0.2  # seconds that a frame takes beyond the time in which the user types
WORDS = ("sgm", "--scene-size", "64x48", "--disparities", "16", "--variant", "cpu", "--fresh")
SIZE = (1140, 620)
PATH = "/tmp/qMv1]s T.png"
XDOTOOL = shutil.which("xdotool") or "xdotool"


class StalledWindow(Window):
    """A window that stands still while the words for xdotool in ``types`` are typed into it."""

    types: tuple[str, ...] = ()

    def swap(self) -> None:
        """Show what was drawn; then let the user type, and a second pass."""
        super().swap()
        if self.types:
            words, self.types = self.types, ()
            subprocess.run([XDOTOOL, *words], check=True, timeout=60)
            time.sleep(STALL)


class Stalled:
    """The program, and what is typed into it during one frame."""

    def __init__(self, app: App, window: StalledWindow) -> None:
        self.app, self.window, self.state = app, window, app.state

    def during_a_frame(self, *words: str) -> None:
        """Let xdotool type while one frame is drawn, then let frames pass until all is handled."""
        self.window.types = words
        self.app.step()
        for _ in range(4):
            self.app.step()
        while self.app._routing.holds or self.app.overlay.pending:
            self.app.step()
        settle(self.app)
        self.app.step()

    @property
    def chosen(self) -> str:
        """All that keys could have changed, as settings keep it, and what is open."""
        state = self.state
        recipe = settings.dumps(settings.to_recipe(state))
        return repr((recipe, state.message, sorted(state.open_panels), state.help, state.effects))

    def prompt(self) -> dict[str, Any]:
        """Type a path behind the key that asks for one."""
        before = self.chosen
        self.during_a_frame("key", "ctrl+o", "type", "--delay", "1", PATH)
        palette, same = self.state.palette, self.chosen == before
        self.during_a_frame("key", "Escape", "m")
        after = self.state.palette, self.state.colormap
        return {"asks": palette and [palette.asks, palette.query], "same": same, "after": after}

    def palette(self) -> dict[str, Any]:
        """Search behind the key that opens the palette, take an entry, and press a key."""
        before = self.chosen
        self.during_a_frame("key", "ctrl+shift+p", "type", "--delay", "1", "qsM1")
        query, same = self.state.palette and self.state.palette.query, self.chosen == before
        result = ("key", "Escape", "ctrl+shift+p", "type", "--delay", "1", "map: viridis")
        self.during_a_frame(*result)
        self.during_a_frame("key", "Return", "v")
        return {"query": query, "same": same, "after": (self.state.colormap, self.state.view.name)}

    def field(self) -> dict[str, Any]:
        """Click into a number field, type, leave it by Enter, and press a key."""
        self.during_a_frame("key", "F2")
        before = self.state.colormap
        row = row_of(SGM.params, "p1")
        click = ("mousemove", str(FIELD), str(row), "click", "1")
        self.during_a_frame(*click, "key", "ctrl+a", "type", "--delay", "1", "31")
        typed = self.state.slot.params.values()["p1"]
        self.during_a_frame("key", "Return", "m")
        here = self.state.slot.params.values()["p1"], self.state.slot.variant
        return {"typed": typed, "here": here, "stepped": self.state.colormap != before}

    def menus(self) -> dict[str, Any]:
        """Open the menus, walk in them, leave, and press a key."""
        self.state.bars = True
        variant = self.state.slot.variant
        self.during_a_frame("key", "alt", "Down", "q", "m", "Escape", "1")
        return {"was": variant, "is": self.state.slot.variant, "closing": self.state.closing}

    def panel(self) -> dict[str, Any]:
        """Give the keys to a panel, choose in it, go back to the picture, and press a key."""
        self.state.open_panels = {"start"}
        self.app.step()
        self.during_a_frame("key", "ctrl+Tab", "Return", "type", "--delay", "1", "xyz")
        palette = self.state.palette
        self.during_a_frame("key", "Escape")
        return {"asks": palette and palette.asks, "query": palette and palette.query[-3:]}

    def dialog(self, programs: str) -> dict[str, Any]:
        """Type behind the key that opens the desktop's dialog, close it, and press a key."""
        program = Path(programs, "zenity")
        program.write_text("#!/bin/sh\nexec sleep 60\n")
        program.chmod(0o755)
        os.environ["PATH"] = f"{programs}:/usr/bin:/bin"
        before = self.chosen
        self.window.types = ("key", "ctrl+o", "type", "--delay", "1", PATH)
        self.app.step()
        self.app.step()
        opened = self.app.dialog is not None
        taking = [effect for effect in self.state.effects if effect[0] == "take files"]
        self.state.effects.remove(taking[0])
        same, colormap = self.chosen == before, self.state.colormap
        self.window.types = ("key", "Escape", "m")
        self.app.step()
        self.app.step()
        closed = self.app.dialog is None
        return {"same": same, "was": [opened, closed], "stepped": self.state.colormap != colormap}


def main(programs: str) -> dict[str, Any]:
    """Type into every kind of prompt; tell what became of it."""
    with ExitStack() as stack:
        state, source = open_view(parse(["view", *WORDS]))
        state.paused = True
        window = stack.enter_context(closing(StalledWindow(*SIZE, TITLE)))
        app = open_app(stack, window, state, source)
        settle(app)
        search = [XDOTOOL, "search", "--sync", "--name", TITLE, "windowfocus", "--sync"]
        subprocess.run(search, check=True, timeout=60, stdout=subprocess.DEVNULL)
        stalled = Stalled(app, window)
        answers = {
            name: getattr(stalled, name)()
            for name in ("prompt", "palette", "field", "menus", "panel")
        }
        return answers | {"dialog": stalled.dialog(programs), "files": os.listdir()}


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir()
    os.environ["PATH"] = sys.argv[1]  # no desktop's dialog
    print(json.dumps(main(sys.argv[1])))
