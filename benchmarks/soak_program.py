"""The program of a soak: it runs offscreen, and its resources are counted at intervals."""

import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from random import Random
from types import ModuleType

from pytest import MonkeyPatch

from benchmarks.programs import open_program
from benchmarks.resources import MIB, GlCount, resident, resources, threads
from benchmarks.soak_files import Drop
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.messages import Messages
from wheatstone.viewer.display.frames import computing, latest, runner
from wheatstone.viewer.display.screen import guide_lines, pixel_values, program
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels import PANELS

HOME_SIZE = (320, 240)
MOST_KEPT = 60  # screenshots that are kept before all are deleted
LONGEST_WAY = 3000  # frames after which a program that does not settle counts as hanging
LONGEST_REST = 10.0  # seconds that threads have to end on their own
RECENT = 5  # latest counts with which the number of threads is compared
CLOSEST = 40.0  # zoom at which the values of pixels are drawn
SCENE = {"scene": "garden", "seed": 0, "size": "64x48"}
BOUNDS: dict[ModuleType, dict[str, int]] = {
    program: {"MOST_PROGRAMS": 6},
    guide_lines: {"MOST_LABELS": 2},
    pixel_values: {"MOST_TABLES": 1},
    computing: {"MOST_TEXTURES": 2},
    latest: {"MOST_COPIES": 2},
    runner: {"MOST_BUFFERS": 2},
}
"""Small sizes of caches, by module, so that caches are full before growth is judged."""


@dataclass
class Soak:
    """A soak of the whole program offscreen, operated by a random user.

    Args:
        drops: the paths of each drop on the window.
        home: path of the home settings, with which resources are counted.
        every: frames between two counts.
        pause: seconds after which resources are counted even if fewer frames have passed.

    Attributes:
        frames: number of frames so far.
        at, counts: number of frames at each count, and the resources counted.
        causes: number of exceptions that ended a frame or a thread, by cause.
        traces: first traceback of each cause, with the number of frames before it.
    """

    random: Random
    drops: list[Drop]
    home: str
    every: int
    pause: float = float("inf")
    frames: int = 0
    at: list[int] = field(default_factory=list)
    counts: list[dict[str, float]] = field(default_factory=list)
    causes: Counter[str] = field(default_factory=Counter)
    traces: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._gl, self._stack, self._counted = GlCount(), ExitStack(), time.monotonic()
        self._patches = MonkeyPatch()
        for module, bounds in BOUNDS.items():
            for name, most in bounds.items():
                self._patches.setattr(module, name, most)
        self._patches.setattr(threading, "excepthook", self._note_thread)
        self._open()

    def visit(self) -> None:
        """Use every panel, view and kind of file once, because first uses allocate memory."""
        app, state = self._app, self._app.state
        app.open_source(open_source(SourceSpec.from_dict(SCENE)))
        for panel in (*PANELS, *PANELS):
            self._window.add([Event("key", key=panel.key)])
            self._run_safely(app.step)
        for pipeline in PIPELINES.values():
            state.choose_pipeline(pipeline.name)
            for view in pipeline.views:
                state.choose_view(state.slot, view.name)
                self._settle(lambda: app.settled)
        for zoom in (CLOSEST, state.zoom):
            state.zoom = zoom
            self._settle(lambda: app.settled)
        state.request("figure")
        state.request("record")
        self._settle(lambda: bool(app.session.recordings.path))
        self._go_home()

    def _settle(self, settled: Callable[[], bool]) -> bool:
        """Run frames until a condition holds; return False if it never does."""
        for _ in range(LONGEST_WAY):
            self._run_safely(self._app.step)
            if settled():
                return True
        return False

    def _open(self) -> None:
        """Close the program if it is open, and start it with the home settings."""
        from benchmarks.soak_user import RandomUser
        from wheatstone.viewer.cli.cli import parse
        from wheatstone.viewer.cli.start import open_view

        self._stack.close()
        state, source = open_view(parse(["view", "--settings", self.home]))
        with ExitStack() as stack:
            self._app, self._window = open_program(stack, HOME_SIZE, state, source)
            self._stack = stack.pop_all()
        self._user = RandomUser(self.random, self._app, self._window, self.drops)

    def step(self) -> None:
        """Run a frame after an action of the user, and count resources when it is time."""
        if self._due():
            at_work = resident() / MIB
            self._go_home()
            self.at.append(self.frames)
            self.counts.append({"at work MiB": at_work} | resources(self._gl))
            self._counted = time.monotonic()
            _clear(Path.cwd())
        self._run_safely(self._act)

    def _due(self) -> bool:
        """Return whether it is time to count resources."""
        passed = self.frames - self.at[-1] if self.at else self.every
        return passed >= self.every or time.monotonic() - self._counted > self.pause

    def _act(self) -> None:
        self._user.act()
        self._user.keep_going()
        self._app.step()

    def _run_safely(self, work: Callable[[], None]) -> None:
        """Do the work of a frame; record an exception that ends it, and restart the program."""
        self.frames += 1
        try:
            work()
        except Exception as error:
            self._note(error)
            self._open()

    def _note(self, error: BaseException) -> None:
        """Record an exception that ended a frame or a thread."""
        cause = _cause(error)
        self.causes[cause] += 1
        trace = "".join(traceback.format_exception(error))
        self.traces.setdefault(cause, f"after {self.frames} frames: {trace}")

    def _note_thread(self, problem: threading.ExceptHookArgs) -> None:
        if problem.exc_value:
            self._note(problem.exc_value)

    def _go_home(self) -> None:
        """Return the program to its home settings; restart it if that fails."""
        app, state = self._app, self._app.state
        app.choose_shown()
        state.racing, state.palette, state.help, state.fullscreen = "", None, False, False
        state.stages, state.effects, state.messages = False, [], Messages()
        self._window.poll()
        self._window.scale = 1.0
        self._window.resize(*HOME_SIZE)
        if app.session.recordings.path:
            state.request("record")
        self._window.add([Event("drop", paths=(self.home,))])
        if self._settle(self._is_home):
            self._rest()
            return
        self.causes[f"not home after {LONGEST_WAY} frames: {self._app.state.message}"] += 1
        self._open()

    def _rest(self) -> None:
        """Wait until temporary threads have ended, at most ``LONGEST_REST`` seconds."""
        usual = min((count["threads"] for count in self.counts[-RECENT:]), default=inf)
        deadline = time.monotonic() + LONGEST_REST
        while threads() > usual and time.monotonic() < deadline:
            time.sleep(0.01)

    def _is_home(self) -> bool:
        app = self._app
        if not str(app.session.source.spec.left).endswith("home.png"):
            return False
        if not app.settled or app.busy or app.layout.busy or app.session.recordings.path:
            return False
        sources = app.state.sources
        others = [each.number for each in sources.listed if each.number != sources.shown]
        if others:
            app.state.request("close source", str(sources.place(others[0])))
        return not others

    def close(self) -> None:
        """Close the program."""
        self._stack.close()
        self._patches.undo()


def _clear(folder: Path) -> None:
    """Delete all screenshots if there are more than ``MOST_KEPT``."""
    written = sorted(folder.glob("wheatstone-*"))
    if len(written) > MOST_KEPT:
        for path in written:
            path.unlink()


def _cause(error: BaseException) -> str:
    """Describe an exception in one line, which is the same each time it is raised."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    message = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {message} ({Path(last.filename).name}:{last.lineno})"
