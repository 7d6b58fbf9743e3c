"""What the published conventions make of one disparity, worked out by hand."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.analysis.conventions import (
    CONVENTIONS,
    ETH3D,
    KITTI,
    MEASURES,
    MIDDLEBURY,
    WHEATSTONE,
    Convention,
    filled_from_background,
    measures,
)

NAN, INF = math.nan, math.inf

# 2 x 6 pixels, truth 10 but for one that is unknown. The second row is not seen by both views.
TRUTH = np.full((2, 6), 10, np.float32)
TRUTH[0, 5] = INF
SEEN = np.array([[True] * 6, [False] * 6])
# Errors of the first row: 0, 0.75, none, 3.5, 25 (of -15), unknown; of the second: 1, 5, 4 x 0.
DISPARITY = np.array([[10, 10.75, NAN, 13.5, -15, 10], [11, 15, 10, 10, 10, 10]], np.float32)
LARGEST = 15


def judge(convention: Convention, region: str | None = None) -> dict[str, float]:
    mask = convention.judged(TRUTH, SEEN, region)  # type: ignore[arg-type]
    return measures(convention, DISPARITY, TRUTH, mask, LARGEST)


def expect(values: dict[str, float], **expected: float) -> None:
    names = {"bad_half": "bad-0.5", "average": "average error"}
    for key, value in expected.items():
        name = names.get(key, key.replace("bad", "bad-"))
        assert values[name] == pytest.approx(value, rel=1e-6), name


def test_middlebury_clips_to_the_range_and_counts_a_missing_result_as_bad() -> None:
    # 5 pixels: 0, 0.75, missing, 3.5, and -15 clipped to 0: 10.
    verdict = judge(MIDDLEBURY)
    expect(verdict, bad_half=80, bad1=60, bad2=60, bad4=40, D1=60, density=80)
    expect(verdict, average=14.25 / 4, RMS=math.sqrt((0.75**2 + 3.5**2 + 100) / 4))
    expect(verdict, A50=3.5, A90=10, A95=10, A99=10)


def test_eth3d_judges_only_pixels_with_a_result_no_wider_than_the_image() -> None:
    # The image is 6 wide: 10 and more is no result. With 1/10 of all, the same errors relatively.
    disparity, truth = DISPARITY / 10, TRUTH / 10
    mask = ETH3D.judged(truth, SEEN)
    values = measures(ETH3D, disparity, truth, mask, 1)
    # 4 of 5 pixels: 0, 0.075, 0.35, 2.5.
    expect(values, bad_half=25, bad1=25, bad2=25, bad4=0, D1=0, density=80)
    expect(values, average=2.925 / 4, A50=0.35, A99=2.5)
    assert measures(ETH3D, DISPARITY, TRUTH, mask, LARGEST)["density"] == 0


def test_kitti_fills_holes_and_judges_all_known_pixels() -> None:
    # 11 pixels. -15 is no result; it and the missing one become min(10.75, 13.5) and min(13.5, 10).
    # Errors: 0, 0.75, 0.75, 3.5, 0 and 1, 5, 0, 0, 0, 0.
    verdict = judge(KITTI)
    expect(verdict, bad_half=500 / 11, bad1=200 / 11, bad2=200 / 11, bad4=100 / 11)
    expect(verdict, D1=200 / 11, density=900 / 11, average=1, A50=0, A90=3.5, A95=5, A99=5)
    expect(verdict, RMS=math.sqrt((0.75**2 * 2 + 3.5**2 + 1 + 25) / 11))


def test_d1_needs_three_pixels_and_five_percent() -> None:
    truth = np.array([[100, 100, 50, 10]], np.float32)
    disparity = np.array([[104, 106, 53.5, 13]], np.float32)  # 4 %; 6 %; 3.5 px and 7 %; 3 px
    values = measures(KITTI, disparity, truth, np.ones((1, 4), bool), 200)
    assert values["D1"] == 50


def test_our_own_pages_leave_out_a_border() -> None:
    truth = np.zeros((21, 25), np.float32)
    mask = WHEATSTONE.judged(truth, np.ones((21, 25), bool))
    assert mask.sum() == 5 and mask[10, 10:15].all()


@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=CONVENTIONS)
def test_the_region_may_be_chosen(convention: Convention) -> None:
    truth, seen = np.zeros((30, 30), np.float32), np.zeros((30, 30), bool)
    truth[15, 15] = NAN
    seen[15, 14:18] = True
    known = (30 - 2 * convention.border) ** 2 - 1
    assert convention.judged(truth, seen, "seen").sum() == 3
    assert convention.judged(truth, seen, "known").sum() == known


@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=CONVENTIONS)
def test_all_is_bad_without_any_result(convention: Convention) -> None:
    truth, nothing = np.zeros((30, 30), np.float32), np.full((30, 30), NAN, np.float32)
    values = measures(convention, nothing, truth, convention.judged(truth, truth == 0), 63)
    assert list(values) == list(MEASURES)
    assert (values["bad-4"], values["D1"], values["density"]) == (100, 100, 0)
    assert math.isnan(values["average error"]) and math.isnan(values["A50"])


def filled(rows: list[list[float]]) -> NDArray[np.float64]:
    return np.asarray(filled_from_background(np.array(rows)), np.float64)


def test_a_hole_takes_the_smaller_neighbour_of_its_row_or_the_only_one() -> None:
    assert filled([[NAN, 5, NAN, NAN, 3, NAN]]).tolist() == [[5, 5, 3, 3, 3, 3]]


def test_rows_without_results_take_the_first_and_last_that_have_some_but_not_in_between() -> None:
    empty = [NAN, NAN]
    expected = np.array([[1, 1], [1, 1], empty, [2, 2], [2, 2]])
    result = filled([empty, [1, NAN], empty, [NAN, 2], empty])
    assert np.array_equal(result, expected, equal_nan=True)
    assert np.isnan(filled([empty, empty])).all()


def judged_pixel_by_pixel(
    name: str, disparity: NDArray[np.float32], truth: NDArray[np.float32], seen: NDArray[np.bool_]
) -> dict[str, float]:
    height, width = truth.shape
    errors, relative, missing = [], [], 0
    for y in range(height):
        row = [float(d) for d in disparity[y]]
        for x in range(width):
            d, true = row[x], float(truth[y, x])
            if not math.isfinite(true) or (name != "kitti" and not seen[y, x]):
                continue
            if name == "middlebury" and math.isfinite(d):
                d = max(0.0, min(float(LARGEST), d))
            if name == "eth3d" and not abs(d) <= width:
                d = NAN
            if name == "kitti" and not 0 <= d < INF:
                valid = [i for i in range(width) if 0 <= row[i] < INF]
                before = max((i for i in valid if i < x), default=None)
                after = min((i for i in valid if i > x), default=None)
                missing += 1
                d = min(row[i] for i in (before, after) if i is not None)
            if math.isfinite(d):
                errors.append(abs(d - true))
                relative.append(abs(d - true) / abs(true))
            else:
                missing += 1
    filled = name == "kitti"
    judged = len(errors) + (0 if filled else missing)
    lacking = missing if name == "middlebury" else 0
    total = judged if name != "eth3d" else len(errors)
    errors_sorted = sorted(errors)
    wrong = sum(e > 3 and r > 0.05 for e, r in zip(errors, relative, strict=True)) + lacking
    return {
        **{
            f"bad-{limit:g}": 100 * (sum(e > limit for e in errors) + lacking) / total
            for limit in (0.5, 1, 2, 4)
        },
        "D1": 100 * wrong / total,
        "average error": sum(errors) / len(errors),
        "RMS": math.sqrt(sum(e * e for e in errors) / len(errors)),
        **{f"A{q}": errors_sorted[len(errors) * q // 100] for q in (50, 90, 95, 99)},
        "density": 100 * (judged - missing) / judged,
    }


@pytest.mark.parametrize("name", ["middlebury", "eth3d", "kitti"])
@pytest.mark.parametrize("seed", range(5))
def test_the_measures_are_those_that_a_benchmark_counts_pixel_by_pixel(
    name: str, seed: int
) -> None:
    random = np.random.default_rng(seed)
    truth = (random.integers(16, 12 * 16, (6, 9)) / 16).astype(np.float32)
    disparity = truth + random.choice([0, 0.25, 0.5, -0.75, 1, 2, 3, -3.25, 4, 9], (6, 9))
    disparity[random.random((6, 9)) < 0.2] = NAN
    disparity[:, 4] = truth[:, 4]  # every row has a result
    disparity[2, 1], truth[random.random((6, 9)) < 0.1] = -2, NAN
    seen = random.random((6, 9)) < 0.7
    estimate = disparity.astype(np.float32)
    convention = CONVENTIONS[name]
    values = measures(convention, estimate, truth, convention.judged(truth, seen), LARGEST)
    expected = judged_pixel_by_pixel(name, estimate, truth, seen)
    assert {key: pytest.approx(value, rel=1e-6) for key, value in expected.items()} == values
