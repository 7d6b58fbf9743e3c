"""Depth: by hand, then with the calibrations and the disparities that there are."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.execution import prepare
from wheatstone.gpu.pipelines.ahead import with_rectification
from wheatstone.gpu.pipelines.inputs import inputs_of
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.reference.disparity import depth


def depths(disparity: Any, camera: tuple[float, float], min_disparity: int) -> NDArray[np.float32]:
    result = np.empty(np.shape(disparity), np.float32)
    depth(np.array(disparity, np.int16), np.array(camera, np.float32), result, min_disparity)
    return result


def test_depth_is_product_over_disparity() -> None:
    metres = depths([[16, 40, 800, 1, 0, -16]], (100, 0), 0)
    assert metres[0, :4].tolist() == [100, 40, 2, 1600]
    assert np.isnan(metres[0, 4:]).all()  # at infinity; no disparity


def test_the_offset_is_added_before() -> None:
    assert depths([[16, 40]], (100, 3), 0).tolist() == [[25, np.float32(100 / 5.5)]]
    behind = depths([[16, 32, 48]], (100, -2), 0)
    assert np.isnan(behind[0, :2]).all() and behind[0, 2] == 100


def test_negative_disparities_have_a_depth_where_the_offset_outweighs_them() -> None:
    metres = depths([[-80, -64, -176]], (60, 10), -10)  # -5, -4; the last: no disparity
    assert metres[0, :2].tolist() == [12, 10] and np.isnan(metres[0, 2])


def test_sum_and_quotient_are_each_rounded_once() -> None:
    offset, product = np.float32(0.1), np.float32(1e4 / 3)
    expected = product / (np.float32(33 / 16) + offset)
    assert depths([[33]], (float(product), float(offset)), 0)[0, 0] == expected


@pytest.mark.parametrize("pipeline", [SGM, with_rectification(SGM)], ids=["rectified", "raw"])
@pytest.mark.parametrize("variant", ["cpu", "opencv-sgbm"])
def test_depth_is_that_of_the_disparity_written(pipeline: Any, variant: str) -> None:
    noise = np.random.default_rng(4).integers(0, 256, (30, 90), np.uint8)
    views = {"left": noise, "right": np.roll(noise, -3, 1)}
    params = pipeline.params().changed(disparities=16, min_disparity=-4)
    execution = prepare(pipeline, variant, params, 30, 90, ["depth"])
    camera = np.array((50, 1.25), np.float32)
    execution.upload(**inputs_of(pipeline, views, camera=camera))
    execution.run()
    disparity, result = execution.download("disparity"), execution.download("depth")
    valid = disparity != -5 * 16
    away = disparity / np.float32(16) + np.float32(1.25)
    seen = np.isfinite(result)
    assert (seen == (valid & (away > 0))).all() and seen.any()
    assert (result[seen] == np.float32(50) / away[seen]).all()


def test_without_a_calibration_the_focal_length_is_the_width_and_the_baseline_one() -> None:
    noise = np.zeros((30, 90), np.uint8)
    assert inputs_of(SGM, {"left": noise})["camera"].tolist() == [90, 0]
