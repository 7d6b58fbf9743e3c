"""Measure the CPU time that panels take of a frame on the display's thread, without a screen.

For windows of 1280x800 and 1920x1080, with everything off, the status line, each panel alone, and
all of them. `panels` is what they and Dear ImGui take, `frame` is all that the thread does. The run
ends with exit code 1 if the panels take more than a millisecond with everything off.
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
MOST = 1.0  # milliseconds with everything off


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


def main(
    pipeline: Annotated[str, PIPELINES] = "sgm",
    *,
    variant: str = "",
    scene_size: Size = (640, 480),
    frames: Count = 100,
    playing: Annotated[bool, "the source plays meanwhile"] = False,
) -> bool:
    """Print the table; return whether nothing costs little enough."""
    from wheatstone.viewer.io.sources.opening import open_source

    state, cheap = default_state(pipeline, variant), True
    state.paused = not playing
    with offscreen(), ExitStack() as stack:
        source = stack.enter_context(closing(open_source(SourceSpec(size=scene_size))))
        app, window = open_program(stack, SIZES[0], state, source)
        timers = Timers()
        timers.watch("panels", app.layout, "arrange", "update")
        timers.watch_block("panels", app.overlay, "frame")
        print(f"{state.slot.name} on {facts_of(app.session).device}, milliseconds of CPU a frame")
        for width, height in SIZES:
            window.resize(width, height)
            print(f"\n{f'{width}x{height}':<16}{'panels':>8}{'frame':>8}")
            for name, choose in choices():
                choose(state)
                cost, whole = measure(app, timers, frames)
                print(f"{name:<16}{cost:>8.3f}{whole:>8.3f}", flush=True)
                cheap = cheap and (name != "nothing" or cost <= MOST)
    return cheap
