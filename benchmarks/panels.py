"""What the panels cost a frame: CPU time of the display's thread, without a window on screen.

    python -m benchmarks.panels [PIPELINE] [--variant NAME] [--scene-size WxH] [--frames N]
                                [--playing]

For windows of 1280x800 and 1920x1080, with everything off, the status line, each panel alone, and
all of them. `panels` is what they and Dear ImGui take, `frame` is all that the thread does. The run
ends with exit code 1 if the panels take more than a millisecond with everything off.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from wheatstone.gpu.device import gpu_number, why_unavailable
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.frames.facts import facts_of
from wheatstone.viewer.options import size as size_option
from wheatstone.viewer.panels import PANELS

if TYPE_CHECKING:
    from wheatstone.viewer.app import App

SIZES = ((1280, 800), (1920, 1080))
MOST = 1.0  # milliseconds with everything off


@dataclass
class Stopwatch:
    """CPU time of the calling thread in some calls."""

    spent: list[float] = field(default_factory=lambda: [0.0])

    def next(self) -> None:
        """Another frame begins."""
        self.spent.append(0.0)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count what the block takes."""
        begin = time.thread_time()
        yield
        self.spent[-1] += (time.thread_time() - begin) * 1e3

    def watch(self, owner: Any, name: str) -> None:
        """Count what a method takes."""
        method = getattr(owner, name)

        def watched(*args: Any, **kwargs: Any) -> Any:
            with self.running():
                return method(*args, **kwargs)

        setattr(owner, name, watched)

    def watch_block(self, owner: Any, name: str) -> None:
        """Count what a method's context manager takes, and what happens in it."""
        method = getattr(owner, name)

        @contextmanager
        def watched(*args: Any, **kwargs: Any) -> Iterator[None]:
            with self.running(), method(*args, **kwargs):
                yield

        setattr(owner, name, watched)


def measure(app: "App", panels: Stopwatch, frames: int) -> tuple[float, float]:
    """Median CPU milliseconds of the panels and of the whole frame."""
    from wheatstone.viewer.commands.script_player import settle

    settle(app)
    for _ in range(10):
        app.step()
    panels.spent, whole = [], Stopwatch()
    for _ in range(frames):
        panels.next()
        whole.next()
        with whole.running():
            app.step()
    return median(panels.spent), median(whole.spent[1:])


def choices() -> Iterator[tuple[str, Callable[[ViewerState], None]]]:
    """List what is open, by name."""

    def opened(*names: str) -> Callable[[ViewerState], None]:
        def choose(state: ViewerState) -> None:
            state.panels, state.open_panels = True, set(names)

        return choose

    def nothing(state: ViewerState) -> None:
        state.panels = False

    yield "nothing", nothing
    yield "status line", opened()
    for panel in PANELS:
        yield panel.name, opened(panel.name)
    yield "all panels", opened(*(panel.name for panel in PANELS))


def run(options: argparse.Namespace) -> bool:
    """Print the table; whether nothing costs little enough."""
    from wheatstone.viewer.app import open_app
    from wheatstone.viewer.screen.offscreen_window import OffscreenWindow
    from wheatstone.viewer.sources.opening import open_source

    absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
    state = ViewerState(default_slot(options.pipeline, absent), absent)
    if options.variant:
        state.choose_variant(options.variant)
    state.paused = not options.playing
    with ExitStack() as stack:
        source = stack.enter_context(closing(open_source(None, size=options.scene_size)))
        window = stack.enter_context(closing(OffscreenWindow(*SIZES[0])))
        app = open_app(stack, window, state, source)
        panels = Stopwatch()
        panels.watch(app.layout, "arrange")
        panels.watch(app.layout, "update")
        panels.watch_block(app.overlay, "frame")
        print(f"{state.slot.name} on {facts_of(app.session).device}, milliseconds of CPU a frame")
        cheap = True
        for width, height in SIZES:
            window.resize(width, height)
            print(f"\n{f'{width}x{height}':<16}{'panels':>8}{'frame':>8}")
            for name, choose in choices():
                choose(state)
                cost, whole = measure(app, panels, options.frames)
                print(f"{name:<16}{cost:>8.3f}{whole:>8.3f}", flush=True)
                cheap = cheap and (name != "nothing" or cost <= MOST)
    return cheap


def main(words: Sequence[str] | None = None) -> int:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("pipeline", nargs="?", default="sgm", choices=list(PIPELINES))
    parser.add_argument("--variant", default="")
    parser.add_argument("--scene-size", type=size_option, default=(640, 480))
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--playing", action="store_true", help="the source plays meanwhile")
    options = parser.parse_args(words)
    from wheatstone.viewer.screen.offscreen import OffscreenContext

    ordinal = gpu_number()
    with OffscreenContext(ordinal):
        return 0 if run(options) else 1


if __name__ == "__main__":
    sys.exit(main())
