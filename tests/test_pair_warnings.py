"""Warnings about pairs whose result is wrong or empty: render, batch and evaluate print them."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.batch_runs import rows
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.findings import Finding
from wheatstone.viewer.io.cameras.rows import RowError
from wheatstone.viewer.io.sources.disparity_survey import (
    DisparitySurvey,
    pair_warnings,
    survey_disparities,
)
from wheatstone.viewer.io.sources.layouts import exchange_of

Grey = NDArray[np.uint8]
LEVEL, APART = RowError(100, 0.1), RowError(100, 3.0)
RANGE = 0, 64


def shifted(by: int, width: int = 300, height: int = 96) -> tuple[Grey, Grey]:
    wide = np.random.default_rng(1).integers(0, 256, (height, width + by), np.uint8)
    return wide[:, :width], wide[:, by:]


def kind_of(left: Grey, right: Grey, row_error: RowError = LEVEL, exchange: str = "") -> str:
    result = pair_warnings(row_error, survey_disparities(left, right), RANGE, exchange)
    names = [each.name for each in result if isinstance(each, Finding)]
    assert len(names) == len(result) < 2
    return "".join(names)


def test_a_pair_has_the_one_warning_that_explains_it() -> None:
    near, far = shifted(20), shifted(80)
    blank = np.full_like(near[0], 7)
    assert kind_of(*near) == ""
    assert kind_of(*far) == "range"
    assert kind_of(*shifted(80, 256, 60)) == "range"  # too low for features
    assert kind_of(*far, APART) == "rows"
    assert kind_of(*near[::-1], exchange="swapped") == "exchanged"
    assert kind_of(*near[::-1]) == "range"  # nothing exchanges them
    assert kind_of(near[0], near[0]) == kind_of(near[0], near[0] // 2 + 40) == "same views"
    assert kind_of(blank, near[1]) == kind_of(blank, blank) == "blank views"


def test_a_photograph_that_is_shifted_sideways_is_not_called_exchanged() -> None:
    """Its disparities are negative, but lower things are nearer, as in the right order."""
    wide = np.random.default_rng(2).integers(0, 256, (96, 340), np.uint8)
    disparities = np.linspace(-18, -2, 96).round().astype(int)
    left = wide[:, 20:320]
    right = np.array([row[20 + d : 320 + d] for row, d in zip(wide, disparities, strict=True)])
    assert kind_of(left, right, exchange="swapped") == "range"
    assert kind_of(left[::-1], right[::-1], exchange="swapped") == "exchanged"


@pytest.mark.parametrize(
    ("layouts", "exchange"),
    [
        (("pair", "swapped"), "swapped"),
        (("swapped", "pair"), "pair"),
        (("side-by-side", "pair", "swapped"), "swapped"),
        (("swapped", "pair", "side-by-side"), "side-by-side"),
        (("top-bottom", "pair", "swapped"), ""),
        ((), ""),
    ],
)
def test_views_are_exchanged_by_the_opposite_layout(
    layouts: tuple[str, ...], exchange: str
) -> None:
    assert exchange_of(layouts) == exchange


def saved(folder: Path, left: Grey, right: Grey) -> list[str]:
    folder.mkdir()
    for name, view in (("left", left), ("right", right)):
        Image.fromarray(view).save(folder / f"{name}.png")
    return [str(folder / "left.png"), str(folder / "right.png")]


@pytest.mark.opengl
def test_render_tells_why_a_result_is_empty_or_zero(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left, right = shifted(20, 160, 64)
    noise = shifted(0, 160, 64)[0][::-1].copy()
    pairs = {
        "same": ((left, left), "both views seem to be the same image"),
        "exchanged": ((right, left), "--layout swapped exchanges them"),
        "foreign": ((left, noise), "of the pixels have a disparity: the range may be wrong"),
        "fine": ((left, right), ""),
    }
    words = ("--variant", "cpu", "--disparities", "32", "--uniqueness", "60")
    for name, (views, text) in pairs.items():
        paths = saved(tmp_path / name, *views)
        assert main(["render", "sgm", *paths, *words, "--out", str(tmp_path / "o.png")]) == 0
        errors = capsys.readouterr().err
        assert text in errors
        assert name != "fine" or ("same picture" not in errors and "have a disparity" not in errors)


def test_batch_prints_what_its_table_warns_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left, right = shifted(20, 160, 96)
    low = np.roll(right, 3, axis=0)
    pairs = {
        "exchanged": (right, left, "seem to be exchanged"),
        "range": (*shifted(80, 256, 64), "above the disparity range 0..31"),
        "rows": (left, low, "rows differ by 3.0 px"),
    }
    for name, (one, other, text) in pairs.items():
        saved(tmp_path / name, one, other)
        out = tmp_path / f"{name} results"
        words = ["--variant", "cpu", "--disparities", "32", "--depth", "npy", "--out", str(out)]
        assert main(["batch", str(tmp_path / name), *words]) == 0
        errors = capsys.readouterr().err
        (row,) = rows(out)
        for warning in (text, "depth in relative units"):
            assert errors.count(warning) == row["warnings"].count(warning) == 1


def test_evaluate_warns_of_truth_that_is_not_searched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    saved(tmp_path / "pair", *shifted(40, 160, 64))
    truth = np.full((64, 160), 40 * 256, np.uint16)
    Image.fromarray(truth).save(tmp_path / "pair" / "disparity.png")
    assert main(["evaluate", "pair", "--variant", "cpu", "--disparities", "16"]) == 0
    errors = capsys.readouterr().err
    assert "100% of the ground truth, 40 to 40 px, is not among the disparities searched" in errors


def test_dense_matches_of_repeating_patterns_widen_no_range_that_features_deny() -> None:
    disparity = np.full((100, 100), 40, np.float32)
    disparity[:5] = 240
    features = np.full(100, 45, np.float32)
    asked = {
        many: str(DisparitySurvey(disparity, features[:many]).outside(0, 32)) for many in (100, 20)
    }
    assert "--disparities 64" in asked[100]
    assert "--disparities 512" in asked[20]  # too few features to deny anything
