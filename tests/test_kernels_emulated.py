"""The CUDA variants, their kernels run as C++ on the CPU, give the reference's bits.

Only a GPU proves a kernel; this proves its arithmetic and its launch where there is none.
"""

from typing import Any

import numpy as np
import pytest

from tests.test_parity import assert_same, inputs_for
from wheatstone.gpu.bands import BandedExecution, Planner, band_height, prepare_in_bands
from wheatstone.gpu.device import open_device
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.pipeline import Pipeline, Variant
from wheatstone.gpu.pipelines.ahead import with_rectification
from wheatstone.gpu.pipelines.nv12 import NV12
from wheatstone.gpu.pipelines.rectify import RECTIFY
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.steps import Setup

CUDA_VARIANTS = [variant for variant in SGM.variants if variant.on_gpu]
NEW = {"cost": "census-ring-symmetric", "subpixel": "equiangular"}
EIGHT = SGM.params().changed(paths=8, gradient=False, outside=-1, guided_median=0)
CASES = (  # height, width, parameters unlike these
    (1, 1, {"disparities": 16}),
    (1, 40, {"disparities": 48, "cost": "absolute", "min_disparity": -5, "paths": 4}),
    (23, 1, {"disparities": 16, "cost": "census-ring", "min_disparity": -5}),
    (5, 17, {"cost": "census-symmetric", "min_disparity": 7, "p2_adaptation": "divide"}),
    (11, 37, {"disparities": 16, "p2_adaptation": "none", "subpixel": "off"}),
    (17, 39, {"disparities": 48, **NEW, "min_disparity": 3, "guided_median": 20}),
    (10, 70, {"disparities": 96, **NEW, "gradient": True, "outside": 12, "p2": 300}),
    (1, 1, {"disparities": 16, "paths": "sweeps"}),
    (11, 1, {"disparities": 16, "paths": "sweeps", "min_disparity": -3}),
    (9, 34, {"disparities": 80, "paths": "sweeps", "cost": "absolute", "p2": 4095, "p1": 1023}),
    (9, 35, {"disparities": 48, "paths": "sweeps", "p2_adaptation": "none", "first_path": 2}),
    (12, 27, {"disparities": 144, "paths": "sweeps"}),  # more blocks of a sweep than one
    (7, 19, {"disparities": 16, "paths": "sweeps", "first_path": 4, "p2_adaptation": "divide"}),
    (9, 35, {"cost": "census-symmetric", "gradient": True, "guided_median": 255}),
    (11, 21, {"disparities": 16, "min_disparity": -1024, "uniqueness": 100, "median": False}),
    (13, 37, {"disparities": 80, "cost": "absolute", "min_disparity": -60, "p1": 0, "p2": 4095}),
    (2, 19, {"disparities": 512, "cost": "census-ring", "paths": 4, "lr_check": 9}),
    (2, 5, {"disparities": 528, "cost": "census-ring", "paths": 4}),
    (2, 5, {"disparities": 1024, "cost": "absolute", "paths": "sweeps"}),
    (2, 3, {"disparities": 2048, "min_disparity": -40, "paths": 4}),
    (34, 41, {"search": "hierarchical", "disparities": 48}),
    (
        37,
        70,
        {"search": "hierarchical", "disparities": 80, "min_disparity": -5, "search_sides": True},
    ),
    (33, 39, {"search": "hierarchical", "disparities": 96, "paths": "sweeps", "cost": "absolute"}),
    (9, 41, {"disparities": 16, "cost": "census-checkerboard", "speckle_size": 0}),
    (11, 13, {"disparities": 16, "first_path": 2, "last_path": 5}),
    (11, 37, {"disparities": 16, "decimation": 2, "temporal_alpha": 0.4, "min_disparity": -3}),
    (9, 21, {"disparities": 16, "decimation": 4, "persistence": "always", "guided_median": 20}),
    (9, 15, {"disparities": 16, "first_path": 7, "last_path": 7, "p2_adaptation": "none"}),
    (
        35,
        41,
        {
            "disparities": 16,
            "speckle_size": 12,
            "speckle_range": 2,
            "fill_holes": False,
            "guided_median": 9,
        },
    ),
)


@pytest.mark.parametrize("variant", CUDA_VARIANTS, ids=lambda variant: variant.name)
@pytest.mark.parametrize(("height", "width", "changes"), CASES)
def test_emulated_variant_equals_reference(
    emulation: None, variant: Variant, height: int, width: int, changes: dict[str, Any]
) -> None:
    kind = ("shifted", "noise")[height // 2 % 2]
    assert_same(SGM, variant, EIGHT.changed(**changes), height, width, kind)


@pytest.mark.parametrize("disparities", [48, 144])  # lanes without disparities; more blocks
def test_emulated_sweeps_are_the_same_frame_after_frame(emulation: None, disparities: int) -> None:
    params = EIGHT.changed(disparities=disparities, paths="sweeps")
    execution = prepare(SGM, "fast", params, 33, 41)
    reference = prepare(SGM, "reference", params, 33, 41)
    for kind in ("noise", "shifted", "extremes", "noise"):
        for each in (execution, reference):
            each.upload(**inputs_for(SGM, 33, 41, kind))
            each.run()
        assert np.array_equal(execution.download("disparity"), reference.download("disparity"))


@pytest.mark.parametrize("variant", CUDA_VARIANTS, ids=lambda variant: variant.name)
@pytest.mark.parametrize("pipeline", [SGM, with_rectification(SGM)], ids=["plain", "rectifying"])
def test_emulated_bands_equal_those_of_the_reference(
    emulation: None, pipeline: Pipeline, variant: Variant
) -> None:
    params, size = EIGHT.changed(disparities=16, paths=4), (325, 9)
    reference = Planner(Setup(pipeline, pipeline.variant("reference"), params, *size))
    device, results = open_device("cpu"), []
    ahead = reference.ahead and Execution(reference.ahead, device, reference.colours)
    band = Execution(reference.band(band_height(size[0], 2)), device)
    for execution in (
        prepare_in_bands(pipeline, variant.name, params, *size, count=2),
        BandedExecution(pipeline, band, ahead, size[0], 2, ()),
    ):
        assert execution.bands == 2
        execution.upload(**inputs_for(pipeline, *size, "noise"))
        execution.run()
        results.append(execution.download("disparity"))
    np.testing.assert_array_equal(results[0], results[1])


@pytest.mark.parametrize("name", ["global", "texture", "fast"])
def test_emulated_rectification_equals_the_reference(emulation: None, name: str) -> None:
    for height, width in ((1, 1), (5, 17), (9, 40), (33, 20)):
        variant = RECTIFY.variant(name)
        assert_same(RECTIFY, variant, RECTIFY.params(), height, width, "noise")


def test_emulated_colour_conversion_equals_the_reference(emulation: None) -> None:
    for height, width in ((1, 1), (5, 17), (9, 40), (34, 20)):
        assert_same(NV12, NV12.variant("global"), NV12.params(), height, width, "noise")


@pytest.mark.parametrize("name", ["texture", "fast"])
def test_emulated_matching_of_raw_views_equals_the_reference(emulation: None, name: str) -> None:
    rectifying = with_rectification(SGM)
    params = SGM.params().changed(disparities=16)
    assert_same(rectifying, rectifying.variant(name), params, 11, 37, "shifted")
