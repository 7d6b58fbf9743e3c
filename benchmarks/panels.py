"""Measure the CPU time per frame that the display's thread spends on panels, offscreen.

Windows of 1280x800 and 1920x1080 are measured with everything off, with the status line, with each
panel alone, and with all panels. `panels` is the time of the panels and Dear ImGui, `frame` that of
the whole frame. The exit code is 1 if `panels` exceeds a millisecond with everything off.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from statistics import median
from typing import TYPE_CHECKING, Annotated

from benchmarks.frame_time import Timers
from benchmarks.programs import default_state, offscreen, open_program
from benchmarks.runner import Count, Size
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.facts import facts_of
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels import PANELS

if TYPE_CHECKING:
    from wheatstone.viewer.window.app import App

SIZES = ((1280, 800), (1920, 1080))
MOST = 1.0  # largest allowed milliseconds with everything off


def measure(app: "App", timers: Timers, frames: int) -> tuple[float, float]:
    """Return the median CPU milliseconds of the panels and of the whole frame."""
    from wheatstone.viewer.cli.script_player import settle

    settle(app)
    step = timers.watched("rest", app.step)
    for _ in range(10):
        step()
    panels, whole = [], []
    for _ in range(frames):
        timers.spent.clear()
        step()
        panels.append(1e3 * timers.spent["panels"])
        whole.append(1e3 * sum(timers.spent.values()))
    return median(panels), median(whole)


def choices() -> Iterator[tuple[str, Callable[[ViewerState], None]]]:
    """Yield the cases that are measured: a name, and a function that opens the panels."""

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


def main(
    pipeline: Annotated[str, PIPELINES] = "sgm",
    *,
    variant: str = "",
    scene_size: Size = (640, 480),
    frames: Count = 100,
    playing: Annotated[bool, "play the source while measuring"] = False,
) -> bool:
    """Time all cases and print a table; return whether hidden panels take at most ``MOST`` ms."""
    from wheatstone.viewer.io.sources.opening import open_source

    state, cheap = default_state(pipeline, variant), True
    state.paused = not playing
    with offscreen(), ExitStack() as stack:
        source = stack.enter_context(closing(open_source(SourceSpec(size=scene_size))))
        app, window = open_program(stack, SIZES[0], state, source)
        timers = Timers()
        timers.watch("panels", app.layout, "arrange", "update")
        timers.watch_block("panels", app.overlay, "frame")
        print(f"{state.slot.name} on {facts_of(app.session).device}, CPU milliseconds per frame")
        for width, height in SIZES:
            window.resize(width, height)
            print(f"\n{f'{width}x{height}':<16}{'panels':>8}{'frame':>8}")
            for name, choose in choices():
                choose(state)
                cost, whole = measure(app, timers, frames)
                print(f"{name:<16}{cost:>8.3f}{whole:>8.3f}", flush=True)
                cheap = cheap and (name != "nothing" or cost <= MOST)
    return cheap
