"""Bands of rows: the rule, the memory planned, equal results of all variants, and the seams."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.patience import PATIENCE
from wheatstone import Run
from wheatstone.gpu import MEMORY_SHARERS, Unavailable
from wheatstone.gpu.bands import (
    MARGIN,
    SHARE,
    STEP,
    BandedExecution,
    Planner,
    band_height,
    bands_of,
    prepare_in_bands,
)
from wheatstone.gpu.cpu.path_aggregation import PathSlots, slots_of
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.handed_bands import HandedExecution
from wheatstone.gpu.host import HostDevice
from wheatstone.gpu.pipelines.ahead import after_rectification, with_rectification
from wheatstone.gpu.pipelines.inputs import inputs_of
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.steps import Setup
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.scene import Scene
from wheatstone.viewer.run import carry
from wheatstone.viewer.run.engine import Engine, shared_engine, telling_bands

GIGABYTE = 10**9


def noise(height: int, width: int, shift: int = 5) -> dict[str, NDArray[np.uint8]]:
    left = np.random.default_rng(7).integers(0, 256, (height, width), np.uint8)
    return {"left": left, "right": np.roll(left, -shift, 1)}


def frame_of(height: int, width: int, shift: int = 5, index: int = 0) -> Frame:
    views = noise(height, width, shift)
    return Frame(views["left"], views["right"], index)


def by_hand(run: Run, views: dict[str, NDArray[np.uint8]], count: int) -> NDArray[Any]:
    """Compute an image as the rule says, from whole images of the rows of each band."""
    height = len(views["left"])
    rows = band_height(height, count)
    parts = []
    for begin, first, end in bands_of(height, count):
        band = [np.ascontiguousarray(view[begin : begin + rows]) for view in views.values()]
        stored = run.replace(bands=1)(*band).stored[run.pipeline.output]
        parts.append(stored[first - begin : end - begin])
    return np.concatenate(parts)


def test_three_bands_of_a_thousand_rows() -> None:
    # S = 16 ceil(1000 / 48) = 336, B = 336 + 256 + 1000 mod 16 = 600.
    assert band_height(1000, 3) == 600
    assert bands_of(1000, 3) == [(0, 0, 336), (208, 336, 672), (400, 672, 1000)]


def test_two_bands_have_a_margin_on_one_side() -> None:
    # S = 16 ceil(540 / 32) = 272, B = 272 + 128 + 540 mod 16 = 412.
    assert band_height(540, 2) == 412
    assert bands_of(540, 2) == [(0, 0, 272), (128, 272, 540)]


@given(height=st.integers(1, 17_000), count=st.integers(1, 1024))
def test_bands_take_every_row_once_and_reach_beyond_every_seam(height: int, count: int) -> None:
    bands, rows = bands_of(height, count), band_height(height, count)
    assert [bands[0].first, *(band.end for band in bands)] == [
        *(band.first for band in bands),
        height,
    ]
    assert len(bands) <= count
    for begin, first, end in bands:
        assert begin % STEP == first % STEP == 0 <= begin
        assert begin <= max(first - MARGIN, 0)
        assert min(end + MARGIN, height) <= begin + rows <= height


@pytest.mark.parametrize("decimation", [1, 4])
@pytest.mark.parametrize("count", [2, 3, 40])
def test_a_result_in_bands_is_made_of_whole_images_of_its_bands(
    count: int, decimation: int
) -> None:
    views = noise(437, 60)
    params: dict[str, Any] = {"disparities": 16, "decimation": decimation, "bands": count}
    run = Run("sgm", variant="cpu", search="hierarchical", **params)
    result = run(*views.values())
    assert f"in {len(bands_of(437, count))} bands of" in result.division
    np.testing.assert_array_equal(result.stored["disparity"], by_hand(run, views, count))


@pytest.mark.parametrize("variant", ["reference", "cpu"])
@pytest.mark.parametrize("count", [2, 3, 40])
@pytest.mark.parametrize("paths", [4, 8, "sweeps"])
def test_a_result_in_bands_is_that_of_the_whole_image(
    variant: str, count: int, paths: int | str
) -> None:
    views, keep = noise(133, 61), ["confidence", "invalid_reason"]
    run = Run("sgm", variant, keep=keep, disparities=16, paths=paths, decimation=4)
    whole, banded = (run.replace(bands=n)(*views.values()) for n in (1, count))
    assert banded.division and not whole.division
    for name in ("disparity", *keep):
        np.testing.assert_array_equal(banded.stored[name], whole.stored[name])


GPU_VARIANTS = [variant.name for variant in SGM.variants if variant.on_gpu]
KEPT = ("confidence", "invalid_reason")


def check_bands(variant: str, count: int, height: int, width: int, **changes: Any) -> None:
    """Compare two frames in bands with whole images of ``cpu``."""
    params = SGM.params().changed(**{"disparities": 32} | changes)
    whole = prepare_in_bands(SGM, "cpu", params, height, width, KEPT, count=1)
    banded = prepare_in_bands(SGM, variant, params, height, width, KEPT, count=count)
    assert isinstance(banded, HandedExecution) and banded.bands == count
    for shift in (5, 9):
        for execution in (whole, banded):
            execution.upload(**inputs_of(SGM, noise(height, width, shift)))
            execution.run()
        for name in ("disparity", *KEPT):
            np.testing.assert_array_equal(banded.download(name), whole.download(name))


@pytest.mark.parametrize("variant", GPU_VARIANTS)
@pytest.mark.parametrize(
    ("paths", "cost", "adaptation"),
    [(8, "absolute", "soft"), ("sweeps", "census-symmetric", "divide")],
)
def test_emulated_kernels_hand_over_the_path_costs_of_the_whole_image(
    emulation: None, variant: str, paths: int | str, cost: str, adaptation: str
) -> None:
    check_bands(variant, 3, 41, 37, paths=paths, cost=cost, p2_adaptation=adaptation)


@pytest.mark.cuda
@pytest.mark.parametrize("variant", GPU_VARIANTS)
@pytest.mark.parametrize("paths", [4, 8, "sweeps"])
@pytest.mark.parametrize("cost", ["absolute", "census-symmetric"])
@pytest.mark.parametrize("adaptation", ["none", "divide", "soft"])
def test_gpus_hand_over_the_path_costs_of_the_whole_image(
    variant: str, paths: int | str, cost: str, adaptation: str
) -> None:
    check_bands(variant, 3, 325, 241, paths=paths, cost=cost, p2_adaptation=adaptation)


@pytest.mark.cuda
@pytest.mark.parametrize("variant", GPU_VARIANTS)
@pytest.mark.parametrize("disparities", [16, 128, 512])
def test_gpus_hand_over_path_costs_of_any_number_of_disparities(
    variant: str, disparities: int
) -> None:
    check_bands(variant, 4, 133, 600, disparities=disparities)
    check_bands(variant, 4, 133, 600, disparities=disparities, p1=60, p2=900)


def test_a_sequence_in_bands_has_the_results_of_whole_images() -> None:
    run = Run("sgm", variant="cpu", disparities=16, temporal_alpha=0.4, temporal_delta=9.0)
    engines = Engine(kept=1), Engine(kept=1)
    for number, shift in enumerate((5, 6, 8)):
        frame = frame_of(125, 41, shift, number)
        whole, banded = (
            engine.compute(run.replace(bands=n), frame, ("a", number))
            for engine, n in zip(engines, (1, 3), strict=True)
        )
        np.testing.assert_array_equal(banded.stored["disparity"], whole.stored["disparity"])


@pytest.mark.parametrize("paths", [4, 8, "sweeps"])
def test_slots_are_allocated_in_the_first_frame_only(
    monkeypatch: pytest.MonkeyPatch, paths: int | str
) -> None:
    params = SGM.params().changed(disparities=16, paths=paths)
    banded, whole = (prepare_in_bands(SGM, "cpu", params, 133, 61, count=n) for n in (3, 1))
    made: list[PathSlots] = []

    def noting(*shape: Any) -> PathSlots:
        made.append(slots := slots_of(*shape))
        return slots

    monkeypatch.setattr("wheatstone.gpu.cpu.path_aggregation.slots_of", noting)
    counts = []
    for shift in (5, 9):
        results = []
        for execution in (whole, banded):
            made.clear()
            execution.upload(**inputs_of(SGM, noise(133, 61, shift)))
            execution.run()
            results.append(execution.download("disparity"))
        np.testing.assert_array_equal(results[0], results[1])
        counts.append(len(made))
    assert counts == [banded.bands + 1, 0]
    assert isinstance(banded, HandedExecution)


def test_values_of_each_disparity_are_not_kept_in_bands() -> None:
    execution = prepare_in_bands(SGM, "cpu", SGM.params(), 90, 50, ("sums",), count=2)
    assert execution.keeps("disparity") and not execution.keeps("sums")
    assert (execution.bands, execution.separate_bands, execution.computed_rows) == (2, 1, 45)


def test_variants_agree_to_the_bit_in_bands_that_overlap() -> None:
    views, keep = noise(325, 41), ["confidence", "invalid_reason"]
    params: dict[str, Any] = {"disparities": 16, "keep": keep, "bands": 2}
    params["search"] = "hierarchical"
    one, other = (Run("sgm", variant=v, **params)(*views.values()) for v in ("reference", "cpu"))
    assert one.division and other.division
    for name in ("disparity", *keep):
        np.testing.assert_array_equal(one.stored[name], other.stored[name])


def test_a_sequence_in_bands_remembers_every_band() -> None:
    params: dict[str, Any] = {"disparities": 16, "temporal_alpha": 0.4, "temporal_delta": 9.0}
    run = Run("sgm", variant="cpu", search="hierarchical", **params)
    frames = [frame_of(325, 41, shift, index) for index, shift in enumerate((5, 6, 8))]
    engine, whole = Engine(kept=1), by_hand_in_order(run, frames)
    for number, frame in enumerate(frames):
        banded = engine.compute(run.replace(bands=2), frame, ("a", number))
        np.testing.assert_array_equal(banded.stored["disparity"], whole[number])


def by_hand_in_order(run: Run, frames: list[Frame]) -> list[NDArray[Any]]:
    """Compute a sequence band by band, each with an engine of its own."""
    rows, parts = band_height(325, 2), []
    for begin, first, end in bands_of(325, 2):
        engine = Engine(kept=1)
        bands = []
        for frame in frames:
            assert frame.right is not None
            of_band = slice(begin, begin + rows)
            bands.append(Frame(frame.left[of_band], frame.right[of_band], frame.index))
        stored = [engine.compute(run, b, ("a", i)).stored["disparity"] for i, b in enumerate(bands)]
        parts.append([each[first - begin : end - begin] for each in stored])
    return [np.concatenate(of_frame) for of_frame in zip(*parts, strict=True)]


RECTIFYING = with_rectification(SGM)


def rectifying_inputs(height: int, width: int) -> dict[str, NDArray[Any]]:
    """Make the inputs of a rectifying pipeline, with maps that lead out of the views."""
    random = np.random.default_rng(3)
    maps = {
        name: random.integers(-300, 300, (height, width, 2)).astype(np.int16)
        for name in ("left", "right")
    }
    return inputs_of(RECTIFYING, noise(height, width), maps)


@pytest.mark.parametrize("variant", ["cpu", "reference"])
def test_views_are_rectified_as_a_whole_and_then_computed_in_bands(variant: str) -> None:
    height, width, wanted = 325, 41, ("rectified_left", "invalid_reason")
    params = SGM.params().changed(disparities=16, search="hierarchical")
    inputs = rectifying_inputs(height, width)
    whole = prepare(RECTIFYING, variant, params, height, width, wanted)
    whole.upload(**inputs)
    whole.run()
    views = {name: whole.download(name) for name in ("left", "right")}
    rows, (first, second) = band_height(height, 2), bands_of(height, 2)
    banded = prepare_in_bands(RECTIFYING, variant, params, height, width, wanted, count=2)
    assert banded.bands == 2 and banded.inputs_read == set(RECTIFYING.inputs) - {"camera"}
    banded.upload(**inputs)
    done = list[int]()
    banded.run(after=done.append)
    assert done == list(range(1, len(banded.steps) + 1))
    np.testing.assert_array_equal(
        banded.download("rectified_left"), whole.download("rectified_left")
    )
    tail = prepare(after_rectification(RECTIFYING), variant, params, rows, width, wanted)
    for begin, top, bottom in (first, second):
        part = slice(begin, begin + rows)
        maps = {name: inputs[name][part] for name in ("left_map", "right_map")}
        tail.upload(**{name: view[part] for name, view in views.items()}, **maps)
        tail.run()
        for name in ("disparity", "invalid_reason"):
            expected = tail.download(name)[top - begin : bottom - begin]
            np.testing.assert_array_equal(banded.download(name)[top:bottom], expected)
    assert np.count_nonzero(banded.download("invalid_reason") == 1)
    assert (
        Planner(Setup(RECTIFYING, RECTIFYING.variant(variant), params, height, width), wanted)
        .plan(2)
        .nbytes
        == banded.nbytes
    )


@pytest.mark.parametrize("variant", ["cpu", "reference"])
def test_views_are_rectified_once_where_costs_are_handed_over(variant: str) -> None:
    height, width, wanted = 95, 41, ("rectified_left", "invalid_reason")
    params, inputs = SGM.params().changed(disparities=16), rectifying_inputs(height, width)
    whole, banded = (
        prepare_in_bands(RECTIFYING, variant, params, height, width, wanted, count=n)
        for n in (1, 3)
    )
    for execution in (whole, banded):
        execution.upload(**inputs)
        execution.run()
    for name in ("disparity", *wanted):
        np.testing.assert_array_equal(banded.download(name), whole.download(name))


def test_a_wall_without_texture_is_the_same_in_bands() -> None:
    frame = Scene("bare-wall", 0, (320, 240)).first()
    run = Run("sgm", variant="cpu", disparities=32)
    whole, banded = (run.replace(bands=n)(frame).stored["disparity"] for n in (1, 4))
    np.testing.assert_array_equal(banded, whole)


def planner(variant: str, disparities: int, height: int, width: int) -> Planner:
    params = SGM.params().changed(disparities=disparities)
    return Planner(Setup(SGM, SGM.variant(variant), params, height, width))


@pytest.mark.parametrize("variant", [v.name for v in SGM.variants if not v.peer])
def test_100_megapixels_with_512_disparities_fit_into_24_gb(variant: str) -> None:
    plan = planner(variant, 512, 8736, 11648).fitting(24 * GIGABYTE)
    assert plan.nbytes <= SHARE * 24 * GIGABYTE and plan.bands > 1
    larger = planner(variant, 512, 8736, 11648).plan(plan.bands - 1)
    assert larger.nbytes > SHARE * 24 * GIGABYTE


def test_what_fits_is_computed_as_a_whole() -> None:
    plans = planner("cpu", 64, 1080, 1920)
    whole = plans.plan(1)
    assert plans.fitting(None) == plans.fitting(whole.nbytes) == whole
    assert plans.fitting(whole.nbytes - 1).bands > 1


@pytest.mark.parametrize("variant", ["cpu", "reference"])
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("search", ["full", "hierarchical"])
def test_the_memory_planned_is_the_memory_taken(variant: str, count: int, search: str) -> None:
    params = SGM.params().changed(disparities=16, search=search)
    wanted = ("confidence",)
    planned = Planner(Setup(SGM, SGM.variant(variant), params, 700, 50), wanted).plan(count)
    execution = prepare_in_bands(SGM, variant, params, 700, 50, wanted, count=count)
    taken = sum(array.nbytes for array in execution.images.values())
    if isinstance(execution, HandedExecution):
        handed = execution.setup.handing
        taken += handed.nbytes(execution.setup, execution.bands)
    if isinstance(execution, BandedExecution):
        band = prepare(SGM, variant, params, execution.computed_rows, 50, wanted)
        taken += sum(array.nbytes for array in band.images.values())
    assert planned.nbytes == execution.nbytes == taken


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Return a function that sets the bytes of free memory."""
    free = [10**12]
    monkeypatch.setattr(HostDevice, "free_bytes", lambda device: free[0])
    yield lambda nbytes: free.__setitem__(0, nbytes)


def test_bands_are_chosen_from_the_free_memory(little_memory: Callable[[int], None]) -> None:
    run, frame = Run("sgm", variant="cpu", disparities=16), frame_of(900, 50)
    three = planner("cpu", 16, 900, 50).plan(3).nbytes
    little_memory(three * 2)
    assert not Engine().compute(run, frame).division
    little_memory(int(three / SHARE) + 1)
    assert Engine().compute(run, frame).division.startswith("in 3 bands of 300 rows, ")


def test_processes_share_the_memory_of_the_host(
    little_memory: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    little_memory(planner("cpu", 16, 900, 50).plan(1).nbytes)
    params = SGM.params().changed(disparities=16)
    assert prepare_in_bands(SGM, "cpu", params, 900, 50).bands == 1
    monkeypatch.setenv(MEMORY_SHARERS, "2")
    assert prepare_in_bands(SGM, "cpu", params, 900, 50).bands > 2


def test_what_does_not_fit_in_the_smallest_bands_is_refused(
    little_memory: Callable[[int], None],
) -> None:
    little_memory(10**6)
    words = r"sgm/cpu at 400x900 in \d+ bands of \d+ rows needs 0.0 GB of memory, 0.0 GB are free"
    with pytest.raises(Unavailable, match=words):
        prepare_in_bands(SGM, "cpu", SGM.params(), 900, 400)


def test_bands_are_refused_where_rows_depend_on_the_whole_image() -> None:
    with pytest.raises(ValueError, match="canny is not computed in bands of rows"):
        Run("canny", variant="cpu", bands=2)(noise(400, 50)["left"])
    with pytest.raises(ValueError, match=r"1 to 1024 \(got '3'\)"):
        Run("sgm", "cpu", bands="3")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"1 to 1024 \(got 0\)"):
        Run("sgm", bands=0)


def test_a_run_with_bands_is_written_and_read() -> None:
    run = Run("sgm", variant="cpu", bands=3)
    assert Run.from_toml(run.to_toml()) == run != Run("sgm", variant="cpu")
    assert run.replace(disparities=32).bands == 3


def test_a_stopped_engine_gives_up_after_the_current_step(monkeypatch: pytest.MonkeyPatch) -> None:
    run, seen = Run("sgm", variant="cpu", disparities=16, bands=2), list[tuple[str, float]]()

    def tell(words: str, share: float) -> None:
        seen.append((words, share))
        if words == "computing band 2 of 2":
            monkeypatch.setattr(shared_engine(), "stopped", True)

    with pytest.raises(CancelledError), telling_bands(tell):
        run(*noise(437, 60).values())
    assert seen[0][0] == "computing band 1 of 2" and 0.5 <= seen[-1][1] < 0.7


def test_an_error_in_the_main_thread_stops_the_bands_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, begun = Run("sgm", variant="cpu", disparities=16, bands=2), threading.Event()

    def compute(job: str) -> str:
        with pytest.raises(CancelledError):
            run(*noise(437, 60).values())
        return job

    def interrupted(*words: Any, **more: Any) -> None:
        assert begun.wait(PATIENCE)
        raise KeyboardInterrupt

    def tell(words: str, share: float) -> None:
        begun.set()
        while not shared_engine().stopped:
            time.sleep(0.001)

    monkeypatch.setattr(carry, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt), telling_bands(tell):
        list(carry.by_threads(["a", "b"], compute, 1))
    assert run(*noise(437, 60).values()).division


def test_verbs_and_the_api_write_the_same_bytes(tmp_path: Path) -> None:
    from wheatstone.viewer.io.files.png_file import encode_png

    for name, view in noise(437, 60).items():
        (tmp_path / f"{name}.png").write_bytes(encode_png(view))
    left, right = str(tmp_path / "left.png"), str(tmp_path / "right.png")
    words = ["--variant", "cpu", "--disparities", "16", "--bands", "3"]
    out, folder = tmp_path / "render.npy", tmp_path / "batch"
    assert main(["render", left, right, *words, "--values", str(out)]) == 0
    assert main(["batch", left, "--out", str(folder), "--values", "npy", *words]) == 0
    run = Run("sgm", variant="cpu", disparities=16, bands=3)
    run(noise(437, 60)["left"], noise(437, 60)["right"]).save(tmp_path / "api.npy")
    assert out.read_bytes() == (folder / "disparity/left.npy").read_bytes()
    assert out.read_bytes() == (tmp_path / "api.npy").read_bytes()
    (row,) = json.loads((folder / "summary.json").read_text())["pairs"]
    assert "computed in 3 bands of 146 rows" in row["warnings"]
