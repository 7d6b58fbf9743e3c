"""The clock of a GPU: marks within graphs where CUDA sets them there, else around launches."""

import sys
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wheatstone.gpu.analysis import measurement
from wheatstone.gpu.clock import UNSETTLED, CudaClock, GraphMarks, recorded_milliseconds
from wheatstone.gpu.device import open_device
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.host import HostClock
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams
from wheatstone.gpu.recording import RECORDED_FRAMES, call_steps

LAUNCH = 5.0  # milliseconds that the stand-in takes to launch a graph
NOT_SUPPORTED = 801


class StandIn:
    """A GPU whose time goes by as its work says, when it is waited for."""

    def __init__(self, answer: int = 0) -> None:
        self.answer = answer  # of an external record
        self.now = 0.0
        self.queue: list[Callable[[], None]] = []
        self.graph: list[Callable[[], None]] | None = None
        self.graphs = 0
        self.ptr = 1

    def do(self, work: Callable[[], None]) -> None:
        (self.queue if self.graph is None else self.graph).append(work)

    def pass_time(self, milliseconds: float) -> None:
        self.now += milliseconds

    def kernel(self, milliseconds: float) -> Callable[[], None]:
        return lambda: self.do(lambda: self.pass_time(milliseconds))

    def capture(self, work: Callable[[], None]) -> Callable[[], None]:
        self.graph, self.graphs = [], self.graphs + 1
        try:
            work()
        finally:
            graph, self.graph = self.graph, None
        return lambda: self.launch(graph)

    def launch(self, graph: list[Any]) -> None:
        for node in graph:
            if isinstance(node, Recorded):
                node.event.time = None
        self.queue += [lambda: self.pass_time(LAUNCH), *graph]

    def synchronize(self) -> None:
        queue, self.queue = self.queue, []
        for work in queue:
            work()

    def clock(self) -> CudaClock:
        return CudaClock(2, self.capture, GraphMarks(self, self.capture))


class Event:
    """An event of the stand-in: pending from when it is queued until it is reached."""

    gpu: StandIn

    def __init__(self) -> None:
        self.time: float | None = 0.0
        self.ptr = self

    @property
    def done(self) -> bool:
        return self.time is not None

    def record(self) -> None:
        assert self.gpu.graph is None, "a plain record in a graph cannot be read"
        self.time = None
        self.gpu.do(Recorded(self))

    def synchronize(self) -> None:
        self.gpu.synchronize()


class Recorded:
    def __init__(self, event: Event) -> None:
        self.event = event

    def __call__(self) -> None:
        self.event.time = self.event.gpu.now


def elapsed(first: Event, last: Event) -> float:
    if first.time is None or last.time is None:
        raise RuntimeError("cudaErrorNotReady")
    return last.time - first.time


def stand_in(monkeypatch: pytest.MonkeyPatch, answer: int = 0) -> StandIn:
    gpu = StandIn(answer)

    def record(event: Event, stream: int, flags: int) -> tuple[Any]:
        assert flags == 1 and stream == gpu.ptr and gpu.graph is not None
        if not gpu.answer:
            gpu.do(Recorded(event))
        return (Code(gpu.answer),)

    runtime = SimpleNamespace(cudaEventRecordExternal=1, cudaEventRecordWithFlags=record)
    cuda = SimpleNamespace(Event=type("Event", (Event,), {"gpu": gpu}), get_elapsed_time=elapsed)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda))
    monkeypatch.setitem(sys.modules, "cuda.bindings", SimpleNamespace(runtime=runtime))
    return gpu


class Code(int):
    name = "cudaErrorNotSupported"


def test_marks_within_a_graph_leave_the_launch_out(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = stand_in(monkeypatch)
    clock = gpu.clock()
    frame = clock.record(gpu.kernel(2))
    for _ in range(3):
        frame()
        assert clock.milliseconds(wait=True) == [2]


@pytest.mark.parametrize("missing", [False, True])
def test_where_no_mark_can_be_set_within_a_graph_it_is_around_it(
    monkeypatch: pytest.MonkeyPatch, missing: bool
) -> None:
    gpu = stand_in(monkeypatch, NOT_SUPPORTED)
    if missing:
        monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    clock = gpu.clock()
    for _ in range(2):
        frame = clock.record(gpu.kernel(2))
        frame()
        assert clock.milliseconds(wait=True) == [LAUNCH + 2]
    assert gpu.graphs == 1 + 2  # it is tried once


def test_a_frame_that_runs_is_no_obstacle_to_reading_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gpu = stand_in(monkeypatch)
    clock = gpu.clock()
    times = iter((2.0, 3.0, 4.0))
    frame = clock.record(lambda: gpu.do(lambda: gpu.pass_time(next(times))))
    assert clock.milliseconds() == clock.milliseconds(wait=True) == ()
    frame()
    assert clock.milliseconds() == ()
    gpu.synchronize()
    frame()
    assert clock.milliseconds() == [2]
    gpu.synchronize()
    assert clock.milliseconds() == [3]
    frame()
    assert clock.milliseconds() == [3]
    assert clock.milliseconds(wait=True) == [4]


def test_frames_with_and_without_a_graph_share_a_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = stand_in(monkeypatch)
    clock = gpu.clock()
    frame = clock.record(gpu.kernel(2))
    for _ in range(3):
        clock.mark(0)
        gpu.kernel(1)()
        clock.mark(1)
        assert clock.milliseconds(wait=True) == [1]
        frame()
        assert clock.milliseconds(wait=True) == [2]


def test_the_clock_of_the_cpu_is_around_the_call() -> None:
    clock, called = HostClock(2), list[int]()
    call = clock.record(lambda: called.append(1))
    assert not called and not clock.milliseconds()
    call()
    (first,) = clock.milliseconds()
    call()
    assert called == [1, 1] and first >= 0


@pytest.mark.parametrize("on_host", [False, True])
@pytest.mark.parametrize("repeat", [1, 3, 50])
def test_the_first_launches_of_a_graph_do_not_count(
    monkeypatch: pytest.MonkeyPatch, on_host: bool, repeat: int
) -> None:
    laps = iter([(9.0, 1.0)] * (1 if on_host else UNSETTLED) + [(2.0, 1.0)] * 50)
    monkeypatch.setattr(measurement, "lap", lambda execution: next(laps))
    device, variant = SimpleNamespace(on_host=on_host), SimpleNamespace(recorded=True)
    execution: Any = SimpleNamespace(device=device, variant=variant)
    times, wall = measurement.time_frames(execution, repeat)
    assert times.frames == wall.frames == repeat and times.slowest == 2


def test_half_of_few_frames_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurement, "lap", lambda execution: (2.0, 1000.0))
    device, variant = SimpleNamespace(on_host=False), SimpleNamespace(recorded=True)
    execution: Any = SimpleNamespace(device=device, variant=variant)
    counts = [measurement.time_frames(execution, 50, s)[0].frames for s in (0.5, 1.5, 3.5, 9.5)]
    assert counts == [1, 1, 2, 6]


def copies(size: int, count: int) -> Callable[[], None]:
    device = open_device("cuda")
    with device.active():
        source, target = device.zeros((size,), "uint8"), device.zeros((size,), "uint8")
        device.copy(target, source)

    def queue() -> None:
        for _ in range(count):
            device.copy(target, source)

    return queue


def mean_at(radius: int, height: int, width: int) -> Execution:
    """An execution that has run its first frame; its only launch is a kernel."""
    execution = prepare(MEAN, "global", MeanParams(radius), height, width)
    execution.upload(left=np.zeros((height, width), np.uint8))
    execution.run()
    return execution


def fastest(work: Callable[[], None]) -> float:
    return 1e3 * min(recorded_milliseconds(open_device("cuda"), work, 60))


@pytest.mark.cuda
def test_marks_within_read_no_more_than_marks_around(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cuda.bindings.runtime", reason="comes with the extra cuda")
    device: Any = open_device("cuda")
    with device.active():
        assert device.marks.possible
    execution = mean_at(1, 33, 61)
    work = partial(call_steps, execution.steps, execution.images, lambda done: None)
    within = fastest(work)
    monkeypatch.setattr(device.marks, "_possible", False)
    assert 0 < within <= fastest(work) + 1


@pytest.mark.cuda
def test_a_time_is_read_while_the_next_frame_runs() -> None:
    device = open_device("cuda")
    work, clock = copies(64 << 20, 100), device.clock(2)
    with device.active():
        frame = clock.record(work)
        assert clock.milliseconds() == ()
        known = [0.0]
        for _ in range(6):
            frame()
            early = list(clock.milliseconds())  # this frame's, the one's before or, at first, none
            newest = list(clock.milliseconds(wait=True))
            assert early in ([], known, newest) and len(newest) == 1 and newest[0] > 0.1
            assert list(clock.milliseconds()) == newest
            known = newest


@pytest.mark.cuda
def test_a_chain_of_twice_as_many_takes_about_twice_as_long() -> None:
    some, more = (fastest(copies(16 << 20, count)) for count in (20, 40))
    assert 1.5 * some < more < 2.5 * some


def fastest_frame(execution: Execution) -> float:
    return min(measurement.lap(execution)[0] for _ in range(20))


@pytest.mark.cuda
def test_a_frame_recorded_for_other_parameters_is_timed_again() -> None:
    light, heavy = mean_at(1, 1080, 1920), mean_at(7, 1080, 1920)
    assert 0 < fastest_frame(light) < fastest_frame(heavy)
    assert fastest_frame(light) < fastest_frame(heavy)  # by turns, each by its own marks


@pytest.mark.cuda
def test_frames_recorded_for_other_arrays_are_timed_and_untimed_ones_are_not() -> None:
    execution = mean_at(3, 1080, 1920)
    device, usual = execution.device, fastest_frame(execution)
    with device.active():
        arrays = [device.zeros((1080, 1920), "uint8") for _ in range(RECORDED_FRAMES + 2)]
    for array in arrays * 2:  # more than are kept: they are recorded again
        execution.run({"mean": array})
        took = execution.milliseconds(wait=True)
        assert took and took > 0.3 * usual
        execution.run({"mean": array}, timed=False)
        device.synchronize()
        assert execution.milliseconds() == took
