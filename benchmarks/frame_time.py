"""Measure how the display's thread spends the time of a displayed frame, offscreen.

Panels and status line are hidden, and the source has a new frame in every pass of the frame loop.
The time of each part is its CPU time in microseconds without the parts that it calls, as the median
over the passes; the overhead of the timers is subtracted as far as it is known. A first run without
timers measures the whole pass; its time without OpenGL and the pipeline counts as Python's. The
exit code is 1 if Python takes more than 300 us per pass. Frames per second and the times of the
devices come from passes without timers: computing is timed by the execution's own clock, OpenGL by
time stamps in its queue, and each frame is finished before the next one begins.
"""

import cProfile
import ctypes
import pstats
import threading
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import cycle, pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

from pytest import MonkeyPatch

from benchmarks.programs import default_state, offscreen, open_program
from benchmarks.runner import Count, Size
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.mixing import MODES
from wheatstone.viewer.display.frames.facts import facts_of
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.io.sources.scene import SceneSource
from wheatstone.viewer.io.sources.source_spec import SourceSpec

if TYPE_CHECKING:
    from wheatstone.viewer.window.app import App

WARM = 50  # passes that are not timed
PICTURES = 8  # distinct frames of the source, which repeats them
MOST = 300.0  # largest allowed microseconds of Python per pass
OPENGL, PIPELINE = "OpenGL", "the pipeline"
REST = "the rest of a pass"
MICRO = 1e6
LONG = 2500  # passes until Python's lists of free objects are full
CALIBRATING = 5000  # calls of an empty function, which measure the overhead of the timers


class Reel(Source):
    """A source that repeats a few frames of a scene from memory, faster than any window shows.

    Every repetition returns the same objects, like a source that keeps the frames of a loop.
    """

    rate, length, notes = 20_000.0, 1_000_000, ()

    def __init__(self, size: tuple[int, int]) -> None:
        with closing(SceneSource(SourceSpec(scene="orbit", seed=0, size=size))) as scene:
            pairs = [scene.frame(index).taken for index in range(PICTURES)]
        self._frames = [Frame(*pair, index) for index, pair in enumerate(pairs)]
        self.width, self.height = size
        self.name = "reel"
        self._turns = cycle(self._frames)
        self._last = -1, self._frames[0]

    def frame(self, index: int) -> Frame:
        """Return the same frame for the same index, the next frame for any other index."""
        index %= self.length
        if self._last[0] != index:
            self._last = index, next(self._turns)
        return self._last[1]

    def ready(self, index: int) -> bool:
        """Return True: all frames are in memory."""
        return True

    def close(self) -> None:
        """Do nothing: there is no thread and no file."""


class Timers:
    """Timers of this thread's CPU time in named parts, each without the parts nested in it.

    Attributes:
        spent: CPU seconds by part.
        calls: number of calls by part, since the beginning.
    """

    def __init__(self) -> None:
        self._patches = MonkeyPatch()
        self._thread = threading.get_ident()
        self._within_call = self._around_call = 0.0  # overhead of the timers
        self._forget()
        empty, begin = self.watched("", lambda: None), time.thread_time()
        for _ in range(CALIBRATING):
            empty()
        took = time.thread_time() - begin
        self._around_call = (took - self.spent[""]) / CALIBRATING
        self._within_call = self.spent[""] / CALIBRATING
        self._forget()

    def _forget(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self.calls: dict[str, int] = defaultdict(int)
        self._within = [0.0]  # seconds of nested parts, for each part in progress

    @contextmanager
    def running(self, part: str) -> Iterator[None]:
        """Add the CPU time of the ``with`` block to a part."""
        self._within.append(0.0)
        begin = time.thread_time()
        try:
            yield
        finally:
            self._end(part, time.thread_time() - begin)

    def _end(self, part: str, took: float) -> None:
        self.spent[part] += took - self._within.pop() - self._within_call
        self.calls[part] += 1
        self._within[-1] += took + self._around_call

    def watched(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function so that the CPU time of its calls on this thread is added to a part."""

        def counted(*args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() != self._thread:
                return function(*args, **kwargs)
            self._within.append(0.0)
            begin = time.thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                self._end(part, time.thread_time() - begin)

        return counted

    def watch(self, part: str, owner: Any, *names: str) -> None:
        """Replace methods or properties of an object or a class by timed ones of a part."""
        for name in names:
            method = vars(owner).get(name) or getattr(owner, name)
            if isinstance(method, property):
                assert method.fget
                self._patches.setattr(owner, name, property(self.watched(part, method.fget)))
            else:
                self._patches.setattr(owner, name, self.watched(part, method))

    def watch_block(self, part: str, owner: Any, name: str) -> None:
        """Replace a method by one whose context manager and ``with`` block are timed."""
        method = getattr(owner, name)

        @contextmanager
        def counted(*args: Any, **kwargs: Any) -> Iterator[None]:
            with self.running(part), method(*args, **kwargs):
                yield

        self._patches.setattr(owner, name, counted)

    def end(self) -> None:
        """Restore all functions that were replaced by timed ones."""
        self._patches.undo()


@contextmanager
def running(
    pipeline: str, variant: str, mode: str, size: tuple[int, int], window: tuple[int, int]
) -> Iterator["App"]:
    """Run the program on a ``Reel`` with hidden panels, until the context ends."""
    state = default_state(pipeline, variant)
    state.mix(mode=mode)
    state.panels = False
    with ExitStack() as stack:
        source = stack.enter_context(closing(Reel(size)))
        app, _ = open_program(stack, window, state, source)
        for _ in range(WARM):
            app.step()
        while not app.session.drawing.shows:
            app.step()
        yield app


def watch_parts(timers: Timers, app: "App") -> None:
    """Replace the functions of a pass by timed ones, and name their parts."""
    from OpenGL import GL
    from OpenGL.raw.GL.VERSION import GL_1_1, GL_1_5

    from wheatstone.gpu.execution import Execution
    from wheatstone.viewer.choices import undoing
    from wheatstone.viewer.display.frames.frame_job import FrameJob

    session, display = app.session, app.session.display
    for owner in (GL, GL_1_1, GL_1_5):
        for name in [n for n in vars(owner) if n.startswith("gl") and n[2:3].isupper()]:
            timers.watch(OPENGL, owner, name)
    timers.watch(PIPELINE, Execution, "run")
    timers.watch("compute: wait", FrameJob, "done")
    timers.watch("undo: changes", undoing, "note", "follow")
    timers.watch("advance", session, "advance")
    timers.watch("idle", session, "rests")
    timers.watch("compute: other", session, "compute")
    timers.watch("compute: fetch the frame", session.frames, "fetch")
    computing = session._computing
    timers.watch("compute: begin", computing, "_begin")
    timers.watch("compute: finish", computing, "_finish")
    timers.watch("compute: fill textures", computing, "_fill")
    timers.watch("compute: tidy", computing, "_tidy")
    timers.watch("meters", session.meters, "presented", "computed", "advanced")
    timers.watch("rows, figures", session.rows, "follow")
    timers.watch("rows, figures", session.figures, "follow")
    timers.watch("picture", session.drawing, "draw")
    timers.watch("display: draw", display, "draw")
    timers.watch("display: paint", display._painter, "begin", "paint", "end")
    timers.watch("display: strips", display, "_draw_strip")
    timers.watch("display: blit", display, "blit")
    timers.watch("layout", app.layout, "arrange", "update", "draw")
    timers.watch_block("Dear ImGui", app.overlay, "frame")
    timers.watch("title", app.presentation, "name_window")
    timers.watch("last shown frame", app._last, "note_computed", "pass_by_unreadable")
    timers.watch("effects, files", app, "follow_files")


@dataclass(frozen=True)
class Passes:
    """The median time and CPU time of a pass in microseconds, and the frames per second."""

    wall: float
    cpu: float
    rate: float


def passes(app: "App", frames: int) -> Passes:
    """Run passes of the frame loop; return the times of those that computed a frame.

    Raises:
        RuntimeError: less than half of the passes computed a frame.
    """
    from OpenGL import GL

    walls, cpus, begin = [], [], time.perf_counter()
    for _ in range(frames):
        before, wall, cpu = app.session.a.frame, time.perf_counter(), time.thread_time()
        app.step()
        took = time.perf_counter() - wall, time.thread_time() - cpu
        if app.session.a.frame is not before:
            walls.append(took[0])
            cpus.append(took[1])
    GL.glFinish()
    rate = len(walls) / (time.perf_counter() - begin)
    if len(walls) < frames // 2:
        raise RuntimeError(f"only {len(walls)} of {frames} passes computed a frame")
    return Passes(median(walls) * MICRO, median(cpus) * MICRO, rate)


def on_devices(app: "App", frames: int) -> dict[str, float]:
    """Return the median microseconds of computing, drawing and copying a frame on the devices.

    Each frame is finished before the next one begins.
    """
    from OpenGL import GL

    session, display = app.session, app.session.display
    queries = dict(zip(("drawn from", "drawn", "copied", "shown"), GL.glGenQueries(4), strict=True))

    def stamp(name: str) -> None:
        GL.glQueryCounter(queries[name], GL.GL_TIMESTAMP)

    def stamped(first: str, function: Callable[..., Any], last: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if first:
                stamp(first)
            try:
                return function(*args, **kwargs)
            finally:
                if last:
                    stamp(last)

        return call

    times, at = defaultdict[str, list[float]](list), [ctypes.c_uint64() for _ in queries]
    with MonkeyPatch.context() as patches:
        drawing, window = session.drawing, app.window
        patches.setattr(drawing, "draw", stamped("drawn from", drawing.draw, "drawn"))
        patches.setattr(display, "blit", stamped("", display.blit, "copied"))
        patches.setattr(window, "swap", stamped("shown", window.swap, ""))
        for _ in range(frames):
            before = session.a.frame
            app.step()
            GL.glFinish()
            if session.a.frame is before:
                continue
            for query, place in zip(queries.values(), at, strict=True):
                GL.glGetQueryObjectui64v(query, GL.GL_QUERY_RESULT, ctypes.byref(place))
            for name, (begin, end) in zip(("picture", "copy", "panels"), pairwise(at), strict=True):
                times[name].append((end.value - begin.value) / 1e3)
            execution = session.a.execution
            if execution and (took := execution.milliseconds(wait=True)):
                times["compute"].append(took * 1e3)
    GL.glDeleteQueries(len(queries), list(queries.values()))
    order = ("compute", "picture", "copy", "panels")
    return {name: median(times[name]) for name in order if times[name]}


def parts(app: "App", frames: int) -> list[tuple[str, float, float]]:
    """Return the name, median microseconds and mean calls of each part, the longest first."""
    timers = Timers()
    rows = []
    watch_parts(timers, app)
    step = timers.watched(REST, app.step)
    try:
        for _ in range(frames):
            timers.spent.clear()
            before = app.session.a.frame
            step()
            if app.session.a.frame is not before:
                rows.append(dict(timers.spent))
    finally:
        timers.end()
    names = {name for row in rows for name in row}
    medians = [
        (name, median(row.get(name, 0.0) for row in rows) * MICRO, timers.calls[name] / frames)
        for name in names
    ]
    return sorted(medians, key=lambda each: -each[1])


def profiled(app: "App", frames: int, most: int) -> None:
    """Print the functions of the display's thread with the largest own times."""
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(frames):
        app.step()
    profile.disable()
    stats: Any = pstats.Stats(profile)
    functions = sorted(stats.stats.items(), key=lambda each: -each[1][2])[:most]
    print(f"\n{stats.total_calls / frames:.0f} function calls per pass")
    print(f"{'us per pass':>11} {'calls':>7}  own time, profiled")
    for (file, line, name), (_, calls, own, _, _) in functions:
        place = f"{Path(file).name}:{line} {name}" if line else name
        print(f"{own / frames * MICRO:11.1f} {calls / frames:7.1f}  {place}")


def allocated(app: "App", frames: int) -> None:
    """Print the source lines whose memory grows, in bytes and objects per 1,000 passes."""
    tracemalloc.start()
    passes(app, LONG)
    before = tracemalloc.take_snapshot()
    passes(app, frames)
    after = tracemalloc.take_snapshot()
    tracemalloc.stop()
    own = (tracemalloc.Filter(False, tracemalloc.__file__), tracemalloc.Filter(False, __file__))
    change = after.filter_traces(own).compare_to(before.filter_traces(own), "lineno")
    grown = [each for each in change if each.size_diff > 0]
    total = sum(each.size_diff for each in change) * 1000 / frames
    print(f"\n{total:.0f} bytes more after 1,000 passes")
    for each in sorted(grown, key=lambda each: -each.size_diff)[:12]:
        place = each.traceback[0]
        name = "/".join(Path(place.filename).parts[-2:])
        print(f"{each.size_diff * 1000 / frames:9.0f} {each.count_diff:7}  {name}:{place.lineno}")


def main(
    pipelines: Annotated[tuple[str, ...], PIPELINES] = ("invert", "canny"),
    *,
    variant: Annotated[str, "variant; without it the fastest on this machine"] = "",
    size: Size = (96, 64),
    window: Size = (320, 240),
    frames: Count = 500,
    mode: Annotated[str, MODES, "how views A and B are compared"] = "off",
    profile: Annotated[int, "list this number of functions by own time"] = 0,
    allocations: Annotated[bool, "list the source lines whose memory grows"] = False,
) -> bool:
    """Print a table for each pipeline; return whether Python takes at most ``MOST``."""
    good = True
    for pipeline in pipelines:
        with offscreen(), running(pipeline, variant, mode, size, window) as app:
            name, took = app.state.slot.name, passes(app, frames)
            devices = on_devices(app, frames)
            sizes = "{}x{} in {}x{}".format(*size, *window)
            print(f"\n{name} on {facts_of(app.session).device}, {sizes}, {mode}")
            wall, cpu = f"{took.wall:.0f} us per pass", f"{took.cpu:.0f} us of CPU time"
            print(f"{took.rate:.0f} frames/s; {wall}, including {cpu}")
            listed = ", ".join(f"{name} {us:.1f}" for name, us in devices.items())
            print(f"microseconds on the devices: {listed}")
            if profile:
                profiled(app, frames, profile)
            if allocations:
                allocated(app, frames)
            rows = parts(app, frames)
        print(f"\n{'us per pass':>11} {'calls':>7}")
        for part, us, calls in rows:
            print(f"{us:11.1f} {calls:7.1f}  {part}")
        python = took.cpu - sum(us for part, us, _ in rows if part in (OPENGL, PIPELINE))
        print(f"{python:11.1f}          Python, from passes without timers")
        good = good and python <= MOST
    return good
