"""Times become medians, images become bytes; a difference says where it is."""

import math

import numpy as np
import pytest

from benchmarks.fast_sgm import chained_steps
from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.cold_start import cold_start, first_frame
from wheatstone.gpu.analysis.comparison import compare
from wheatstone.gpu.analysis.measurement import (
    chained_milliseconds,
    copy_bandwidth,
    declared_bytes,
    lap,
    measure,
    nothing_milliseconds,
    summarize,
    time_frames,
)
from wheatstone.gpu.clock import wall_milliseconds
from wheatstone.gpu.device import open_device
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.canny import CANNY
from wheatstone.gpu.pipelines.invert import INVERT
from wheatstone.gpu.pipelines.mean import MEAN
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams


def inverted(height: int = 33, width: int = 61) -> Execution:
    execution = prepare(INVERT, "reference", INVERT.params(), height, width)
    execution.upload(left=np.full((height, width), 7, np.uint8))
    execution.run()
    return execution


def test_median_and_percentiles_of_known_samples() -> None:
    times = summarize([float(n) for n in range(101)])
    assert (times.frames, times.median, times.p5, times.p95) == (101, 50, 5, 95)
    assert (times.fastest, times.slowest) == (0, 100)
    assert times.spread == pytest.approx(1.8) and times.noisy


def test_an_even_number_of_samples_has_its_median_between_two() -> None:
    assert summarize([4.0, 1.0, 2.0, 3.0]).median == 2.5


def test_the_spread_says_whether_times_are_noisy() -> None:
    assert not summarize([1.0, 1.04, 1.08]).noisy
    assert summarize([1.0, 1.0, 1.2]).noisy


def test_two_frames_have_no_spread_and_are_not_called_noisy() -> None:
    times = summarize([1.0, 9.0])
    assert times.spread is None and not times.noisy


def test_the_call_takes_at_least_as_long_as_the_frame() -> None:
    device, wall = lap(inverted())
    assert 0 < device <= wall


def test_as_many_frames_are_timed_as_asked_for() -> None:
    device, wall = time_frames(inverted(), 5)
    assert device.frames == wall.frames == 5


def test_one_frame_is_timed_even_if_there_is_no_time() -> None:
    device, _ = time_frames(inverted(), 5, seconds=1e-9)
    assert device.frames == 1


def test_so_many_frames_count_however_long_they_take() -> None:
    assert time_frames(inverted(), 5, seconds=1e-9, least=3)[0].frames == 3
    measurement = measure(inverted(), 5, seconds=1e-9, stages=True, least=3)
    assert {times.frames for times in measurement.stages.values()} == {3}


def test_stages_are_timed_only_when_asked_for() -> None:
    execution = inverted()
    assert not measure(execution, 2).stages
    assert [*measure(execution, 2, stages=True).stages] == ["invert"]


def test_bytes_are_those_of_the_images_of_every_step() -> None:
    assert declared_bytes(inverted(33, 61)) == {"invert": 2 * 33 * 61}
    params = SgmParams(disparities=16, paths=4, cost="absolute")
    sizes = declared_bytes(prepare(SGM, "reference", params, 5, 7))
    assert sizes["path_aggregation"] == 4 * 5 * 7 * (1 + 16 + 2 * 16)
    assert sizes["path_sum"] == 4 * 5 * 7 * (2 * 16 + 2 * 16)
    assert "census_transform" not in sizes


def test_work_counts_pixels_disparities_and_the_templates_pixels() -> None:
    works = {name: p.work.amount(p.params(), 1000, 2000) for name, p in PIPELINES.items()}
    alone = dict.fromkeys(("canny", "mean", "invert", "rectify"), 2)
    assert works == {"sgm": 2 * 64, "ncc": 2 * 24 * 24, **alone}


def test_a_copy_has_a_bandwidth() -> None:
    assert 0.1 < copy_bandwidth(open_device("cpu")) < 10_000


def test_wall_time_is_that_of_the_call() -> None:
    assert wall_milliseconds(lambda: None) < wall_milliseconds(lambda: sum(range(10**6)))


def test_the_first_frame_takes_time() -> None:
    request = {"pipeline": "mean", "variant": "reference", "params": MEAN.params().values()}
    assert first_frame({**request, "height": 33, "width": 61}) > 0


def test_a_cold_start_runs_in_processes_of_its_own() -> None:
    times = cold_start(SGM, "opencv-sgbm", SgmParams(disparities=16), 33, 61)
    assert times.uncached > 0 and times.cached > 0
    with pytest.raises(Unavailable, match="no variant 'warp'"):
        cold_start(SGM, "warp", SgmParams(), 33, 61)


def test_a_difference_says_how_many_where_and_how_much() -> None:
    expected = np.zeros((4, 6), np.int16)
    result = expected.copy()
    result[1, 5], result[3, 2] = 2, -30000
    difference = compare("disparity", result, expected)
    assert difference
    assert (difference.count, difference.total, difference.first) == (2, 24, (5, 1))
    assert difference.largest == 30000
    assert str(difference) == "disparity: 2 of 24 differ, first at (5, 1), largest by 30000"
    assert compare("disparity", expected, expected) is None


def test_nan_equals_nan_and_nothing_else() -> None:
    nothing = np.array([np.nan, 1], np.float32)
    assert compare("scores", nothing, nothing.copy()) is None
    difference = compare("scores", nothing, np.array([0, 1], np.float32))
    assert difference and difference.count == 1 and math.isinf(difference.largest)


def test_unsigned_values_do_not_wrap_in_a_difference() -> None:
    difference = compare("edges", np.array([[1]], np.uint8), np.array([[255]], np.uint8))
    assert difference and difference.largest == 254


def test_what_steps_take_adds_up_to_a_frame() -> None:
    execution = prepare(CANNY, "cpu", CANNY.params(), 120, 160)
    execution.upload(left=np.zeros((120, 160), np.uint8))
    lap(execution)  # compiles
    steps = chained_steps(execution, 4)
    assert list(steps) == [step.stage.name for step in execution.steps] and len(steps) > 2
    assert 0.2 < sum(steps.values()) / chained_milliseconds(execution, 4) < 5


def test_a_chain_of_frames_takes_as_long_as_its_links() -> None:
    execution = inverted(400, 300)
    alone = time_frames(execution, 20)[0].fastest
    assert 0 < chained_milliseconds(execution, 8) < 50 * alone
    assert 0 < nothing_milliseconds(execution.device) < 5
    assert measure(execution, 3).chained is None  # the CPU's clock takes no notice of a launch
