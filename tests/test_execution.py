"""Preparing and running: nothing allocated per frame, clear refusals, times that add up."""

import time
import tracemalloc
import weakref
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.cpu.cores import core_count
from wheatstone.gpu.device import open_device
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.host import HostDevice
from wheatstone.gpu.pipelines.invert import INVERT
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.steps import Setup, active_stages

HEIGHT, WIDTH = 240, 320
HOST = [v.name for v in SGM.variants if not v.on_gpu and not v.peer]
CUDA = [v.name for v in SGM.variants if v.on_gpu]


def frame() -> dict[str, NDArray[np.uint8]]:
    """A left and a right view of noise at disparity 5."""
    scene = np.random.default_rng(12).integers(0, 256, (HEIGHT, WIDTH + 5), np.uint8)
    return {"left": scene[:, :WIDTH].copy(), "right": scene[:, 5:].copy()}


def run_frames(execution: Execution, inputs: dict[str, NDArray[np.uint8]], count: int) -> None:
    for _ in range(count):
        execution.upload(**inputs)
        execution.run()
    execution.device.synchronize()


def warm(variant: str) -> tuple[Execution, dict[str, NDArray[np.uint8]]]:
    """An execution that has run two frames."""
    execution, inputs = prepare(SGM, variant, SgmParams(), HEIGHT, WIDTH), frame()
    run_frames(execution, inputs, 2)
    return execution, inputs


@pytest.mark.parametrize("variant", HOST)
def test_frames_allocate_nothing_sizeable_on_the_host(variant: str) -> None:
    execution, inputs = warm(variant)
    tracemalloc.start()
    try:
        run_frames(execution, inputs, 5)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Scratch of a share of the rows a core; the smallest volume takes 4.7 MiB.
    assert peak < 256 * 1024 * max(core_count(), 2)
    assert kept < 64 * 1024  # what threads of the first frames leave behind


@pytest.fixture
def compiled_allocations() -> Iterator[None]:
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


def living() -> int:
    stats = rtsys.get_allocation_stats()
    return int(stats.alloc - stats.free)


@pytest.mark.usefixtures("compiled_allocations")
@pytest.mark.parametrize("variant", HOST)
def test_frames_allocate_little_in_compiled_code_and_free_it(variant: str) -> None:
    execution, inputs = warm(variant)
    before, alive = rtsys.get_allocation_stats().alloc, living()
    run_frames(execution, inputs, 5)
    allocated = rtsys.get_allocation_stats().alloc - before
    assert living() == alive
    # Scratch of a stage, a row or a thread is fine; scratch of a pixel is not.
    assert allocated < 5 * HEIGHT * WIDTH / 16


@pytest.mark.cuda
@pytest.mark.parametrize("variant", CUDA)
def test_frames_allocate_nothing_on_the_device(variant: str) -> None:
    import cupy
    from cupy.cuda.memory_hook import MemoryHook

    class Count(MemoryHook):  # type: ignore[misc]
        name = "Count"
        allocations = 0

        def alloc_preprocess(self, **sizes: Any) -> None:
            self.allocations += 1

        def malloc_preprocess(self, **sizes: Any) -> None:
            self.allocations += 1

    execution, inputs = warm(variant)
    pool = cupy.get_default_memory_pool()
    before = pool.total_bytes(), pool.used_bytes()
    with Count() as count:
        run_frames(execution, inputs, 5)
    assert count.allocations == 0
    assert (pool.total_bytes(), pool.used_bytes()) == before


@pytest.mark.parametrize(
    ("wrong", "got"),
    [
        (np.zeros((5, 6), np.uint8), r"\(5, 6\) uint8"),
        (np.zeros((7, 5), np.uint8), r"\(7, 5\) uint8"),
        (np.zeros((5, 7, 3), np.uint8), r"\(5, 7, 3\) uint8"),
        (np.zeros((5, 7), np.uint16), r"\(5, 7\) uint16"),
    ],
)
def test_an_input_of_another_shape_or_dtype_is_refused(wrong: NDArray[Any], got: str) -> None:
    execution = prepare(SGM, "reference", SgmParams(), 5, 7)
    with pytest.raises(ValueError, match=rf"right must be \(5, 7\) uint8 \(got {got}\)"):
        execution.upload(right=wrong)


def test_what_does_not_fit_in_memory_is_refused_with_both_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(HostDevice, "free_bytes", lambda device: 16_000_000_000)
    # 8192 * 8192 pixels of 5 * 512 bytes in volumes and 38 bytes in images.
    needs = r"sgm/reference at 8192x8192 needs 174.3 GB of memory, 16.0 GB are free on .+"
    with pytest.raises(Unavailable, match=needs):
        prepare(SGM, "reference", SgmParams(disparities=512), 8192, 8192)


@pytest.mark.parametrize("paths", [4, 8, "sweeps"])
def test_the_fastest_variant_fits_cards_of_24_gb_at_the_finest(paths: int | str) -> None:
    params, fast = SGM.params().changed(disparities=256, paths=paths), SGM.variant("fast")
    setup = Setup(SGM, fast, params, 2160, 3840)
    assert setup.nbytes(setup.used(setup.plan())) < 20e9


def test_memory_is_enough_up_to_the_last_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = prepare(SGM, "reference", SgmParams(disparities=16), 5, 7).nbytes
    assert needed == 5 * 7 * (5 * 16 + 38) + 8  # what makes depths: two floats
    monkeypatch.setattr(HostDevice, "free_bytes", lambda device: needed)
    prepare(SGM, "reference", SgmParams(disparities=16), 5, 7)
    monkeypatch.setattr(HostDevice, "free_bytes", lambda device: needed - 1)
    with pytest.raises(Unavailable):
        prepare(SGM, "reference", SgmParams(disparities=16), 5, 7)
    monkeypatch.setattr(HostDevice, "free_bytes", lambda device: None)
    prepare(SGM, "reference", SgmParams(disparities=16), 5, 7)


def test_an_image_of_a_stage_that_is_off_is_not_kept() -> None:
    execution = prepare(SGM, "reference", replace(SgmParams(), lr_check=-1), 5, 7)
    assert execution.keeps("sums") and not execution.keeps("right_winner")
    with pytest.raises(ValueError, match="sgm/reference does not keep 'right_winner'"):
        execution.download("right_winner")


@pytest.mark.parametrize("variant", HOST)
def test_an_image_on_demand_costs_nothing_until_it_is_wanted(variant: str) -> None:
    plain = prepare(SGM, variant, SgmParams(), 5, 7)
    assert not any(plain.keeps(name) for name in SGM.on_demand)
    assert not set(SGM.on_demand) & set(plain.images)
    wanting = prepare(SGM, variant, SgmParams(), 5, 7, ["confidence"])
    assert wanting.keeps("confidence") and not wanting.keeps("invalid_reason")
    assert wanting.nbytes - plain.nbytes == 5 * 7 * (2 + 2)  # it and the margins it is made of


def test_an_image_that_a_stage_takes_but_none_writes_is_not_kept() -> None:
    params = replace(SgmParams(), lr_check=-1)
    execution = prepare(SGM, "reference", params, 5, 7, ["invalid_reason"])
    assert "right_winner" in execution.images and not execution.keeps("right_winner")


def test_an_image_that_is_another_name_downloads_what_it_names() -> None:
    execution = prepare(SGM, "reference", SGM.preset("aveiro-2016"), HEIGHT, WIDTH)
    run_frames(execution, frame(), 1)
    assert np.array_equal(execution.download("left_descriptor"), frame()["left"])
    assert np.array_equal(execution.download("disparity"), execution.download("refined"))


def test_a_download_is_a_copy_that_the_next_frame_leaves_alone() -> None:
    execution = prepare(SGM, "reference", SgmParams(), 5, 7)
    execution.upload(left=np.zeros((5, 7), np.uint8))
    first = execution.download("left")
    execution.upload(left=np.ones((5, 7), np.uint8))
    assert not first.any()


@pytest.mark.parametrize("variant", HOST)
def test_stage_times_come_in_order_and_add_up_to_the_frame(variant: str) -> None:
    execution, _ = warm(variant)
    whole = execution.milliseconds()
    begin = time.perf_counter()
    execution.run(stages=True)
    elapsed = (time.perf_counter() - begin) * 1e3
    times = execution.stage_milliseconds()
    running = active_stages(SGM, execution.variant, execution.params)
    assert list(times) == [stage.name for stage in running]
    assert min(times.values()) >= 0
    assert 0.5 * elapsed < sum(times.values()) <= elapsed
    assert execution.milliseconds() == whole, "the time of a frame that nothing disturbed"


def test_there_are_no_times_before_the_first_frame() -> None:
    execution = prepare(SGM, "reference", SgmParams(), 5, 7)
    assert execution.milliseconds() is None
    assert execution.milliseconds(wait=True) is None
    assert execution.stage_milliseconds() == {}
    execution.upload(left=np.zeros((5, 7), np.uint8), right=np.zeros((5, 7), np.uint8))
    execution.run()
    assert execution.milliseconds(wait=True)
    assert execution.stage_milliseconds() == {}


@pytest.mark.cuda
@pytest.mark.parametrize("variant", CUDA)
def test_device_times_add_up_too(variant: str) -> None:
    execution = prepare(SGM, variant, SgmParams(), HEIGHT, WIDTH)
    assert execution.milliseconds(wait=True) is None
    run_frames(execution, frame(), 2)
    whole = execution.milliseconds(wait=True)
    execution.run(stages=True)
    times = execution.stage_milliseconds()
    running = active_stages(SGM, execution.variant, execution.params)
    assert list(times) == [stage.name for stage in running]
    assert execution.milliseconds(wait=True) == whole


@pytest.mark.parametrize(
    "variant", [*HOST, *(pytest.param(v, marks=pytest.mark.cuda) for v in CUDA)]
)
def test_a_recorded_frame_follows_inputs_and_given_arrays(variant: str) -> None:
    execution, inputs = warm(variant)
    with execution.device.active():
        given = [execution.device.zeros((HEIGHT, WIDTH), "int16") for _ in range(2)]
    execution.upload(**inputs)
    execution.run()
    expected = execution.download("disparity")
    for array in (*given, *given):
        execution.run({"disparity": array})
        assert np.array_equal(execution.device.download(array), expected)
    execution.upload(left=inputs["right"], right=inputs["left"])
    execution.run({"disparity": given[0]})
    assert not np.array_equal(execution.device.download(given[0]), expected)
    assert np.array_equal(execution.device.download(given[1]), expected)


class Place:
    """Arrays of a host that stay where they are."""

    def __init__(self, execution: Execution) -> None:
        buffer = execution.device.host_buffer
        self.inputs = {name: buffer((HEIGHT, WIDTH), "uint8") for name in ("left", "right")}
        self.images = {"disparity": buffer((HEIGHT, WIDTH), "int16")}

    def exchange(self, execution: Execution, **inputs: NDArray[np.uint8]) -> NDArray[Any]:
        for name, array in inputs.items():
            self.inputs[name][...] = array
        self.images["disparity"].fill(-1)
        assert execution.exchange(self.inputs, self.images, self) > 0
        return self.images["disparity"].copy()


@pytest.mark.parametrize(
    "variant", [*HOST, *(pytest.param(v, marks=pytest.mark.cuda) for v in CUDA)]
)
def test_an_exchange_is_recorded_for_each_place_and_ends_with_it(variant: str) -> None:
    execution, inputs = warm(variant)
    other = {"left": inputs["right"], "right": inputs["left"]}
    expected = []
    for each in (inputs, other):
        execution.upload(**each)
        execution.run()
        expected.append(execution.download("disparity"))
    places = [Place(execution), Place(execution)]
    for _ in range(2):
        for place in places:
            assert np.array_equal(place.exchange(execution, **inputs), expected[0])
            assert np.array_equal(place.exchange(execution, **other), expected[1])
    assert len(execution._exchanges) == len(places) * execution.variant.on_gpu
    del places, place
    assert not len(execution._exchanges)


def test_an_execution_that_nobody_has_gives_its_arrays_back() -> None:
    execution = prepare(INVERT, "cpu", INVERT.params(), 5, 7)
    for _ in range(3):
        execution.run()
    array = weakref.ref(execution.images["left"])
    del execution
    assert array() is None  # at once: not when Python next looks for what refers to itself


@pytest.mark.parametrize("variant", HOST)
@pytest.mark.parametrize("stages", [False, True])
def test_a_frame_can_be_followed_step_by_step(variant: str, stages: bool) -> None:
    execution, _ = warm(variant)
    expected = execution.download("disparity")
    execution.images["disparity"][:] = 0
    done: list[int] = []
    execution.run(stages=stages, after=done.append)
    assert done == list(range(1, len(execution.steps) + 1))
    assert np.array_equal(execution.download("disparity"), expected)


def test_a_frame_ends_between_two_steps_and_leaves_the_time_alone() -> None:
    execution, _ = warm("cpu")
    took = execution.milliseconds()

    def stop(done: int) -> None:
        if done == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        execution.run(after=stop)
    assert execution.milliseconds() == took
    execution.run()
    assert execution.milliseconds() != took


def test_an_untimed_frame_leaves_the_times_of_stages_alone() -> None:
    execution, _ = warm("cpu")
    execution.run(stages=True)
    took = execution.milliseconds()
    execution.run(timed=False)
    assert execution.milliseconds() == took


@pytest.mark.cuda
def test_inputs_of_many_shapes_arrive_as_they_were_sent() -> None:
    device = open_device("cuda")
    random = np.random.default_rng(5)
    for _ in range(4):
        sent = [random.integers(0, 256, (800, 900 + n), np.uint8) for n in range(40)]
        with device.active():
            there = [device.zeros(each.shape, np.uint8) for each in sent]
        for array, host in zip(there, sent, strict=True):
            device.upload(array, host)
        for array, host in zip(there, sent, strict=True):
            assert np.array_equal(device.download(array), host)
