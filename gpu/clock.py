"""Measure the time between points of the work queued on a device; on a GPU with CUDA events.

The events are part of the graph if a frame is one.
"""

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from wheatstone.gpu.device import Device

Work = Callable[[], None]
Capture = Callable[[Work], Work]
UNSETTLED = 4
"""First calls of recorded work, whose times are too long: two for each of a clock's two graphs."""


def nothing() -> None:
    """Do nothing: the default for optional work."""


class Clock(Protocol):
    """The interface of a clock that times parts of a frame without stalling the device."""

    def mark(self, index: int) -> None:
        """Record the time at point ``index`` of the current frame; index 0 starts the frame."""
        ...

    def record(self, work: Work, before: Work = nothing, after: Work = nothing) -> Work:
        """Record ``work`` for replays as ``Device.record`` does, with time marks around it.

        The marks are part of the recording where possible: then no launch lies between them.

        Args:
            before, after: work that is recorded with it, outside the marks.
        """
        ...

    def milliseconds(self, *, wait: bool = False) -> Sequence[float]:
        """List the times in ms between marks of the newest finished frame; empty without one."""
        ...


def between_marks(clock: Clock, work: Work, before: Work = nothing, after: Work = nothing) -> Work:
    """Return a function that calls ``work`` between the two time marks of a clock.

    Args:
        before, after: called outside the marks.
    """

    def call() -> None:
        before()
        clock.mark(0)
        work()
        clock.mark(1)
        after()

    return call


class GraphMarks:
    """The CUDA events recorded within a graph, which serve as time marks.

    Only a record that CUDA calls external can be read after a launch; ``cupy.cuda.Event`` does not
    offer it, cuda-bindings does.

    Args:
        capture: makes a graph, and the call that launches it.
    """

    def __init__(self, stream: Any, capture: Capture) -> None:
        self._stream, self._capture = stream, capture
        self._tried = self._possible = False

    @property
    def possible(self) -> bool:
        """Whether CUDA events in graphs work on this machine, tested once with a small graph."""
        if not self._tried:
            self._tried, self._possible = True, self._try()
        return self._possible

    def _try(self) -> bool:
        import cupy

        events = cupy.cuda.Event(), cupy.cuda.Event()
        try:
            self.around(events, lambda: None)()
            self._stream.synchronize()
            return bool(cupy.cuda.get_elapsed_time(*events) >= 0)
        except (ImportError, RuntimeError):  # what CUDA answers is a RuntimeError in CuPy
            return False

    def around(
        self, events: Sequence[Any], work: Work, before: Work = nothing, after: Work = nothing
    ) -> Work:
        """Capture ``work`` between two events as a graph; return the call that launches it."""

        def with_marks() -> None:
            before()
            self._record(events[0])
            work()
            self._record(events[1])
            after()

        return self._capture(with_marks)

    def _record(self, event: Any) -> None:
        from cuda.bindings import runtime

        external = runtime.cudaEventRecordExternal
        (code,) = runtime.cudaEventRecordWithFlags(event.ptr, self._stream.ptr, external)
        if int(code):
            raise RuntimeError(f"cudaEventRecordWithFlags answered {code.name}")


class CudaClock:
    """A clock of CUDA events, in two sets so that reading one never waits for the other.

    Args:
        marks: of a frame.
        capture: makes a graph, and the call that launches it.
        within: sets marks within a graph.
    """

    def __init__(self, marks: int, capture: Capture, within: GraphMarks) -> None:
        import cupy

        self._cupy, self._capture, self._within = cupy, capture, within
        self._sets = [[cupy.cuda.Event() for _ in range(marks)] for _ in range(2)]
        self._current = 0
        self._begun = [False, False]

    def mark(self, index: int) -> None:
        if index == 0:
            self._begin()
        self._sets[self._current][index].record()

    def _begin(self) -> None:
        self._current = 1 - self._current
        self._begun[self._current] = True

    def record(self, work: Work, before: Work = nothing, after: Work = nothing) -> Work:
        if not self._within.possible:
            return between_marks(self, self._capture(work), before, after)
        # A graph has its events for good: one for each set.
        launches = [self._within.around(events, work, before, after) for events in self._sets]

        def launch() -> None:
            self._begin()
            launches[self._current]()

        return launch

    def milliseconds(self, *, wait: bool = False) -> Sequence[float]:
        newest, older = self._current, 1 - self._current
        if wait and self._begun[newest]:
            self._sets[newest][-1].synchronize()
        for index in (newest, older):
            if self._begun[index] and self._sets[index][-1].done:
                events = self._sets[index]
                elapsed = self._cupy.cuda.get_elapsed_time
                return [elapsed(a, b) for a, b in pairwise(events)]
        return ()


def device_milliseconds(device: "Device", work: Callable[[], object]) -> float:
    """Measure the time that a device needs for the work queued by a call, in milliseconds."""
    clock = device.clock(2)
    with device.active():
        clock.mark(0)
        work()
        clock.mark(1)
    return sum(clock.milliseconds(wait=True))


def recorded_milliseconds(device: "Device", work: Callable[[], None], times: int) -> list[float]:
    """Record a call, and measure ``times`` replays of it, in milliseconds.

    Args:
        work: a call that may be recorded; see ``Device.record``.
    """
    clock, milliseconds = device.clock(2), list[float]()
    with device.active():
        replay = clock.record(work)
        for _ in range(UNSETTLED + times):
            replay()
            device.synchronize()
            milliseconds.append(sum(clock.milliseconds()))
    return milliseconds[UNSETTLED:]


def wall_milliseconds(work: Callable[[], object]) -> float:
    """Measure a call's wall time in milliseconds; the call must wait for the work it queues."""
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1e3
