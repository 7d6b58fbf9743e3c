"""Rates and times are those of an injected clock and of executions that say what they took."""

import gc
from collections.abc import Mapping
from types import SimpleNamespace

import numpy as np
import pytest

from wheatstone.viewer.display.frames.meters import (
    EVERY,
    FEW,
    FRAMES,
    REFRESH,
    SAMPLES,
    SOON,
    WINDOW,
    Meters,
    Rate,
    Ring,
)


class Clock:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class TimedRunner:
    """Stands for an execution, which only says how long its frames took."""

    def __init__(self, kind: str = "cpu") -> None:
        self.device = SimpleNamespace(kind=kind)
        self.whole: float | None = None
        self.stages: Mapping[str, float] = {}

    def milliseconds(self) -> float | None:
        return self.whole

    def stage_milliseconds(self, *, wait: bool = True) -> Mapping[str, float]:
        return self.stages


def run(meters: Meters, runner: TimedRunner, whole: float, *, timed: bool = True) -> None:
    runner.whole = whole
    meters.computed("a", runner, timed=timed, stages=False)  # type: ignore[arg-type]


def run_stages(meters: Meters, runner: TimedRunner, **stages: float) -> None:
    runner.stages = stages
    meters.computed("a", runner, timed=True, stages=True)  # type: ignore[arg-type]


def warm() -> tuple[Meters, TimedRunner]:
    """Meters of an execution whose first frame is over."""
    meters, runner = Meters(Clock()), TimedRunner()
    run(meters, runner, 999.0)
    return meters, runner


def dropped(meters: Meters) -> float:
    """Frames of the source that were never computed."""
    return float(meters._dropped._events.rows()[:, 1].sum())


def test_a_ring_keeps_the_newest_in_order() -> None:
    ring = Ring(3)
    assert ring.last is None and len(ring) == 0 and ring.rows().shape == (0, 1)
    for value in (1.0, 2.0):
        ring.add(value)
    assert ring.rows()[:, 0].tolist() == [1, 2]
    for value in (3.0, 4.0, 5.0):
        ring.add(value)
    assert ring.rows()[:, 0].tolist() == [3, 4, 5]
    assert len(ring) == 3 and ring.last is not None and ring.last[0] == 5


def test_a_rate_is_what_came_after_the_first_a_second() -> None:
    rate = Rate()
    for time, amount in ((10.0, 5.0), (10.5, 2.0), (11.0, 1.0)):
        rate.add(time, amount)
    assert rate.value(11.0) == 3.0, "2 and 1 in one second"


def test_a_rate_forgets_what_lies_before_its_window() -> None:
    rate = Rate()
    for n in range(100):
        rate.add(n * 0.01)
    for n in range(1, 31):
        rate.add(0.99 + n * 0.1)
    assert rate.value(3.99) == pytest.approx(10)


def test_what_is_rarer_than_the_window_has_a_rate_until_it_fails_to_come() -> None:
    rate = Rate()
    rate.add(0.0)
    assert rate.value(0.0) == 0, "one frame has no rate"
    rate.add(5.0)
    assert rate.value(9.0) == pytest.approx(0.2)
    assert rate.value(15.5) == 0


def test_a_rate_falls_to_zero_when_nothing_comes() -> None:
    rate = Rate()
    for n in range(60):
        rate.add(n / 60)
    assert rate.value(1.0) == pytest.approx(60)
    assert rate.value(1.0 + WINDOW) == 0


def test_source_computed_presented_and_dropped_are_kept_apart() -> None:
    clock = Clock()
    meters, runner = Meters(clock), TimedRunner()
    for _ in range(21):  # a second at 20 pictures a second; each time the source moved on by three
        meters.advanced(3)
        run(meters, runner, 1.0)
        meters.presented()
        meters.presented()
        clock.now += 0.05
    rates = meters.rates
    assert (rates.source, rates.dropped) == pytest.approx((60, 40))
    assert (rates.computed["a"], rates.computed["b"]) == pytest.approx((20, 0))
    assert rates.presented == pytest.approx(41)
    assert dropped(meters) == 42


def test_frames_that_came_up_while_a_slow_one_was_computed_are_dropped() -> None:
    meters, runner = warm()
    meters.advanced(1)
    run(meters, runner, 1.0)
    for _ in range(4):
        meters.advanced(1)  # the last of them is computed next
    run(meters, runner, 1.0)
    assert dropped(meters) == 3


def test_a_frame_computed_for_both_slots_counts_once() -> None:
    meters, runner = warm()
    for _ in range(3):
        meters.advanced(1)
        for slot in "ab":
            meters.computed(slot, runner, timed=True, stages=False)  # type: ignore[arg-type]
    assert dropped(meters) == 0


def test_rates_stay_long_enough_to_be_read() -> None:
    clock = Clock()
    meters = Meters(clock)
    before = meters.rates
    meters.presented()
    clock.now += 0.9 * REFRESH
    meters.presented()
    assert meters.rates is before
    clock.now += 0.2 * REFRESH
    assert meters.rates.presented == pytest.approx(1 / (0.9 * REFRESH))


def test_intervals_are_those_between_pictures() -> None:
    clock = Clock()
    meters = Meters(clock)
    for pause in (0.016, 0.020, 0.100):
        meters.presented()
        clock.now += pause
    meters.presented()
    assert meters.intervals.rows()[:, 0] == pytest.approx([16, 20, 100])
    for _ in range(2 * FRAMES):
        meters.presented()
    assert len(meters.intervals) == FRAMES


def test_frames_that_compile_or_were_compared_do_not_count() -> None:
    meters, runner = warm()
    run(meters, runner, 3.0)
    run(meters, runner, 7.0, timed=False)
    assert meters.slots["a"].frames.rows()[:, 0].tolist() == [3]


def test_on_a_gpu_the_frame_that_is_recorded_does_not_count_either() -> None:
    meters, runner = Meters(Clock()), TimedRunner("cuda")
    for took in (900.0, 90.0, 1.0, 1.5):
        run(meters, runner, took)
    assert meters.slots["a"].frames.rows()[:, 0].tolist() == [1, 1.5]


def test_a_time_that_is_still_that_of_the_frame_before_counts_once() -> None:
    meters, runner = warm()
    for took in (2.0, 2.0, 3.0):
        run(meters, runner, took)
    assert meters.slots["a"].frames.rows()[:, 0].tolist() == [2, 3]


def test_another_execution_begins_again_and_the_one_before_can_go() -> None:
    meters, runner = warm()
    run(meters, runner, 2.0)
    run_stages(meters, runner, one=1.0)
    other = TimedRunner()
    run(meters, other, 5.0)
    meter = meters.slots["a"]
    assert len(meter.frames) == len(meter.samples) == 0 and meter.stage_times() == {}
    assert meter.execution is other  # type: ignore[comparison-overlap]
    del other
    gc.collect()
    assert meter.execution is None


def test_nothing_is_measured_while_nobody_looks() -> None:
    meters, runner = warm()
    for _ in range(3 * EVERY):
        run(meters, runner, 1.0)
        assert not meters.wants_stages("a")
    meters.measuring = True
    assert meters.wants_stages("a") and not meters.wants_stages("b")


def test_few_frames_are_measured_stage_by_stage_more_of_them_at_first() -> None:
    meters, runner = warm()
    meters.measuring, asked = True, []
    for frame in range(60):
        asked.append(meters.wants_stages("a"))
        if asked[-1]:
            run_stages(meters, runner, one=float(frame))
        else:
            run(meters, runner, float(frame))
    frames = np.flatnonzero(asked)
    steps = np.diff(frames)
    assert steps[: FEW - 1].tolist() == [SOON + 1] * (FEW - 1)
    assert set(steps[FEW - 1 :]) == {EVERY + 1}


def test_median_and_95th_percentile_of_every_stage() -> None:
    meters, runner = warm()
    for n in range(101):
        run_stages(meters, runner, cost=float(n), paths=10.0 + n)
    assert meters.slots["a"].stage_times() == {"cost": (50, 95), "paths": (60, 105)}
    for _ in range(2):
        for n in range(SAMPLES):
            run_stages(meters, runner, cost=2.0 + n % 2, paths=4.0 + n % 2)
    assert len(meters.slots["a"].samples) == SAMPLES
    assert meters.slots["a"].stage_times() == {"cost": (2.5, 3), "paths": (4.5, 5)}


def test_stage_times_that_are_not_there_yet_are_fetched_with_a_later_frame() -> None:
    meters, runner = warm()
    run_stages(meters, runner, one=1.0)
    run_stages(meters, runner, one=1.0)  # the newest is not finished: still those of the first
    run(meters, runner, 1.0)
    assert len(meters.slots["a"].samples) == 1
    runner.stages = {"one": 2.0}
    run(meters, runner, 1.0)
    run(meters, runner, 1.0)
    assert meters.slots["a"].samples.rows()[:, 0].tolist() == [1, 2]


def test_stages_of_a_first_frame_are_those_of_compiling_and_do_not_count() -> None:
    meters, runner = Meters(Clock()), TimedRunner()
    run_stages(meters, runner, one=500.0)
    run(meters, runner, 1.0)
    assert meters.slots["a"].stage_times() == {}
    run_stages(meters, runner, one=2.0)
    assert meters.slots["a"].stage_times() == {"one": (2, 2)}
