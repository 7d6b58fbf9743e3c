"""What only the CPU implementations can get wrong: lanes, strips of several cores, saturation."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from gpu.cpu import cores, path_aggregation
from gpu.cpu.lanes import (
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
from gpu.execution import prepare
from gpu.parameters import controls, defaults
from gpu.pipelines.sgm import SGM, SgmParams

Gray = NDArray[np.uint8]
KEPT = ("cost", "sums", "refined", "disparity")


def results(variant: str, params: SgmParams, left: Gray, right: Gray) -> dict[str, NDArray[Any]]:
    """The images that variant ``cpu`` keeps."""
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
    params = SgmParams(cost="absolute", p1=1023, p2=4095, p2_adaptation=adaptation)
    assert_same(params, left, right)


@pytest.mark.parametrize("core_count", [1, 2, 5])
@pytest.mark.parametrize("paths", [4, 8])
def test_the_number_of_cores_does_not_show(
    core_count: int, paths: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_aggregation, "core_count", lambda: core_count)
    monkeypatch.setattr(path_aggregation, "BAND", 3)
    random = np.random.default_rng(core_count)
    left, right = random.integers(0, 256, (2, 41, 67), dtype=np.uint8)
    assert_same(SgmParams(disparities=32, paths=paths), left, right)


def drawn(random: np.random.Generator) -> SgmParams:
    """Random parameters, each at a bound or its default more often than elsewhere."""
    values: dict[str, Any] = {}
    for name, control in controls(SgmParams).items():
        anywhere = int(random.integers(int(control.low), int(control.high) + 1))
        usual = (control.low, control.high, defaults(SgmParams)[name], anywhere)
        allowed = control.choices or usual
        values[name] = allowed[int(random.integers(len(allowed)))]
    values["disparities"] = int(random.choice([16, 32, 48, 112, 512], p=[0.4, 0.3, 0.1, 0.1, 0.1]))
    values["p1"], values["p2"] = sorted((values["p1"], values["p2"]))
    return SgmParams(**values)


@pytest.mark.parametrize("seed", range(150))
def test_any_parameters_at_any_size_give_the_reference(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_aggregation, "BAND", 4)
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
    assert peak < 1e6


def test_a_failing_call_is_reported() -> None:
    def fail() -> None:
        raise ValueError("no such row")

    with pytest.raises(ValueError, match="no such row"):
        cores.on_all_cores([fail] * 3)
