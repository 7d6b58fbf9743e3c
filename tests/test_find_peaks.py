"""Finding peaks: by hand, ties, distances, then against a plain search."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.cpu import find_peaks as on_cpu
from wheatstone.gpu.pipelines.ncc.params import MOST_PEAKS, Region
from wheatstone.gpu.reference import find_peaks as as_specified


class Peaks(NamedTuple):
    peaks: NDArray[np.float32]
    boxes: NDArray[np.int32]

    @property
    def places(self) -> list[tuple[float, float]]:
        return [(float(x), float(y)) for x, y, _, present in self.peaks if present]


def search(
    find_peaks: Any,
    scores: Any,
    template: Region = (0, 0, 3, 3),
    count: int = MOST_PEAKS,
    threshold: float = 0.1,
    convention: str = "exact",
) -> Peaks:
    peaks = np.full((MOST_PEAKS, 4), np.nan, np.float32)
    boxes = np.full((MOST_PEAKS, 4), 99, np.int32)
    scores = np.array(scores, np.float32)
    find_peaks(scores, peaks, boxes, template, convention, count, threshold)
    return Peaks(peaks, boxes)


@pytest.fixture(params=[as_specified, on_cpu], ids=["reference", "cpu"])
def find_peaks(request: pytest.FixtureRequest) -> Any:
    return request.param.find_peaks


def test_a_parabola_refines_the_place_along_each_axis(find_peaks: Any) -> None:
    scores = [[0, 0.25, 0], [0.5, 0.75, 0.5], [0, 0.5, 0], [0, 0, 0]]
    peaks = search(find_peaks, scores)
    # Down: a = -0.5, b = -0.25: (a - b) / (2 (a + b)) = 1/6 towards the larger neighbour.
    assert peaks.places == [(1, float(np.float32(1) + np.float32(1 / 6)))]
    assert peaks.peaks[0].tolist()[2:] == [0.75, 1]


def test_a_place_at_the_edge_is_not_refined(find_peaks: Any) -> None:
    assert search(find_peaks, [[0.75, 0.5], [0.25, 0]]).places == [(0, 0)]


def test_without_a_further_peak_rows_are_0_and_boxes_empty(find_peaks: Any) -> None:
    peaks = search(find_peaks, [[0, 0, 0], [0, 1, 0], [0, 0, 0]], (5, 6, 4, 7))
    assert peaks.boxes[0].tolist() == [1 - 2, 1 - 3, 1 - 2 + 3, 1 - 3 + 6]
    assert not peaks.peaks[1:].any()
    assert (peaks.boxes[1:] == [0, 0, -1, -1]).all()


def test_the_books_boxes_lie_half_the_width_above_the_peak(find_peaks: Any) -> None:
    peaks = search(find_peaks, [[0, 1, 0]], (0, 0, 4, 9), convention="book")
    assert peaks.boxes[0].tolist() == [-1, -2, 2, 6]


def test_of_equal_scores_the_higher_row_then_the_left_column_comes_first(find_peaks: Any) -> None:
    scores = np.zeros((9, 9))
    for y, x in ((1, 7), (1, 4), (7, 1), (4, 4)):
        scores[y, x] = 0.5
    assert search(find_peaks, scores).places == [(4, 1), (7, 1), (4, 4), (1, 7)]
    assert search(find_peaks, scores, count=3).places == [(4, 1), (7, 1), (4, 4)]


def test_a_plateau_has_one_peak_its_first_pixel(find_peaks: Any) -> None:
    scores = np.zeros((6, 6))
    scores[2:5, 1:5] = 0.5
    peaks = search(find_peaks, scores)
    assert peaks.boxes[0, :2].tolist() == [0, 1]
    assert len(peaks.places) == 1


def test_a_slope_beside_a_peak_is_not_a_peak(find_peaks: Any) -> None:
    scores = [np.linspace(0.9, 0.2, 30)]
    assert search(find_peaks, scores).places == [(0, 0)]


@pytest.mark.parametrize(("width", "too_close", "far_enough"), [(9, 4, 5), (8, 3, 4)])
def test_a_peak_excludes_those_less_than_half_a_template_away(
    find_peaks: Any, width: int, too_close: int, far_enough: int
) -> None:
    for distance, count in ((too_close, 1), (far_enough, 2)):
        scores = np.zeros((1, 30))
        scores[0, [10, 10 + distance]] = 0.8, 0.7
        assert len(search(find_peaks, scores, (0, 0, width, 3)).places) == count
        assert len(search(find_peaks, scores.T, (0, 0, 3, width)).places) == count


def test_a_peak_far_away_in_one_axis_only_is_another_peak(find_peaks: Any) -> None:
    scores = np.zeros((20, 20))
    scores[[3, 13], [5, 6]] = 0.8, 0.7
    assert len(search(find_peaks, scores, (0, 0, 19, 9)).places) == 2


def test_the_threshold_is_a_score_that_suffices(find_peaks: Any) -> None:
    scores = np.zeros((1, 9), np.float32)
    scores[0, [1, 7]] = 0.3, 0.2
    assert len(search(find_peaks, scores, threshold=0.3).places) == 1
    assert len(search(find_peaks, scores, threshold=0.2).places) == 2
    assert not search(find_peaks, scores, threshold=0.31).places


def test_scores_below_0_can_be_peaks(find_peaks: Any) -> None:
    scores = [[-0.9, -0.5, -0.9, -0.75, -0.25]]
    assert search(find_peaks, scores, threshold=-1.0).places == [(4, 0), (1, 0)]


@pytest.mark.parametrize(
    ("height", "width", "template"), [(37, 53, (0, 0, 7, 12)), (40, 3, (0, 0, 3, 5))]
)
def test_the_peaks_are_those_of_a_plain_search(
    find_peaks: Any, height: int, width: int, template: Region
) -> None:
    levels = np.random.default_rng(height).integers(-8, 9, (height, width))  # many equal ones
    scores = (levels / 8).astype(np.float32)
    peaks = search(find_peaks, scores, template, threshold=-0.5)
    left, top = template[2] // 2, template[3] // 2
    places = [(y + top, x + left) for x, y, last, _ in peaks.boxes if last >= x]
    assert places == plain_search(scores, template, -0.5)


def plain_search(scores: NDArray[np.float32], template: Region, threshold: float) -> list[Any]:
    height, width = scores.shape
    order = sorted((-scores[y, x], y, x) for y in range(height) for x in range(width))
    rank = {(y, x): i for i, (_, y, x) in enumerate(order)}
    chosen: list[tuple[int, int]] = []
    for score, y, x in order:
        around = [(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
        highest = all(rank.get(place, rank[y, x]) >= rank[y, x] for place in around)
        apart = all(
            2 * abs(x - other_x) >= template[2] or 2 * abs(y - other_y) >= template[3]
            for other_y, other_x in chosen
        )
        if -score >= threshold and highest and apart and len(chosen) < MOST_PEAKS:
            chosen.append((y, x))
    return chosen
