"""What only the CPU implementations can get wrong: lanes, sharing among threads, saturation."""

import threading
import time
import tracemalloc
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import config, njit
from numpy.typing import NDArray

from wheatstone.gpu.cpu import cores, path_aggregation
from wheatstone.gpu.cpu.cores import core_count
from wheatstone.gpu.cpu.counters import increment, wait_until
from wheatstone.gpu.cpu.lanes import (
    count_up,
    distance,
    less,
    load,
    minimum,
    smallest,
    splat,
    store,
    total,
    where,
)
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.parameters import controls, defaults
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams

Gray = NDArray[np.uint8]
KEPT = ("cost", "sums", "refined", "disparity")


def results(variant: str, params: SgmParams, left: Gray, right: Gray) -> dict[str, NDArray[Any]]:
    execution = prepare(SGM, variant, params, *left.shape)
    execution.upload(left=left, right=right)
    execution.run()
    return {name: execution.download(name) for name in KEPT}


def assert_same(params: SgmParams, left: Gray, right: Gray) -> None:
    ours, reference = (results(v, params, left, right) for v in ("cpu", "reference"))
    for name in KEPT:
        np.testing.assert_array_equal(ours[name], reference[name], err_msg=f"{name}, {params}")


@njit
def _lane_by_lane(
    bytes_: Gray, shorts: NDArray[np.uint16], words: NDArray[np.uint32], out: NDArray[np.uint16]
) -> Any:
    wide, here = load(bytes_, 1), load(shorts, 3)
    store(out, 0, wide + here)
    store(out, 16, here - wide)
    store(out, 32, minimum(wide, here))
    store(out, 48, where(less(here, wide), count_up(), splat(-1)))
    store(out, 64, distance(words, 2, np.uint32(0x80000001)))
    store(out, 80, distance(bytes_, 1, np.uint8(100)))
    store(bytes_, 0, here)
    return smallest(here), total(count_up())


def test_lanes_compute_what_numpy_computes() -> None:
    random = np.random.default_rng(2)
    levels = random.integers(0, 256, 17, dtype=np.uint8)
    shorts = random.integers(0, 65536, 19, dtype=np.uint16)
    shorts[5] = 3
    words = random.integers(0, 2**32, 18, dtype=np.uint32)
    wide, here = levels[1:].astype(np.uint16), shorts[3:]
    out = np.empty(96, np.uint16)
    assert _lane_by_lane(levels, shorts, words, out) == (here.min(), 120)
    expected = (
        wide + here,
        here - wide,
        np.minimum(wide, here),
        np.where(here < wide, np.arange(16), 0xFFFF),
        np.bitwise_count(words[2:] ^ np.uint32(0x80000001)),
        np.abs(wide.astype(int) - 100),
    )
    np.testing.assert_array_equal(out, np.concatenate(expected))
    np.testing.assert_array_equal(levels[:16], here.astype(np.uint8))


@pytest.mark.parametrize("adaptation", ["none", "divide", "soft"])
def test_the_largest_costs_and_penalties_stay_within_16_bits(adaptation: str) -> None:
    left, right = np.zeros((19, 83), np.uint8), np.full((19, 83), 255, np.uint8)
    left[::2, ::3] = 255
    params = SgmParams(paths=8, cost="absolute", p1=1023, p2=4095, p2_adaptation=adaptation)
    assert_same(params, left, right)


def use_cores(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(cores, "core_count", lambda: count)
    monkeypatch.setattr(path_aggregation, "core_count", lambda: count)
    for name in ("COLUMNS", "PIXELS"):
        monkeypatch.setattr(path_aggregation, name, 1)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 16, 64])
@pytest.mark.parametrize("paths", [4, 8, "sweeps"])
@pytest.mark.parametrize("bands", [(1, 2), (3, 3), (5, 32)])
def test_the_number_of_cores_does_not_show(
    count: int, paths: int | str, bands: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_cores(monkeypatch, count)
    monkeypatch.setattr(path_aggregation, "LOWEST", bands[0])
    monkeypatch.setattr(path_aggregation, "HIGHEST", bands[1])
    random = np.random.default_rng(count)
    left, right = random.integers(0, 256, (2, 41, 67), dtype=np.uint8)
    assert_same(SgmParams(disparities=32, paths=paths), left, right)


def one_call(calls: Sequence[Callable[[], None]]) -> None:
    calls[0]()


def one_after_another(calls: Sequence[Callable[[], None]]) -> None:
    for call in calls:
        call()


@pytest.mark.parametrize("come", [one_call, one_after_another])
def test_a_sweep_ends_when_other_workers_never_come_or_come_late(
    come: Callable[[Sequence[Callable[[], None]]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_cores(monkeypatch, 5)
    monkeypatch.setattr(path_aggregation, "on_all_cores", come)
    left, right = np.random.default_rng(5).integers(0, 256, (2, 70, 170), dtype=np.uint8)
    assert_same(SgmParams(disparities=16, paths=8), left, right)
    assert_same(SgmParams(disparities=16, paths="sweeps"), left, right)


def test_frames_of_several_threads_do_not_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    use_cores(monkeypatch, 3)
    params = SgmParams(disparities=16, paths=8)
    pairs = np.random.default_rng(6).integers(0, 256, (4, 2, 60, 130), dtype=np.uint8)
    expected = [results("cpu", params, *pair)["sums"] for pair in pairs]
    with ThreadPoolExecutor(len(pairs)) as threads:
        for _ in range(5):
            result = threads.map(lambda pair: results("cpu", params, *pair)["sums"], pairs)
            np.testing.assert_array_equal(list(result), expected)


@njit(nogil=True)
def _meet(counters: NDArray[np.int64], places: NDArray[np.int64], rounds: int) -> None:
    for i in range(rounds):
        place = increment(counters, 0)
        places[place] += 1
        wait_until(counters, 0, 2 * (i + 1))


def test_threads_meet_at_a_counter() -> None:
    counters, places = np.zeros(1, np.int64), np.zeros(2000, np.int64)
    _meet(counters, places, 0)
    threads = [threading.Thread(target=_meet, args=(counters, places, 1000)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counters[0] == 2000
    assert np.all(places == 1)


def drawn(random: np.random.Generator) -> SgmParams:
    """Random parameters, each at a bound or its default more often than elsewhere."""
    values: dict[str, Any] = {}
    for name, control in controls(SgmParams).items():
        anywhere = int(random.integers(int(control.low), int(control.high) + 1))
        usual = (control.low, control.high, defaults(SgmParams)[name], anywhere)
        allowed = control.choices or usual
        values[name] = allowed[int(random.integers(len(allowed)))]
    values["disparities"] = int(random.choice([16, 32, 48, 112, 1024], p=[0.4, 0.3, 0.1, 0.1, 0.1]))
    for low, high in SgmParams.ordered:
        values[low], values[high] = sorted((values[low], values[high]))
    return SgmParams(**values)


@pytest.mark.parametrize("seed", range(150))
def test_any_parameters_at_any_size_give_the_reference(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_cores(monkeypatch, 2 + seed % 3)
    monkeypatch.setattr(path_aggregation, "LOWEST", 4)
    random = np.random.default_rng(seed)
    height, width = (int(random.choice([1, 2, 17, high])) for high in (37, 101))
    levels = int(random.choice([2, 16, 256]))  # few levels: many ties
    texture = random.integers(0, levels, (height, width + 5)) * (255 // (levels - 1))
    left, right = texture.astype(np.uint8)[:, :width], texture.astype(np.uint8)[:, 5:]
    assert_same(drawn(random), left, right)


@pytest.mark.parametrize("paths", [4, 8])
def test_a_frame_allocates_little(paths: int) -> None:
    left = np.random.default_rng(3).integers(0, 256, (480, 640), dtype=np.uint8)
    execution = prepare(SGM, "cpu", SgmParams(paths=paths), *left.shape)
    execution.upload(left=left, right=left)
    execution.run()
    tracemalloc.start()
    execution.run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5e5 * max(core_count(), 2)  # a core needs a few lines; a volume takes 20 MB


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_a_failing_call_is_reported_when_the_others_are_done(
    failing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = []

    def call(number: int) -> None:
        if number == failing:
            raise ValueError("no such row")
        time.sleep(0.02)
        done.append(number)

    monkeypatch.setattr(cores, "core_count", lambda: 3)
    with pytest.raises(ValueError, match="no such row"):
        cores.on_all_cores([partial(call, number) for number in range(3)])
    written = list(done)
    time.sleep(0.05)
    assert done == written


@pytest.mark.parametrize("count", [1, 2, 3, 7, 16, 64])
def test_shares_are_all_rows_once_and_no_more_calls_than_need_be(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cores, "core_count", lambda: count)
    for height in (*range(1, 300), 1080, 2160, 8192):
        listed = list(cores.shares(height))
        assert [row for rows in listed for row in range(*rows)] == list(range(height))
        rows = max(bottom - top for top, bottom in listed)
        assert rows == min(cores.share_rows(height), height) <= cores.MOST_ROWS
        rounds = -(-height // (cores.MOST_ROWS * count))
        assert len(listed) <= rounds * count


@pytest.mark.parametrize(
    ("text", "count"), [("max 100000", 8), ("250000 100000", 2), ("5000 100000", 1), (None, 8)]
)
def test_a_container_gets_as_many_threads_as_its_share_allows(
    text: str | None, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quota = tmp_path / "cpu.max"
    if text:
        quota.write_text(text + "\n")
    monkeypatch.setattr(cores, "QUOTA", quota)
    monkeypatch.setattr(config, "NUMBA_NUM_THREADS", 8)
    cores._quota.cache_clear()
    assert cores.core_count() == count
    cores._quota.cache_clear()
