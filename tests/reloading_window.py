"""Runs the program in a real window while the file of a kernel is edited; answers in JSON."""

import json
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.display.screen.window import Window
from wheatstone.viewer.run.kernels.folder import declare_folders
from wheatstone.viewer.window.app import App, open_app

SIZE = (1140, 620)
WORDS = ("invert", "--scene-size", "64x48", "--variant", "mine", "--fresh")
RESTS = 1.5  # seconds in which a window that rests draws nothing


class CountingApp(App):
    """An application that counts the frames it draws."""

    drawn = 0

    def step(self) -> None:
        """Run one pass, and count it."""
        self.drawn += 1
        super().step()


def follow(app: App, number: int) -> dict[str, Any]:
    """Run the window's own loop until a save is judged, and its picture is shown."""
    watch, ends, states = app.layout.kernels[0], time.monotonic() + PATIENCE, []
    while time.monotonic() < ends:
        if app._comes_due():
            app.step()
        newest = watch.saves[-1] if watch.saves else None
        if newest and newest.number == number:
            states.append(newest.state)
            if not watch.busy and app.stands:
                brightest = int(app.session.values("inverted").max())
                return {"states": list(dict.fromkeys(states)), "brightest": brightest}
    raise TimeoutError(f"save {number} was not judged: {states[-1:]}")


def frames_at_rest(app: CountingApp) -> int:
    """Count the frames that are drawn while nothing happens."""
    ends = time.monotonic() + PATIENCE
    while app.pace.seconds() < 1 and time.monotonic() < ends:
        if app._comes_due():
            app.step()
    before, ends = app.drawn, time.monotonic() + RESTS
    while time.monotonic() < ends:
        if app._comes_due():
            app.step()
    return app.drawn - before


def main(folder: Path) -> dict[str, Any]:
    declare_folders([folder])
    file = folder / "invert.cu"
    right = file.read_text()
    with ExitStack() as stack:
        state, source = open_view(parse(["view", *WORDS]))
        state.paused, state.open_panels = True, {"own_kernel"}
        window = stack.enter_context(closing(Window(*SIZE, "Wheatstone")))
        app = open_app(stack, window, state, source)
        app.__class__ = CountingApp
        assert isinstance(app, CountingApp)
        answers: dict[str, Any] = {"opened": follow(app, 1), "frames": frames_at_rest(app)}
        texts = {
            "broken": right.replace("255 - left", "255 - lefft"),
            "wrong": right.replace("255 - left", "0 * left"),
            "mended": right,
        }
        for number, (name, text) in enumerate(texts.items(), 2):
            file.write_text(text)
            answers[name] = follow(app, number)
        return answers


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
