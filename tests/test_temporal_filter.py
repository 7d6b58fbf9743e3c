"""The temporal filter: hand-worked pixels, then its properties, then parity over sequences."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.test_parity import images, inputs_for
from wheatstone.gpu.cpu import output_filters as on_cpu
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.pipeline import Variant
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.pipelines.sgm.params import PERSISTENCE, filter_numbers
from wheatstone.gpu.reference.output_filters import temporal_filter
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.io.sources.scene import SceneSource
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.engine import shared_engine
from wheatstone.viewer.run.run import Run

NONE = -16  # the stored value without a disparity, if the first disparity is 0
Disparities = NDArray[np.int16]
Filter = Callable[..., None]


def filtered(
    frames: Sequence[Any], compute: Filter = temporal_filter, arrays: Any = np, **changes: Any
) -> list[Disparities]:
    """The filter's results of a sequence, frame by frame."""
    params = SgmParams(**changes)
    (numbers,), first = filter_numbers(params), params.min_disparity
    listed = []
    past = arrays.zeros(np.shape(frames[0]), np.uint32)
    for frame in frames:
        stored, state = arrays.asarray(np.array(frame, np.int16)), arrays.empty_like(past)
        disparity = arrays.empty_like(stored)
        compute(stored, past, disparity, state, first, *numbers.values())
        listed.append(np.array(disparity.tolist(), np.int16))
        past = state
    return listed


def pixel(values: Sequence[int], **changes: Any) -> list[int]:
    return [int(each[0, 0]) for each in filtered([[[value]] for value in values], **changes)]


def random_frames(seed: int, shape: tuple[int, int], first: int) -> Iterator[Disparities]:
    """Noise about a level that jumps, with pixels that come and go."""
    random = np.random.default_rng(seed)
    most = 16 * (2048 - max(first, 0))
    for number in range(12):
        level = random.integers(16, 16 * 500) if number % 5 == 0 else most if number > 8 else 4000
        steps = np.clip(level + random.integers(-40, 41, shape), 16, most)
        steps[random.random(shape) < 0.4] = 0
        yield (steps + (first - 1) * 16).astype(np.int16)


def test_the_newest_frame_has_its_share() -> None:
    # 160, then 160 + (176 - 160) / 4, and so on, each rounded to 1/16 pixel.
    smoothed = pixel([160, 176, 176, 176], temporal_alpha=0.25, temporal_delta=2.0)
    assert smoothed == [160, 164, 167, 169]


def test_small_shares_arrive_in_the_end() -> None:
    assert pixel([160, *[165] * 400], temporal_alpha=0.02, temporal_delta=2.0)[-1] == 165


def test_after_a_larger_change_than_the_threshold_the_new_disparity_counts_alone() -> None:
    assert pixel([160, 176], temporal_alpha=0.5, temporal_delta=1.0) == [160, 168]
    assert pixel([160, 177], temporal_alpha=0.5, temporal_delta=1.0) == [160, 177]
    assert pixel([160, 143], temporal_alpha=0.5, temporal_delta=1.0) == [160, 143]


def test_a_lost_disparity_is_kept_while_enough_of_the_newest_frames_had_one() -> None:
    values = [160, 160, NONE, NONE, NONE, NONE]
    assert pixel(values, persistence="2 of 4") == [160, 160, 160, 160, 160, NONE]
    assert pixel(values, persistence="1 of 2") == [160, 160, 160, 160, NONE, NONE]
    assert pixel(values, persistence="2 of 3") == [160, 160, 160, 160, NONE, NONE]
    assert pixel(values, persistence="8 of 8")[2:] == [NONE] * 4
    assert pixel(values, persistence="always")[2:] == [160] * 4
    assert pixel(values, temporal_alpha=0.5)[2:] == [NONE] * 4


@pytest.mark.parametrize("way", PERSISTENCE)
def test_persistence_counts_measured_frames_and_no_kept_ones(way: str) -> None:
    random = np.random.default_rng(3)
    has = random.random(200) < 0.5
    result = pixel([160 if each else NONE for each in has], persistence=way)
    least, newest = PERSISTENCE[way]
    for number, each in enumerate(has):
        kept = has[:number].any() and has[max(number - newest, 0) : number].sum() >= least
        assert result[number] == (160 if each or kept else NONE)


def test_a_pixel_that_never_had_a_disparity_gets_none() -> None:
    assert pixel([NONE] * 9, persistence="always") == [NONE] * 9


def test_a_disparity_that_comes_back_is_smoothed_with_the_last_one() -> None:
    assert pixel([160, NONE, 176], temporal_alpha=0.5) == [160, NONE, 168]


@pytest.mark.parametrize("first", [0, -1024, 512])
def test_a_whole_share_changes_nothing_but_what_persists(first: int) -> None:
    frames = list(random_frames(1, (9, 31), first))
    changes: dict[str, Any] = {"min_disparity": first, "temporal_alpha": 1.0}
    for given, each in zip(frames, filtered(frames, **changes), strict=True):
        assert np.array_equal(each, given)
    kept = filtered(frames, persistence="1 of 8", **changes)
    for given, each in zip(frames, kept, strict=True):
        valid = given != (first - 1) * 16
        assert np.array_equal(each[valid], given[valid])


@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.4, 1.0])
def test_a_constant_sequence_stays(alpha: float) -> None:
    frame = next(random_frames(2, (9, 31), -3))
    for each in filtered([frame] * 20, min_disparity=-3, temporal_alpha=alpha):
        assert np.array_equal(each, frame)


def test_results_lie_between_the_old_and_the_new_disparity() -> None:
    for alpha in (0.05, 0.4, 0.9):
        frames = [np.array([[160 + 7 * (n % 2)]]) for n in range(40)]
        outputs = filtered(frames, temporal_alpha=alpha, temporal_delta=4.0)
        assert all(160 <= each[0, 0] <= 167 for each in outputs)


CASES: tuple[dict[str, Any], ...] = (
    {"temporal_alpha": 0.4, "temporal_delta": 2.0},
    {"temporal_alpha": 0.0, "temporal_delta": 64.0, "persistence": "always"},
    {"temporal_alpha": 0.7, "temporal_delta": 0.0, "persistence": "2 of 3"},
    {"temporal_alpha": 1.0, "persistence": "8 of 8", "min_disparity": -1024},
    {"temporal_alpha": 0.15, "persistence": "1 of 5", "min_disparity": 512},
)


def same_over_sequences(compute: Filter, arrays: Any) -> None:
    for seed, changes in enumerate(CASES):
        for shape in ((1, 1), (3, 5), (67, 131)):
            frames = list(random_frames(seed, shape, changes.get("min_disparity", 0)))
            outputs = filtered(frames, compute, arrays, **changes)
            assert np.array_equal(outputs, filtered(frames, **changes))


def test_all_cores_give_the_same() -> None:
    same_over_sequences(on_cpu.temporal_filter, np)


@pytest.mark.usefixtures("emulation")
def test_the_kernel_gives_the_same() -> None:
    from wheatstone.gpu.kernels.disparity import temporal_filter as launch

    same_over_sequences(launch, np)


@pytest.mark.cuda
def test_the_kernel_gives_the_same_on_a_gpu() -> None:
    import cupy

    from wheatstone.gpu.kernels.disparity import temporal_filter as launch

    same_over_sequences(launch, cupy)


LIVE = SgmParams(
    disparities=16,
    fill_holes=False,
    temporal_alpha=0.3,
    temporal_delta=4.0,
    persistence="2 of 4",
    decimation=2,
)
SIZE = (35, 61)
ORDER = ("shifted", "noise", "shifted", "extremes", "noise", "shifted")


def played(execution: Execution, kinds: Sequence[str], sequence: str = "") -> list[Disparities]:
    listed = []
    for number, kind in enumerate(kinds):
        execution.upload(**inputs_for(SGM, *SIZE, kind))
        execution.follow((sequence, number))
        execution.run()
        listed.append(execution.download("disparity"))
    return listed


def variants() -> list[Any]:
    """All variants that give the reference's bits; those of a GPU need one."""
    return [
        pytest.param(each, id=each.name, marks=[pytest.mark.cuda] if each.on_gpu else [])
        for each in SGM.variants
        if not each.peer and each.name != "reference"
    ]


def sequences_are_the_same(variant: Variant) -> None:
    for params in (LIVE, LIVE.changed(decimation=4, persistence="always", guided_median=0)):
        ours, reference = (
            prepare(SGM, name, params, *SIZE) for name in (variant.name, "reference")
        )
        outputs = played(ours, ORDER)
        assert np.array_equal(outputs, played(reference, ORDER))
        assert np.array_equal(outputs, played(ours, ORDER, "again"))  # recorded on a GPU by now
        state = ours.download("filter_state")
        assert np.array_equal(state, reference.download("filter_state"))


@pytest.mark.parametrize("variant", variants())
def test_every_variant_filters_a_sequence_alike(variant: Variant) -> None:
    sequences_are_the_same(variant)


@pytest.mark.parametrize("name", ["global", "texture", "fast"])
@pytest.mark.usefixtures("emulation")
def test_emulated_variants_filter_a_sequence_alike(name: str) -> None:
    sequences_are_the_same(SGM.variant(name))


def test_the_filter_equals_its_reference_on_unfiltered_results() -> None:
    off = LIVE.changed(temporal_alpha=1.0, persistence="off")
    given = played(prepare(SGM, "cpu", off, *SIZE), ORDER)
    expected = filtered(given, **LIVE.values())
    assert np.array_equal(played(prepare(SGM, "cpu", LIVE, *SIZE), ORDER), expected)


def shown(execution: Execution, kind: str, moment: tuple[Any, int] | None) -> Disparities:
    execution.upload(**inputs_for(SGM, *SIZE, kind))
    execution.follow(moment)
    execution.run()
    result: Disparities = execution.download("disparity")
    return result


def test_the_same_frame_again_gives_the_same() -> None:
    execution = prepare(SGM, "cpu", LIVE, *SIZE)
    first = [shown(execution, kind, ("", n)) for n, kind in enumerate(ORDER[:3])]
    assert np.array_equal(shown(execution, ORDER[2], ("", 2)), first[2])
    execution.run(stages=True)
    assert np.array_equal(execution.download("disparity"), first[2])
    assert np.array_equal(shown(execution, ORDER[3], ("", 3)), played(execution, ORDER, "x")[3])


@pytest.mark.parametrize("moment", [None, ("", 0), ("other", 7)])
def test_what_does_not_follow_begins_a_sequence(moment: tuple[Any, int] | None) -> None:
    execution = prepare(SGM, "cpu", LIVE, *SIZE)
    alone = shown(execution, "shifted", None)
    followed = [shown(execution, kind, ("", n)) for n, kind in enumerate(ORDER)][-1]
    assert not np.array_equal(followed, alone)
    assert np.array_equal(shown(execution, "shifted", moment), alone)


def test_a_frame_that_fails_ends_its_sequence() -> None:
    class Stopped(Exception):
        """Raised between two steps."""

    def stop(done: int) -> None:
        raise Stopped

    execution = prepare(SGM, "cpu", LIVE, *SIZE)
    alone = shown(execution, "shifted", None)
    shown(execution, "noise", ("", 0))
    execution.follow(("", 1))
    with pytest.raises(Stopped):
        execution.run(after=stop)
    assert np.array_equal(shown(execution, "shifted", ("", 2)), alone)


@pytest.fixture
def screen(offscreen: OffscreenContext) -> Iterator[Session]:
    """The frames of a scene in A, with the filter."""
    params = LIVE.changed(decimation=1, min_disparity=0)
    with ExitStack() as stack:
        spec = SourceSpec(scene="corridor", seed=0, size=(61, 35))
        source = stack.enter_context(closing(SceneSource(spec)))
        display = stack.enter_context(closing(Display()))
        state = ViewerState(Run(SGM, "cpu", params), paused=True)
        yield stack.enter_context(closing(Session(state, source, display)))


def at(screen: Session, frame: int) -> Disparities:
    """What a window shows after the user, or playing, has chosen a frame."""
    screen.state.frame = frame
    screen.compute()
    disparity: Disparities = screen.values("disparity")
    return disparity


@pytest.mark.opengl
def test_a_window_filters_as_it_plays_and_begins_again_after_a_jump(screen: Session) -> None:
    source, run = screen.source, screen.state.slot
    alone = shared_engine().compute(run, source.frame(3)).stored["disparity"]
    results = islice(run.over(source), 4)
    expected = [result.stored["disparity"] for result in results]
    assert not np.array_equal(expected[3], alone)
    assert all(np.array_equal(at(screen, number), expected[number]) for number in range(4))
    assert np.array_equal(at(screen, 3), expected[3])  # drawn again
    screen.state.set_view(SGM, "confidence")
    assert np.array_equal(at(screen, 3), expected[3])
    screen.state.set_view(SGM, "disparity")
    assert np.array_equal(at(screen, 3), expected[3])
    assert not np.array_equal(at(screen, 5), expected[3])
    assert np.array_equal(at(screen, 3), alone)  # back
    at(screen, 0)
    assert np.array_equal(at(screen, 3), alone)  # forward
    at(screen, 4)
    screen.state.slot = run.replace(p1=30)  # other parameters
    alone = shared_engine().compute(screen.state.slot, source.frame(4)).stored["disparity"]
    assert np.array_equal(at(screen, 4), alone)


@pytest.mark.opengl
def test_a_variant_that_joins_later_agrees(screen: Session) -> None:
    for number in range(3):
        at(screen, number)
    screen.state.b = screen.state.slot.replace(variant="reference")
    choose(screen.state, "mixing.mode", "difference")
    choose(screen.state, "mixing.check", True)
    for number in (2, 3, 4):
        at(screen, number)
        badge = screen.checks.badge(screen.a.shown)
        assert badge and badge.text.startswith("identical")


def test_every_call_of_a_prepared_run_is_the_next_frame() -> None:
    run = Run(SGM, "cpu", LIVE)
    prepared, views = run.prepared(SIZE), [images(*SIZE, kind) for kind in ORDER]
    listed = [np.array(prepared(*pair)) for pair in views]
    stored = played(prepare(SGM, "cpu", LIVE, *SIZE), ORDER)
    image = SGM.image("disparity")
    expected = [in_units(each, image, LIVE) for each in stored]
    assert np.array_equal(listed, expected, equal_nan=True)


def test_without_filters_no_step_and_no_array_is_added() -> None:
    plain = prepare(SGM, "cpu", SgmParams(), *SIZE)
    assert not {"decimation", "temporal_filter"} & {step.stage.name for step in plain.steps}
    assert not plain.memory.arrays and "filter_state" not in plain.images
