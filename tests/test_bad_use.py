"""Hundreds of random things done to the program: it neither crashes nor leaks nor goes astray."""

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import give_back_memory, why_unavailable
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.cli.script_player import settle
from wheatstone.viewer.display.frames.computing import MOST_TEXTURES
from wheatstone.viewer.display.frames.runner import MOST_BUFFERS
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.keys.actions import actions, press
from wheatstone.viewer.window.app import App, open_app

if TYPE_CHECKING:
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow

T = TypeVar("T")
pytestmark = pytest.mark.opengl
SIZE = (96, 64)
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]
ENDS = ("Esc", "Q")
WRITES = ("S", "Ctrl+S", "Shift+S")
WINDOWS = ((0, 0), (1, 1), (7, 300), (320, 240), (400, 300), (640, 200), (900, 600))
SOURCES = ((96, 64), (33, 21), (64, 96), (130, 70))
ASKS = (
    "Ctrl+O",
    "Ctrl+Shift+O",
    "Alt+O",
    "Alt+W",
    "Ctrl+V",
    "Alt",
)  # for a path or a menu, and more keys belong to that
BY_THE_CLOCK = ("Space", "B", "J", "Shift+J", "Shift+E", "F5", "Ctrl+Shift+P", "Ctrl+F3")
ANSWERED = (
    "N",
    "Shift+Y",
    "Alt+Y",
    "Shift+F4",
    "Ctrl+F4",
    "Shift+F2",
    "Shift+F8",
)  # by what is found out then
WAYS = 4  # programs of the display shader that are kept
OTHER_PROGRAMS = 6  # clouds, guide lines, outlines, values, labels; a window gets its picture
ROUND = 75  # things done between two counts


@dataclass
class Play:
    app: App
    window: "OffscreenWindow"
    random: np.random.Generator
    folder: Path

    def settle(self) -> None:
        self.window.scale = 1.0
        self.window.resize(320, 240)
        settle(self.app)

    def one_of(self, things: Sequence[T]) -> T:
        return things[int(self.random.integers(len(things)))]

    def key(self) -> None:
        keys = [k for a in actions(self.app.state.slot.pipeline) for k in a.keys]
        key = self.one_of([k for k in keys if k not in ENDS + WRITES])
        self.window.add([Event("key", key=key)])

    def mouse(self) -> None:
        x, y, to_x, to_y = (float(n) for n in self.random.integers(-20, 340, 4))
        self.window.add(
            [
                Event("move", x=x, y=y),
                Event("press", x=x, y=y, button=int(self.random.integers(3))),
                Event("move", x=to_x, y=to_y),
                Event("release", x=to_x, y=to_y),
                Event("scroll", x=to_x, y=to_y, dy=float(self.random.integers(-3, 4))),
            ]
        )

    def text(self) -> None:
        letters = "".join(chr(int(n)) for n in self.random.integers(32, 1000, 3))
        self.window.add([Event("text", text=letter) for letter in letters])

    def resize(self) -> None:
        width, height = self.one_of(WINDOWS)
        self.window.resize(width, height)

    def rescale(self) -> None:
        self.window.scale = self.one_of((1.0, 1.5, 2.0))
        self.window.add([Event("scale")])

    def look_away(self) -> None:
        self.window.add([Event("focus", focused=bool(self.random.integers(2)))])

    def open_source(self) -> None:
        width, height = self.one_of(SOURCES)
        left, right = (str(self.folder / f"{side}-{width}x{height}.png") for side in ("l", "r"))
        self.app.open_source(open_source(SourceSpec(left, right)))

    def drop(self) -> None:
        path = self.one_of(("photo.png", "l-64x96.png", "notes.txt", "absent.png", "."))
        self.window.add([Event("drop", paths=(str(self.folder / path),))])

    def misuse(self) -> None:
        often: tuple[Callable[[], None], ...] = (self.key,) * 12
        seldom = (self.mouse, self.mouse, self.text, self.resize, self.rescale, self.look_away)
        does = self.one_of(often + seldom + (self.open_source, self.drop))
        does()
        for _ in range(int(self.random.integers(3))):
            self.app.step()


Make = Callable[[str, int], Play]


@pytest.fixture
def play(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Make]:
    """Makes programs whose default variant is on a kind of device."""
    import cv2

    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow

    monkeypatch.chdir(tmp_path)  # recordings and the like go there
    monkeypatch.setattr("wheatstone.viewer.display.screen.program.MOST_PROGRAMS", WAYS)
    grey = np.random.default_rng(3).integers(0, 256, (100, 140), np.uint8)
    cv2.imwrite(str(tmp_path / "photo.png"), grey)
    for width, height in SOURCES:
        cv2.imwrite(str(tmp_path / f"l-{width}x{height}.png"), grey[:height, :width])
        cv2.imwrite(str(tmp_path / f"r-{width}x{height}.png"), grey[:height, 4 : width + 4])
    (tmp_path / "notes.txt").write_text("no picture")
    with ExitStack() as stack:

        def make(device: str, seed: int) -> Play:
            source = open_source(SourceSpec(size=SIZE))  # the program closes it
            window = stack.enter_context(closing(OffscreenWindow(320, 240)))
            app = open_app(stack, window, state_on(device), source)
            return Play(app, window, np.random.default_rng(seed), tmp_path)

        yield make


def state_on(device: str) -> ViewerState:
    absent = {"cuda": why_unavailable("cuda") or "not used"} if device == "cpu" else {}
    return ViewerState(default_slot("sgm", absent), absent)


def gl_objects() -> dict[str, int]:
    from OpenGL import GL

    kinds = ("Texture", "Buffer", "Framebuffer", "Program", "Shader", "VertexArray")
    return {k: sum(bool(getattr(GL, f"glIs{k}")(n)) for n in range(1, 800)) for k in kinds}


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def device_bytes(device: str) -> int:
    """Memory in use on the GPU; 0 on the CPU."""
    if device == "cpu":
        return 0
    import cupy

    cupy.cuda.runtime.deviceSynchronize()
    return int(cupy.get_default_memory_pool().used_bytes())


def fresh_picture(app: App, width: int, height: int) -> NDArray[np.uint8]:
    """What a new session, which was never misused, shows of the same choice."""
    with closing(Display()) as display:
        display.style = app.session.display.style
        with closing(Session(copy(app.state), app.session.source, display)) as session:
            session.compute()
            session.drawing.draw(width, height)
            return display.read()


@pytest.mark.parametrize("device", DEVICES)
def test_misuse_ends_with_the_picture_that_was_chosen(play: Make, device: str) -> None:
    user = play(device, 1)
    for _ in range(2 * ROUND):
        user.misuse()
        assert not user.app.state.closing
    for mode in ("off", "side-by-side"):
        user.app.state.paused = True
        user.app.state.mix(mode=mode, check=False)
        choose(user.app.state, "unfolding.plays", False)
        user.settle()
        seen = user.app.session.display.read()
        assert np.array_equal(seen, fresh_picture(user.app, seen.shape[1], seen.shape[0]))


@pytest.mark.parametrize("device", DEVICES)
def test_misuse_leaks_nothing(play: Make, device: str) -> None:
    user, counts, host, on_device = play(device, 2), [], [], []
    for steps in (ROUND + 25, ROUND, ROUND, ROUND):  # the first compiles and fills caches
        for _ in range(steps):
            user.misuse()
        user.app.state.open_panels.clear()
        user.app.state.choose_pipeline("invert")
        user.app.session.recordings.end()()  # an encoder holds some of what it was given
        user.open_source()  # what the slots computed last goes with the other
        user.settle()
        gc.collect()
        give_back_memory()
        counts.append(gl_objects())
        host.append(resident_bytes())
        on_device.append(device_bytes(device))
    programs = WAYS + OTHER_PROGRAMS
    assert max(count["Program"] for count in counts) <= programs
    assert max(count["Shader"] for count in counts) <= 2 * programs
    for kind in ("Framebuffer", "VertexArray"):  # made once, when needed first
        assert min(later[kind] - before[kind] for before, later in pairwise(counts)) <= 0
    # Some are kept for the pictures shown last; which, depends on the order.
    assert max(count["Texture"] for count in counts) <= MOST_TEXTURES + 8
    assert max(count["Buffer"] for count in counts) <= 2 * MOST_BUFFERS + 4
    # What leaks grows in every round; a library that is loaded for the first time does so once.
    assert min(later - before for before, later in pairwise(host)) < 40e6
    assert min(later - before for before, later in pairwise(on_device)) < 8e6


@pytest.mark.parametrize("seed", [3, 4])
def test_keys_lead_where_a_model_without_a_window_says(play: Make, seed: int) -> None:
    user = play("cpu", seed)
    with closing(Display()) as display:
        with closing(Session(state_on("cpu"), user.app.session.source, display)) as session:
            user.app.state.paused = session.state.paused = True
            settle(user.app)
            model = Model(session)
            for _ in range(ROUND // 2):
                session.state.behind = user.app.state.behind  # which panels tabs hide
                user.window.add([Event("key", key=model.key(user.random))])
                settle(user.app)
                assert chosen_of(user.app.state) == chosen_of(session.state)


class Model:
    def __init__(self, session: Session) -> None:
        self.session, self.state = session, session.state
        session.compute()

    def key(self, random: np.random.Generator) -> str:
        keys = [k for a in actions(self.state.slot.pipeline) for k in a.keys]
        usable = [k for k in keys if k not in ENDS + WRITES + ASKS + BY_THE_CLOCK + ANSWERED]
        key = usable[int(random.integers(len(usable)))]
        before = copy(self.state)
        views = dict(before.views)
        press(self.state, key)
        self.state.frame %= self.session.source.length
        self.state.effects.clear()
        try:
            self.session.compute()
        except (ValueError, Unavailable):
            self.state.slot, self.state.b, self.state.linked = before.slot, before.b, before.linked
            self.state.views, self.state.mixing = views, before.mixing
        return key


def chosen_of(state: ViewerState) -> tuple[object, ...]:
    look = state.colormap, state.paused, state.frame  # a window keeps the place when panels open
    shown = state.help, state.panels, frozenset(state.open_panels), state.fullscreen
    return state.slot, state.slot_b, state.linked, state.mixing, state.view, look, shown
