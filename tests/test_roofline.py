"""Operations are those of the definitions, counted by hand; points and roofs follow from them."""

from typing import Any

import numpy as np
import pytest

from wheatstone.gpu.analysis.measurement import declared_bytes, declared_operations
from wheatstone.gpu.analysis.roofline import Peaks, StagePoint, nominal_peak, peaks, stage_points
from wheatstone.gpu.device import open_device
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.canny import CannyParams
from wheatstone.gpu.pipelines.mean import MeanParams
from wheatstone.gpu.pipelines.ncc import NccParams
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.steps import Setup

HEIGHT, WIDTH = 5, 7
PIXELS = HEIGHT * WIDTH
SGM_16 = SgmParams(disparities=16)


def counted(pipeline: str, stage: str, params: Params) -> int:
    """Operations of one run of a declared stage on 5 rows of 7 pixels."""
    declared = {each.name: each for each in PIPELINES[pipeline].stages}[stage]
    assert declared.operations
    return declared.operations(params, HEIGHT, WIDTH)


@pytest.mark.parametrize(
    ("stage", "changes", "each_pixel"),
    [
        ("census_transform", {"cost": "census-symmetric"}, 2 * 31),  # comparisons, two views
        ("census_transform", {"cost": "census-ring"}, 2 * 32),
        ("census_transform", {"cost": "census-mean"}, 2 * (8 + 32 * 2)),  # a sum; 9 v, compared
        ("matching_cost", {"gradient": False}, 16 * 2),
        ("matching_cost", {"gradient": True}, 16 * 6),
        ("path_aggregation", {"p2_adaptation": "none"}, 16 * 7 + 15 + 1),
        ("path_aggregation", {"p2_adaptation": "soft"}, 16 * 7 + 15 + 1 + 5),
        ("path_aggregation", {"paths": "sweeps", "last_path": 2}, 16 * 7 + 15 + 1 + 5),
        ("path_aggregation", {"paths": "sweeps", "first_path": 3}, 2 * (16 * 6 + 15 + 6) + 16 * 4),
        ("path_sum", {}, 16),
        ("winner_takes_all", {}, 15),
        ("right_winner_takes_all", {}, 15),
        ("subpixel_refinement", {"subpixel": False}, 2),
        ("subpixel_refinement", {"subpixel": True}, 12),
        ("median_filter", {}, 9 * 8 // 2),
        ("uniqueness_check", {}, 1 + 16 * 2),
        ("consistency_check", {}, 3),
        ("speckle_filter", {}, 9),
        ("rejection_reason", {"lr_check": -1}, 2),
        ("rejection_reason", {"lr_check": 1}, 5),
        ("winner_margin", {}, 15 + 4),
        ("confidence_measure", {}, 49 * 3 + 48 + 1),
    ],
)
def test_operations_of_semi_global_matching(
    stage: str, changes: dict[str, Any], each_pixel: int
) -> None:
    assert counted("sgm", stage, SGM_16.changed(**changes)) == PIXELS * each_pixel


@pytest.mark.parametrize(
    ("stage", "changes", "operations"),
    [
        ("gaussian_filter", {"sigma": 0.5}, PIXELS * (25 + 24 + 2)),  # 5x5
        ("gaussian_filter", {"sigma": 0.5, "convention": "aveiro-2015"}, PIXELS * (25 + 24)),
        ("intensity_normalization", {}, PIXELS - 1 + 2 * PIXELS),
        ("gradient", {"norm": "l1"}, PIXELS * (2 * (9 + 8) + 3 + 12)),
        ("gradient", {"norm": "l2", "aperture": 7}, PIXELS * (2 * (49 + 48) + 4 + 6 + 12)),
        ("non_maximum_suppression", {"norm": "l2"}, PIXELS * (1 + 3 + 3 * 3)),
        ("non_maximum_suppression", {"convention": "aveiro-2025"}, PIXELS * 3),
        ("manual_thresholds", {}, 0),
        ("automatic_thresholds", {"thresholds": "median"}, PIXELS),
        ("automatic_thresholds", {"thresholds": "otsu"}, PIXELS * 3),
        ("edge_seeds", {}, PIXELS * 2),
    ],
)
def test_operations_of_canny(stage: str, changes: dict[str, Any], operations: int) -> None:
    assert counted("canny", stage, CannyParams(**changes)) == operations


def test_operations_of_the_others() -> None:
    params = NccParams(template=(0, 0, 3, 4), peaks=2)
    assert counted("ncc", "template_statistics", params) == 12 + 2 * 11
    assert counted("ncc", "correlation", params) == PIXELS * (2 * 12 + 3 * 11 + 10)
    assert counted("ncc", "find_peaks", params) == PIXELS * (9 + 2)
    assert counted("mean", "mean_filter", MeanParams(radius=2)) == PIXELS * (24 + 2)
    blog = MeanParams(radius=1, convention="blog")
    assert counted("mean", "mean_filter", blog) == PIXELS * (8 + 1)
    assert counted("invert", "invert", PIPELINES["invert"].params()) == PIXELS


def unrun(pipeline: Pipeline, variant: str, params: Params) -> Execution:
    """An execution of any variant, with arrays in main memory; those for a GPU cannot run."""
    declared, device = pipeline.variant(variant), open_device("cpu")
    return Execution(Setup(pipeline, declared, params, HEIGHT, WIDTH), device)


def total(pipeline: Pipeline, variant: str, params: Params) -> int:
    operations = declared_operations(unrun(pipeline, variant, params))
    return sum(count or 0 for count in operations.values())


def settings(pipeline: Pipeline) -> list[Params]:
    """The presets, for images of 5 rows of 7 pixels."""
    small = {"template": (0, 0, 3, 4), "sigma": 0.5}
    named = [pipeline.preset(name) for name in pipeline.presets] or [pipeline.params()]
    return [
        params.changed(**{name: v for name, v in small.items() if name in params.values()})
        for params in named
    ]


@pytest.mark.parametrize("pipeline", PIPELINES.values(), ids=list(PIPELINES))
def test_every_variant_does_the_same_operations_however_it_divides_them(pipeline: Pipeline) -> None:
    for params in settings(pipeline):
        expected = total(pipeline, "reference", params)
        for variant in pipeline.variants:
            if not variant.peer:
                assert total(pipeline, variant.name, params) == expected, (variant.name, params)


def test_a_stage_that_is_off_is_not_counted_in_a_fused_step() -> None:
    step = "winner_takes_all"
    both = declared_operations(unrun(SGM, "cpu", SGM_16.changed(uniqueness=5)))[step]
    off = declared_operations(unrun(SGM, "cpu", SGM_16.changed(uniqueness=0)))[step]
    assert both and off and both - off == counted("sgm", "uniqueness_check", SGM_16)


def test_a_stage_that_takes_turns_counts_every_turn() -> None:
    eight = SGM_16.changed(paths=8)
    once = counted("sgm", "path_aggregation", eight)
    for paths in (4, 8):
        operations = declared_operations(unrun(SGM, "reference", SGM_16.changed(paths=paths)))
        assert operations["path_aggregation"] == paths * once
    assert total(SGM, "fast", SGM_16.changed(paths=4)) < total(SGM, "fast", eight)


def test_work_that_depends_on_the_image_is_not_known_and_a_peers_neither() -> None:
    assert declared_operations(unrun(SGM, "reference", SGM_16))["hole_filling"] is None
    peer = unrun(SGM, "opencv-sgbm", SGM_16)
    point = stage_points(peer, {"opencv_sgbm": 2.0})[0]
    assert (point.nbytes, point.operations, point.intensity) == (None, None, None)
    assert point.gigabytes_per_second is None and point.gigaoperations_per_second is None


def test_a_point_is_bytes_and_operations_over_time() -> None:
    point = StagePoint("cost", 2.0, 10**9, 4 * 10**9)
    assert point.gigabytes_per_second == 500
    assert point.gigaoperations_per_second == 2000
    assert point.intensity == 4
    assert StagePoint("cost", 0.0, 1, 1).gigabytes_per_second is None


def test_points_come_in_the_order_of_the_times_with_what_was_declared() -> None:
    execution = unrun(SGM, "reference", SGM_16)
    points = stage_points(execution, {"path_sum": 1.0, "matching_cost": 3.0})
    assert [point.stage for point in points] == ["path_sum", "matching_cost"]
    assert points[1].nbytes == declared_bytes(execution)["matching_cost"]
    assert points[1].operations == PIXELS * 16 * 6


def test_below_the_ridge_memory_limits_and_above_it_arithmetic() -> None:
    device = Peaks(1000.0, 8000.0)
    assert device.ridge == 8
    assert (device.roof(2), device.roof(8), device.roof(100)) == (2000, 8000, 8000)
    unknown = Peaks(1000.0, None)
    assert unknown.ridge is None and unknown.roof(100) == 100_000


def test_a_device_is_measured_once() -> None:
    device = open_device("cpu")
    assert peaks(device) is peaks(device)
    assert peaks(device).copy_gigabytes_per_second > 0.1
    assert nominal_peak(device) is None


@pytest.mark.cuda
def test_a_gpu_has_a_nominal_peak() -> None:
    peak = nominal_peak(open_device("cuda"))
    assert peak and 100 < peak < 1_000_000, "from a small laptop's to a large server's"


@pytest.mark.cuda
@pytest.mark.parametrize("variant", ["global", "fast"])
def test_stages_of_a_gpu_lie_under_a_roof_not_far_above(variant: str) -> None:
    execution = prepare(SGM, variant, SgmParams(), 480, 640)
    execution.upload(**{name: np.zeros((480, 640), np.uint8) for name in ("left", "right")})
    for _ in range(3):
        execution.run(stages=True)
    for point in stage_points(execution, execution.stage_milliseconds()):
        assert point.gigabytes_per_second and point.gigabytes_per_second > 0
        if point.intensity:
            roof = peaks(execution.device).roof(point.intensity)
            assert point.gigaoperations_per_second
            assert point.gigaoperations_per_second < 20 * roof, "caches and packed instructions"
