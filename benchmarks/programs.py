"""Helpers of benchmarks: open the whole program offscreen, and time two programs alternately."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing
from typing import TYPE_CHECKING

from wheatstone.gpu.analysis.measurement import Times, lap, summarize
from wheatstone.gpu.clock import wall_milliseconds
from wheatstone.gpu.device import gpu_number, why_unavailable
from wheatstone.gpu.execution import Execution
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.frame import Source

if TYPE_CHECKING:  # whose import needs OpenGL to be bound
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow
    from wheatstone.viewer.window.app import App


def offscreen() -> AbstractContextManager[OffscreenContext]:
    """Return an OpenGL context without a window, on the GPU that computes if there is one."""
    return OffscreenContext(gpu_number())


def default_state(pipeline: str, variant: str = "") -> ViewerState:
    """Return the default state; without a variant, that of the fastest one on this machine."""
    absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
    state = ViewerState(default_slot(pipeline, absent), absent)
    if variant:
        state.choose_variant(variant)
    return state


def open_program(
    stack: ExitStack, size: tuple[int, int], state: ViewerState, source: Source, mode: str = "auto"
) -> tuple["App", "OffscreenWindow"]:
    """Open the program in an offscreen window of a size; the stack closes both."""
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow
    from wheatstone.viewer.window.app import open_app

    window = stack.enter_context(closing(OffscreenWindow(*size)))
    return open_app(stack, window, state, source, mode), window


def time_alternately(
    execution: Execution, other: Callable[[], object], frames: int
) -> tuple[Times, Times]:
    """Time frames of an execution alternately with calls of a function.

    The first frame and the first call are not counted.
    """
    ours, theirs = [], []
    for _ in range(frames + 1):
        ours.append(lap(execution)[0])
        theirs.append(wall_milliseconds(other))
    return summarize(ours[1:]), summarize(theirs[1:])
