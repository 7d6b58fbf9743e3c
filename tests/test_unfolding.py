"""Stages unfolded in time: they end with the specification's image, and lead there."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.analysis.unfolding.asked import Asked, Kept, Tiling, by_rows, flat_images
from wheatstone.gpu.analysis.unfolding.declared import Unfolding, every_name, unfolding, unfoldings
from wheatstone.gpu.analysis.unfolding.orders import rounds, tiling_of
from wheatstone.gpu.analysis.unfolding.unfolded import Unfolded
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.canny import CANNY
from wheatstone.gpu.pipelines.canny.params import CannyParams
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams
from wheatstone.gpu.pipelines.ncc import NCC
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SgmParams
from wheatstone.gpu.reference.path_aggregation import path_aggregation

HEIGHT, WIDTH = 37, 61
PIXEL = 20, 33
CHANGES: dict[str, dict[str, Any]] = {
    "sgm": {"disparities": 16, "paths": 8, "decimation": 2, "temporal_alpha": 0.5},
    "ncc": {"template": (20, 9, 7, 5)},
    "canny": {"convention": "aveiro-2015"},
}
WATCHED = [
    (pipeline, each)
    for pipeline in PIPELINES.values()
    if pipeline.name != "rectify"
    for each in unfoldings(pipeline)
]


def views() -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(7)
    left = np.kron(rng.integers(0, 200, (10, 16)), np.ones((4, 4)))[:HEIGHT, :WIDTH]
    noisy = (left + rng.integers(0, 40, left.shape)).astype(np.uint8)
    camera = np.array([100, 0], np.float32)
    return {"left": noisy, "right": np.roll(noisy, -3, 1), "camera": camera}


def params_of(pipeline: Pipeline) -> Params:
    return pipeline.params(**CHANGES.get(pipeline.name, {}))


def asked(pipeline: Pipeline, stage: str, **changes: Any) -> Asked:
    inputs = {name: array for name, array in views().items() if name in pipeline.inputs}
    params = changes.pop("params", params_of(pipeline))
    tiling = tiling_of(pipeline, "shared", params, HEIGHT, WIDTH, stage)
    content = {"pixel": PIXEL, "tiling": tiling, **changes}
    return Asked(pipeline, params, inputs, HEIGHT, WIDTH, stage, **content)


def watch(pipeline: Pipeline, name: str, **changes: Any) -> Unfolded:
    unfolded = unfolding(pipeline, name)
    assert unfolded
    return unfolded.build(asked(pipeline, unfolded.stage, **changes))


def specified(pipeline: Pipeline, *names: str) -> list[NDArray[Any]]:
    execution = prepare(pipeline, "reference", params_of(pipeline), HEIGHT, WIDTH, names)
    execution.upload(**{n: a for n, a in views().items() if n in pipeline.inputs})
    execution.run(timed=False)
    return [execution.download(name) for name in names]


def result_of(pipeline: Pipeline, each: Unfolding) -> NDArray[Any]:
    if each.name == "cost-slice":
        (cost,) = specified(pipeline, "cost")
        return np.asarray(cost[PIXEL[0]].T)
    if each.name == "aggregation":  # path 1 leads to the left
        (cost,) = specified(pipeline, "cost")
        path_costs = np.empty(cost.shape, np.uint16)
        p = params_of(pipeline).values()
        fixed = p["p1"], p["p2"], p["p2_adaptation"]
        path_aggregation(views()["left"], cost, path_costs, *fixed, -1, 0, False)
        return np.asarray(path_costs[PIXEL[0]].T)
    if each.name == "hysteresis":
        return specified(pipeline, "strength")[0]
    stage = next(stage for stage in pipeline.stages if stage.name == each.stage)
    return specified(pipeline, flat_images(pipeline, stage.writes)[0].name)[0]


@pytest.mark.parametrize(
    ("pipeline", "each"), WATCHED, ids=lambda value: getattr(value, "name", "")
)
def test_the_last_moment_is_the_specification_s_image_and_each_before_a_part_of_it(
    pipeline: Pipeline, each: Unfolding
) -> None:
    unfolded = watch(pipeline, each.name)
    sheet, last = unfolded.sheets[-1], unfolded.moments - 1
    expected = result_of(pipeline, each)
    assert np.array_equal(sheet.at(last), expected, equal_nan=expected.dtype.kind == "f")
    assert sheet.at(last).dtype == expected.dtype
    assert sheet.there(last).all() and not sheet.there(0).all()
    before = np.zeros(sheet.shape, np.bool_)
    for moment in (0, 1, last // 3, last // 2, last - 1, last):
        now = sheet.there(moment)
        assert now[before].all() and unfolded.title(moment)
        before = now
        for shown in unfolded.sheets:
            assert all(x0 <= x1 and y0 <= y1 for x0, y0, x1, y1 in shown.boxes(moment))
            marks = shown.marks(moment) if shown.marks else None
            assert marks is None or marks.shape == shown.shape
    assert unfolded.moment(unfolded.share(last // 2)) == last // 2


def test_a_stage_that_is_off_says_so() -> None:
    with pytest.raises(ValueError, match="speckle filter is off with these parameters"):
        watch(SGM, "speckle-filter", params=SgmParams(disparities=16, speckle_size=0))


def test_names_are_distinguished_and_say_what_is_seen() -> None:
    for pipeline in PIPELINES.values():
        names = [each.name for each in unfoldings(pipeline)]
        assert len(set(names)) == len(names)
    assert all(help.endswith(".") for help in every_name().values())
    assert unfolding(MEAN, "hysteresis") is None


def test_growth_reaches_a_chain_pixel_by_pixel() -> None:
    strength = np.array([[3, 0, 0, 0, 1], [0, 2, 2, 0, 1], [0, 0, 0, 2, 0]], np.uint8)
    assert rounds(strength).tolist() == [[0, 0, 0, 0, 0], [0, 1, 2, 0, 0], [0, 0, 0, 3, 0]]


def test_weak_pixels_are_undecided_until_growth_ends() -> None:
    unfolded = watch(CANNY, "hysteresis")
    (sheet,) = unfolded.sheets
    strength, last = sheet.at(0), unfolded.moments - 1
    assert ((strength == 1) <= ~sheet.there(last - 1)).all() and (strength == 1).any()
    assert (sheet.there(0) == np.isin(strength, (0, 3))).all() and (strength == 2).any()
    (edges,) = specified(CANNY, "edges")
    assert np.array_equal(edges == 255, strength >= 2)


def test_a_path_goes_through_the_pixel_from_border_to_border() -> None:
    ways = {1: (-1, 0), 2: (1, 0), 3: (0, -1), 4: (0, 1)}
    for path, (dx, dy) in ways.items():
        unfolded = watch(SGM, "aggregation", path=path)
        view, slice_ = unfolded.sheets
        assert view.marks and unfolded.moments == (WIDTH if dx else HEIGHT)
        for moment in (0, 5):
            rows, columns = np.nonzero(view.marks(moment) & ~(view.marks(moment - 1)))
            border = 0 if dx + dy > 0 else (WIDTH if dx else HEIGHT) - 1
            expected = (PIXEL[0], border + moment * dx) if dx else (border + moment * dy, PIXEL[1])
            assert (rows.tolist(), columns.tolist()) == ([expected[0]], [expected[1]])
        assert slice_.shape == (16, unfolded.moments)


def test_a_path_begins_with_the_pixel_s_own_costs() -> None:
    costs = specified(SGM, "cost")[0]
    carried = watch(SGM, "aggregation", path=2).sheets[1].at(0)
    assert np.array_equal(carried[:, 0], costs[PIXEL[0], 0])
    assert (carried[:, 1:] >= costs[PIXEL[0], 1:].T).all()


def test_a_path_beyond_the_last_means_the_last() -> None:
    last = watch(SGM, "aggregation", path=8).title(0)
    small = SgmParams(disparities=16, paths=4)
    text = watch(SGM, "aggregation", path=8, params=small).title(0)
    assert last.startswith("path 8 of 8") and text.startswith("path 4 of 4, down")


def test_a_sweep_is_followed_down_the_pixel_s_column() -> None:
    params = SgmParams(disparities=16, paths="sweeps")
    unfolded = watch(SGM, "aggregation", path=4, params=params)
    execution = prepare(SGM, "reference", params, HEIGHT, WIDTH)
    execution.upload(**{n: a for n, a in views().items() if n in SGM.inputs})
    execution.run(timed=False)
    expected = execution.download("path_costs")[:, PIXEL[1]].T  # of the sweep made last
    assert np.array_equal(unfolded.sheets[1].at(0), expected)
    assert unfolded.title(0).startswith("sweep 4 of 4, down")


def test_another_pixel_is_sliced_from_what_is_kept() -> None:
    kept = Kept()
    watch(SGM, "cost-slice", kept=kept)
    execution = kept.execution
    other = watch(SGM, "cost-slice", kept=kept, pixel=(3, 3))
    assert kept.execution is execution
    assert np.array_equal(other.sheets[1].at(0), specified(SGM, "cost")[0][3].T)


def test_the_window_lies_on_the_template_where_it_matches_itself() -> None:
    unfolded = watch(NCC, "template")
    view, scores = unfolded.sheets
    best = int(scores.at(0).argmax())
    assert scores.at(0).ravel()[best] == 1
    assert view.region == (20, 9, 26, 13) and view.boxes(best) == ((19, 8, 27, 14),)  # around it


def test_the_mean_s_window_surrounds_its_pixel() -> None:
    unfolded = watch(MEAN, "window", params=MeanParams(radius=2))
    moment = 10 * WIDTH + 20
    assert unfolded.sheets[0].boxes(moment) == ((17, 7, 23, 13),)  # around 5x5 pixels
    assert "row 10, column 20" in unfolded.title(moment) and "25 pixels" in unfolded.title(moment)


def test_threads_lie_over_pixels_in_blocks_and_warps() -> None:
    tiling = Tiling("shared", 32, 16, 2, 3)
    order = tiling.order(40, 50)
    assert tiling.warps == 16 and tiling.moments == 96
    assert [order[y, x] for y, x in ((0, 0), (0, 31), (1, 0), (15, 31))] == [0, 0, 1, 15]
    assert [order[y, x] for y, x in ((0, 32), (16, 0), (39, 49))] == [16, 32, 87]
    assert tiling.boxes(16) == ((31, -1, 64, 16), (31, -1, 64, 1))
    assert tiling.boxes(33)[1] == (-1, 16, 32, 18)
    narrow = Tiling("global", 16, 16, 1, 1)
    assert narrow.order(4, 16)[:, 0].tolist() == [0, 0, 1, 1]  # 32 threads are two of its rows
    assert narrow.boxes(3)[1] == (-1, 5, 16, 8)


def test_a_launch_without_a_thread_for_each_pixel_goes_row_by_row() -> None:
    size = HEIGHT, WIDTH
    result = tiling_of(CANNY, "shared", CannyParams(), *size, "gradient")
    assert result.variant == "shared" and result.across == -(-WIDTH // result.columns)
    params = SgmParams(disparities=16)
    assert tiling_of(SGM, "shared", params, *size, "path_aggregation") == by_rows(*size)
    assert by_rows(*size).order(3, 4)[:, 0].tolist() == [0, 1, 2]


def test_a_report_of_progress_may_end_it() -> None:
    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watch(MEAN, "window", report=stop)
