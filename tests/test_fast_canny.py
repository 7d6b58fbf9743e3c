"""Variant ``fast`` of the edge detector gives the reference's bits, whatever it is asked."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.test_canny import blobs
from tests.test_parity import assert_same, params_of
from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.kernels import packed_filters
from wheatstone.gpu.kernels.packed_edges import as_compared
from wheatstone.gpu.kernels.packed_filters import packed_weights
from wheatstone.gpu.pipelines.canny import CANNY, CannyParams
from wheatstone.gpu.pipelines.canny.params import GAIN
from wheatstone.gpu.steps import active_stages, on_demand

FAST = CANNY.variant("fast")
LAUNCHES = ["packed_edges", "packed_seams", "packed_hysteresis"]


def picture(height: int, width: int, kind: str, seed: int) -> NDArray[np.uint8]:
    noise = np.random.default_rng(seed).integers(0, 256, (height, width), np.uint8)
    if kind == "levels":
        return (noise // 64 * 64).astype(np.uint8)
    if kind == "extremes":
        return np.where(noise < 128, 0, 255).astype(np.uint8)
    return blobs(height, width, seed) if kind == "shapes" else noise


KINDS = ("noise", "levels", "extremes", "shapes")


def random_params(pick: random.Random) -> CannyParams:
    aperture = pick.choice((3, 3, 5, 7))
    low, more = pick.choice((0, 1, 20, 50, 200, 400)), pick.choice((0, 30, 100, 400, 1000))
    gain = GAIN[aperture]
    return CannyParams(
        sigma=pick.choice((0.0, 0.0, 0.1, 0.5, 1.0, 1.4, 3.3, 6.0)),
        low=min(low * gain, 32767),
        high=min((low + more) * gain, 32767),
        norm=pick.choice(("l1", "l2")),
        aperture=aperture,
        thresholds=pick.choice(("manual",) * 6 + ("median", "otsu", "quantile")),
    )


def assert_alike(params: CannyParams, image: NDArray[np.uint8]) -> None:
    wanted, (height, width) = on_demand(CANNY, FAST), image.shape
    ours = prepare(CANNY, "fast", params, height, width, wanted)
    theirs = prepare(CANNY, "cpu", params, height, width)
    for execution in (ours, theirs):
        execution.upload(left=image)
        execution.run()
    for name in (*wanted, "edges"):
        if theirs.keeps(name):
            assert np.array_equal(ours.download(name), theirs.download(name)), (name, params)


@pytest.mark.parametrize("width", range(1, 71))
@pytest.mark.usefixtures("emulation")
def test_emulated_fast_equals_reference_at_every_small_width(width: int) -> None:
    pick, kind = random.Random(width), KINDS[width % len(KINDS)]
    height = pick.randint(1, 70)
    assert_alike(random_params(pick), picture(height, width, kind, width))


@pytest.mark.parametrize("width", [1900, 1911, 1919, 1920, 1921, 1928, 1930])
@pytest.mark.usefixtures("emulation")
def test_emulated_fast_equals_reference_at_large_widths(width: int) -> None:
    pick = random.Random(width)
    for kind in ("noise", "shapes"):
        assert_alike(random_params(pick), picture(pick.randint(1, 40), width, kind, width))


@pytest.mark.parametrize("aperture", GAIN)
@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.usefixtures("emulation")
def test_emulated_seeds_equal_the_references(norm: str, aperture: int) -> None:
    for kind in KINDS:
        for low, high in ((0, 0), (3, 40), (200, 600), (2040, 2041)):
            gain = GAIN[aperture]
            low, high = min(low * gain, 32767), min(high * gain, 32767)
            params = CannyParams(sigma=0.0, low=low, high=high, norm=norm, aperture=aperture)
            size = (13, 264) if low % 3 else (30, 61)
            assert_alike(params, picture(*size, kind, low))


@pytest.mark.usefixtures("emulation")
def test_emulated_fast_equals_reference_with_any_parameters() -> None:
    runs = settings(
        max_examples=30,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )

    @runs
    @given(
        params=params_of(CANNY),
        size=st.tuples(st.integers(1, 45), st.integers(1, 70)),
        kind=st.sampled_from(("noise", "extremes")),
    )
    def check(params: CannyParams, size: tuple[int, int], kind: str) -> None:
        assert_same(CANNY, FAST, params, *size, kind)

    check()


@pytest.mark.usefixtures("emulation")
def test_emulated_blur_equals_reference_at_every_radius() -> None:
    for tenths in range(1, 61):
        params = CannyParams(sigma=tenths / 10, low=5, high=9)
        height, width = 1 + 7 * tenths % 40, 1 + 13 * tenths % 150
        assert_alike(params, picture(height, width, "noise", tenths))


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("large", [1, packed_filters.LARGE])
@pytest.mark.parametrize("width", [8, 12, 116, 120, 124, 128, 240, 244])
def test_emulated_narrow_blur_equals_reference(
    width: int, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_filters, "LARGE", large)
    for seed, sigma in enumerate((0.3, 0.5, 0.6, 0.7, 0.9, 1.0, 1.2, 1.4)):
        assert packed_filters.fits_narrow(8, width, packed_weights(sigma)[0])
        params = CannyParams(sigma=sigma, low=5, high=9)
        height = (8, 42, 9, 52)[seed % 4]
        assert_alike(params, picture(height, width, "extremes", seed))


def test_weights_of_the_blur_fit_bytes_and_keep_their_sum() -> None:
    for hundredths in range(10, 601):
        radius, bits, *packed = packed_weights(hundredths / 100)
        row = np.array(packed, np.int32).view(np.uint8).astype(int)
        assert (2 * row.sum() - row[0]) ** 2 == 1 << bits
        assert not row[radius + 1 :].any()
    assert packed_weights(0.1)[:2] == (0, 14)


def test_thresholds_are_compared_as_roots_and_sixteenths() -> None:
    for threshold in (0, 1, 15, 16, 17, 255, 1441, 32767):
        squares = np.arange(5000, dtype=np.int64)
        for aperture, unit in ((3, 1), (7, 16)):
            above = unit**2 * squares > threshold**2
            assert np.array_equal(squares > as_compared(threshold, "l2", aperture), above)
        assert np.array_equal(squares > as_compared(threshold, "l1", 7), 16 * squares > threshold)
    halves = np.array([as_compared(t, "l1", 3) for t in (0, 1, 2040, 32767)], np.uint32)
    assert halves.view(np.float16).reshape(-1, 2).tolist() == [[t] * 2 for t in (0, 1, 2040, 2047)]


@pytest.mark.parametrize(
    ("changes", "wanted", "launched"),
    [
        ({"sigma": 0.0}, (), LAUNCHES),
        ({}, (), ["packed_gaussian", *LAUNCHES]),
        ({"sigma": 0.0}, ("strength",), [*LAUNCHES, "packed_strength"]),
        ({"sigma": 0.0}, ("magnitude",), [LAUNCHES[0], "gradient", *LAUNCHES[1:]]),
        ({"convention": "aveiro-2015"}, ("smoothed",), None),
        (
            {"sigma": 0.0, "thresholds": "otsu"},
            (),
            [
                "gradient",
                "non_maximum_suppression",
                "automatic_thresholds",
                "packed_seeds",
                "packed_tiles",
                *LAUNCHES[1:],
            ],
        ),
    ],
)
def test_a_frame_takes_three_launches_and_what_is_looked_at(
    changes: dict[str, Any], wanted: tuple[str, ...], launched: list[str] | None
) -> None:
    params = CannyParams(**changes)
    names = [stage.name for stage in active_stages(CANNY, FAST, params, wanted)]
    assert launched is None or names == launched
    plain = [stage.name for stage in active_stages(CANNY, FAST, params)]
    assert plain == [name for name in names if name in plain]


@pytest.mark.parametrize("view", CANNY.views, ids=lambda view: view.name)
@pytest.mark.parametrize("convention", ["opencv", "aveiro-2025"])
@pytest.mark.usefixtures("emulation")
def test_every_view_has_its_images(convention: str, view: Any) -> None:
    params = CannyParams(convention=convention, low=10, high=50)
    execution = prepare(CANNY, "fast", params, 40, 50, view.panes)
    assert all(execution.keeps(name) for name in view.panes)


@pytest.mark.usefixtures("emulation")
def test_emulated_frames_do_not_remember_each_other() -> None:
    params = CannyParams(sigma=0.0, low=60, high=700, norm="l1")
    execution = prepare(CANNY, "fast", params, 150, 170)
    for seed, kind in enumerate(("noise", "shapes", "levels", "noise", "extremes")):
        image = picture(150, 170, kind, seed)
        execution.upload(left=image)
        execution.run()
        expected = compute(CANNY, "cpu", params, left=image)
        assert np.array_equal(execution.download("edges"), expected)


@pytest.mark.cuda
@pytest.mark.spread
@pytest.mark.parametrize("tens", range(20))
def test_fast_equals_cpu_in_hundreds_of_random_cases(tens: int) -> None:
    for seed in range(20 * tens, 20 * tens + 20):
        pick = random.Random(seed)
        height, width = pick.randint(1, 700), pick.choice((pick.randint(1, 700), 32 * (1 + seed)))
        assert_alike(random_params(pick), picture(height, width, pick.choice(KINDS), seed))


@pytest.mark.cuda
@pytest.mark.parametrize("width", [*range(1, 71), *range(1900, 1931)])
def test_fast_equals_cpu_at_every_width(width: int) -> None:
    pick = random.Random(width)
    for kind in KINDS:
        assert_alike(random_params(pick), picture(pick.randint(1, 200), width, kind, width))
