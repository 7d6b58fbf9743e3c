"""Frames that come again are uploaded once; those that do not are not kept."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import wheatstone.gpu.execution
from wheatstone.gpu import Unavailable
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.host import HostDevice
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.runner import Modes, Runner
from wheatstone.viewer.display.picture.shown import chosen
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.scene import SceneSource
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run import inputs as run_inputs
from wheatstone.viewer.run.inputs import SharedInputs
from wheatstone.viewer.run.run import Run

SIZE = 40, 24  # width, height
ROUNDS = 4
PARAMS = SGM.params()


class ElsewhereDevice(HostDevice):
    """The CPU, whose arrays count as a GPU's: what is uploaded to them is counted."""

    on_host = False
    uploads = copies = 0
    free: int | None = None

    def upload(self, array: NDArray[Any], host: NDArray[Any]) -> None:
        self.uploads += 1
        super().upload(array, host)

    def copy(self, target: NDArray[Any], source: NDArray[Any]) -> None:
        self.copies += 1
        target[:] = source

    def free_bytes(self) -> int | None:
        return self.free


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> ElsewhereDevice:
    made = ElsewhereDevice()
    monkeypatch.setattr(wheatstone.gpu.execution, "open_device", lambda kind: made)
    return made


def frames(count: int) -> list[Frame]:
    generator = np.random.default_rng(7)
    shape = (SIZE[1], SIZE[0], 3)
    views = [[generator.integers(0, 256, shape, np.uint8) for _ in "lr"] for _ in range(count)]
    return [Frame(left, right, index) for index, (left, right) in enumerate(views)]


@contextmanager
def ready(variant: str = "cpu") -> Iterator[tuple[SharedInputs, Execution]]:
    inputs = SharedInputs(SIZE[1], SIZE[0])
    execution = prepare(SGM, variant, PARAMS, SIZE[1], SIZE[0])
    inputs.share(execution)
    yield inputs, execution


def held(execution: Execution) -> list[NDArray[Any]]:
    return [np.array(execution.images[name]) for name in ("left", "right")]


def test_a_loop_is_uploaded_twice_and_then_never_again(device: ElsewhereDevice) -> None:
    loop, seen = frames(3), []
    with ready() as (inputs, execution):
        for turn in range(ROUNDS):
            device.uploads = 0
            for frame in loop:
                inputs.upload(execution, frame)
                inputs.upload(execution, frame)  # that is there already
                seen.append(held(execution))
            assert (device.uploads > 0) == (turn < 2), turn
    for turn in range(1, ROUNDS):
        for first, again in zip(seen[:3], seen[3 * turn : 3 * turn + 3], strict=True):
            assert all(map(np.array_equal, first, again))
    assert not np.array_equal(seen[0][0], seen[1][0])


def test_what_a_source_forgets_is_forgotten(device: ElsewhereDevice) -> None:
    loop = frames(2)
    with ready() as (inputs, execution):
        for frame in loop * 2:
            inputs.upload(execution, frame)
        kept = inputs._kept
        assert kept.nbytes == 2 * 2 * SIZE[0] * SIZE[1]
        del frame
        inputs._filled.clear()
        inputs._converted.clear()
        loop.pop()
        gc.collect()
        assert kept.nbytes == 2 * SIZE[0] * SIZE[1]


def test_frames_that_come_once_to_each_of_two_variants_are_not_kept(
    device: ElsewhereDevice,
) -> None:
    with ready() as (inputs, execution):
        other = prepare(SGM, "texture", PARAMS, SIZE[1], SIZE[0])
        inputs.share(other)
        sequence = frames(3)
        for frame in sequence:
            inputs.upload(execution, frame)
            inputs.upload(other, frame)
        assert device.uploads >= 3 * 4 and not inputs._kept.nbytes


@pytest.mark.parametrize("free", [0, 4 * SIZE[0] * SIZE[1] * 3, None])
def test_no_more_is_kept_than_there_is_room_for(
    device: ElsewhereDevice, free: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pixels = SIZE[0] * SIZE[1]
    monkeypatch.setattr(run_inputs, "MOST_BYTES", 5 * pixels)
    with ready() as (inputs, execution):
        device.free = free
        loop = frames(4)
        for frame in loop * 3:
            inputs.upload(execution, frame)
        most = 5 if free is None else free // 3 // pixels
        assert 0 <= inputs._kept.nbytes <= most * pixels
        assert (inputs._kept.nbytes > 0) == (free != 0)


def test_memory_that_is_short_is_taken_from_what_is_kept(
    device: ElsewhereDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SceneSource(SourceSpec(scene="orbit", seed=0, size=SIZE))
    state = ViewerState(Run(SGM, "cpu", PARAMS), {"cpu": "", "cuda": ""})
    inputs = SharedInputs(SIZE[1], SIZE[0])
    runner = Runner(source, inputs, Modes("copy"))
    shown = chosen(state)
    execution = runner.make(shown)
    for frame in frames(2) * 2:
        inputs.upload(execution, frame)
    assert inputs._kept.nbytes

    def short(pipeline: object, *rest: Any) -> Execution:
        if inputs._kept.nbytes:
            raise Unavailable("out of memory")
        return made

    made = execution
    monkeypatch.setattr("wheatstone.viewer.run.engine.prepare_in_bands", short)
    assert runner.make(shown) is made and not inputs._kept.nbytes
    monkeypatch.setattr("wheatstone.viewer.run.engine.prepare_in_bands", failing)
    with pytest.raises(Unavailable, match="for good"):
        runner.make(shown)
    source.close()


def failing(*rest: object) -> Execution:
    raise Unavailable("out of memory for good")


@pytest.mark.cuda
@pytest.mark.parametrize("variant", ["fast", "texture"])
def test_a_loop_kept_on_a_gpu_gives_the_bits_of_one_uploaded(variant: str) -> None:
    loop, seen = frames(3), []
    with ready(variant) as (inputs, execution):
        for _ in range(ROUNDS):
            for frame in loop:
                inputs.upload(execution, frame)
                execution.run()
                seen.append(execution.download("disparity"))
        assert inputs._kept.nbytes == 3 * 2 * SIZE[0] * SIZE[1]
        for index, frame in enumerate(loop):
            second = SharedInputs(SIZE[1], SIZE[0])
            again = prepare(SGM, variant, PARAMS, SIZE[1], SIZE[0])
            second.share(again)
            second.upload(again, frame)
            again.run()
            expected = again.download("disparity")
            assert all(np.array_equal(expected, each) for each in seen[index::3])
