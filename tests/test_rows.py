"""The row meter: what it measures of pairs whose rows are known, and what it says."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.turned_pairs import UNTURNED, turned_pair
from wheatstone.viewer.io.cameras.matching import Matches
from wheatstone.viewer.io.cameras.rows import LEAST, MISALIGNED, RowError, measure_rows, rows_of
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.grey import grey_views
from wheatstone.viewer.io.sources.scene import Scene


def matches(lower: NDArray[np.float32]) -> Matches:
    """Points of a left view, and their matches lower by so many pixels."""
    places = np.arange(len(lower), dtype=np.float32)
    left = np.stack([places, places[::-1]], axis=1)
    right = left + np.stack([np.zeros_like(lower), lower], axis=1)
    return Matches(left, right.astype(np.float32), np.eye(3), len(lower))


def test_median_and_percentile_are_those_of_the_distances() -> None:
    lower = np.array([0.5] * 50 + [-2.0] * 40 + [8.0] * 10, np.float32)
    error = rows_of(matches(lower), 100, 100)
    assert (error.count, error.median, error.p95) == (100, 1.25, 8.0)
    assert error.lower == 0.5


def test_too_few_matches_say_nothing() -> None:
    error = rows_of(matches(np.zeros(LEAST - 1, np.float32)), 100, 100)
    assert not error.known and not error.warning and not error.cause
    assert error.words == "rows unknown"
    assert rows_of(matches(np.zeros(LEAST, np.float32)), 100, 100).known


@pytest.mark.parametrize("scene", SCENES)
def test_a_rectified_pair_has_equal_rows(scene: str) -> None:
    pair = turned_pair(scene, right=UNTURNED)
    error = measure_rows(pair.left, pair.right)
    assert error.known and error.median < 0.1 and error.p95 < MISALIGNED
    assert error == measure_rows(pair.left, pair.right)


def test_turn_scale_and_shift_of_the_right_view_are_found() -> None:
    pair = turned_pair(right=(-2.0, 1.02, 6.0))
    error = measure_rows(pair.left, pair.right)
    assert error.misaligned and error.turn == pytest.approx(2.0, abs=0.05)
    assert error.scale == pytest.approx(1.02, abs=0.002)
    assert "px lower, turned 2.0" in error.cause and " degrees clockwise, 2." in error.cause


def test_matches_of_which_opencv_makes_an_error_are_tried_in_another_order() -> None:
    frame = Scene("orbit", 0, (160, 120)).render(9)  # of which OpenCV 5 makes one
    views = grey_views(frame)
    rows = measure_rows(views["left"], views["right"])
    assert rows.known and rows.p95 < 0.5


def test_matches_that_no_geometry_fits_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: object) -> None:
        raise cv2.error("no geometry")

    monkeypatch.setattr(cv2, "findFundamentalMat", fails)
    views = grey_views(Scene("orbit", 0, (160, 120)).render(0))
    assert not measure_rows(views["left"], views["right"]).known


def test_another_exposure_changes_nothing() -> None:
    pair = turned_pair(right=(0.0, 1.0, 0.5))
    dark = (255 * (pair.right / 255) ** 2).astype(np.uint8)
    assert measure_rows(pair.left, dark).lower == pytest.approx(0.5, abs=0.1)


def test_large_views_are_measured_in_their_own_pixels() -> None:
    pair = turned_pair(right=(0.0, 1.0, 2.0))
    size = 4 * pair.left.shape[1], 4 * pair.left.shape[0]
    left, right = (cv2.resize(view, size).astype(np.uint8) for view in (pair.left, pair.right))
    assert measure_rows(left, right).lower == pytest.approx(8.0, abs=0.3)


@pytest.mark.parametrize("shape", [(1, 1), (63, 300), (240, 320)])
def test_views_without_features_are_unknown(shape: tuple[int, int]) -> None:
    flat = np.full(shape, 99, np.uint8)
    error = measure_rows(flat, flat)
    assert (error.count, error.known, error.words) == (0, False, "rows unknown")


def test_views_of_different_things_are_unknown() -> None:
    pair = turned_pair("garden", right=UNTURNED), turned_pair("corridor", right=UNTURNED)
    assert not measure_rows(pair[0].left, pair[1].right).known


def test_no_pair_of_the_data_sets_is_warned_of(data: Path) -> None:
    by_key = {}
    for left in sorted((data / "stereo").glob("*/left.png")):
        views = [
            np.array(Image.open(left.with_name(f"{name}.png")).convert("L"))
            for name in ("left", "right")
        ]
        by_key[left.parent.name] = measure_rows(*views)
    assert by_key and all(error.known for error in by_key.values())
    assert not [name for name, error in by_key.items() if error.warning]


def test_the_warning_says_how_much_and_what_mends_it() -> None:
    warning = RowError(100, 3.41, 9.0, 3.0, 0.0, 1.0).warning
    assert "rows differ by 3.4 px (median)" in warning
    assert "--calibration FILE or --rectify auto" in warning
    assert RowError(100, MISALIGNED, 2.0, 0.0, 0.0, 1.0).warning == ""
