"""OpenCV's matcher behind our interface: convention, border, images too narrow for it."""

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.execution import compute
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams

Gray = NDArray[np.uint8]


def test_a_shift_is_recovered_and_the_left_border_invalid() -> None:
    left, right = shifted_pair(height=40, width=120, disparity=9)
    for paths in (4, 8):
        params = SgmParams(disparities=32, paths=paths)
        disparity = compute(SGM, "opencv-sgbm", params, left=left, right=right)
        assert np.median(disparity[:, 32:]) == 9 * 16
        assert np.all(disparity[:, :32] == -16)


@pytest.mark.parametrize("paths", [4, 8])
@pytest.mark.parametrize("min_disparity", [-40, -15, 0, 1024])
@pytest.mark.parametrize(("height", "width"), [(1, 1), (3, 17), (5, 33)])
def test_images_narrower_than_the_range_are_invalid_altogether(
    height: int, width: int, min_disparity: int, paths: int
) -> None:
    left, right = shifted_pair(height, width, 0)
    params = SgmParams(disparities=64, min_disparity=min_disparity, paths=paths)
    disparity = compute(SGM, "opencv-sgbm", params, left=left, right=right)
    assert np.all(disparity == (min_disparity - 1) * 16)


def shifted_pair(height: int, width: int, disparity: int) -> tuple[Gray, Gray]:
    texture = np.random.default_rng(4).integers(0, 256, (height, width + disparity), dtype=np.uint8)
    left, right = texture[:, :width], texture[:, disparity:]
    return np.ascontiguousarray(left), np.ascontiguousarray(right)
