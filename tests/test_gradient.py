"""Gradient: hand-worked kernels, borders, rounding, directions all round."""

import math
from typing import Any, NamedTuple

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.cpu.gradient import gradient as gradient_on_all_cores
from wheatstone.gpu.reference.gradient import gradient, sector, sixteenth


class Result(NamedTuple):
    x: NDArray[Any]
    y: NDArray[Any]
    magnitude: NDArray[Any]
    direction: NDArray[Any]


def computed(image: Any, convention: str = "opencv", norm: str = "l2", aperture: int = 3) -> Result:
    blurred = np.array(image, np.uint8)
    dtypes = (np.int16, np.int16, np.int32, np.uint8)
    result = Result(*(np.full(blurred.shape, 77, dtype) for dtype in dtypes))
    gradient(blurred, *result, convention, norm, aperture)
    return result


def test_a_gradient_points_to_the_right_and_down_where_it_gets_brighter() -> None:
    right = computed([[0, 0, 9, 9]] * 3)
    assert right.x[1].tolist() == [0, 36, 36, 0]
    assert not right.y.any()
    down = computed([[0] * 3, [0] * 3, [9] * 3, [9] * 3])
    assert down.y[:, 1].tolist() == [0, 36, 36, 0]
    assert not down.x.any()


def test_the_signs_of_the_published_programs() -> None:
    corner = np.zeros((5, 5))
    corner[3:, 3:] = 10
    signs = {
        convention: (int(result.x[2, 2]), int(result.y[2, 2]))
        for convention in ("opencv", "aveiro-2015", "aveiro-2025")
        for result in (computed(corner, convention),)
    }
    assert signs == {"opencv": (10, 10), "aveiro-2015": (10, -10), "aveiro-2025": (-10, 10)}


def test_aveiro_has_no_gradient_on_the_edge_of_the_image() -> None:
    image = np.random.default_rng(1).integers(0, 256, (6, 7))
    result = computed(image, "aveiro-2025")
    edge = np.ones((6, 7), bool)
    edge[1:-1, 1:-1] = False
    assert not result.magnitude[edge].any()
    assert (result.direction[edge] == 4).all()
    assert result.magnitude[~edge].any()


@pytest.mark.parametrize("aperture", [3, 5, 7])
@pytest.mark.parametrize(("height", "width"), [(19, 23), (1, 1), (1, 8), (7, 2)])
def test_opencv_equals_sobel(height: int, width: int, aperture: int) -> None:
    image = np.random.default_rng(2).integers(0, 256, (height, width), np.uint8)
    result = computed(image, aperture=aperture)
    scale = 1 / 16 if aperture == 7 else 1
    for ours, order in ((result.x, (1, 0)), (result.y, (0, 1))):
        sobel = cv2.Sobel(
            image, cv2.CV_64F, *order, ksize=aperture, borderType=cv2.BORDER_REPLICATE
        )
        assert np.array_equal(ours, np.rint(sobel.reshape(image.shape) * scale))


def test_sixteenths_are_rounded_halves_to_even() -> None:
    for value in range(-200, 200):
        assert sixteenth(value) == round(value / 16)


def test_the_root_is_rounded_up_in_opencv_and_down_in_aveiro() -> None:
    # A corner of 10 levels: gradients (10, 10), root 14.14.
    corner = np.zeros((5, 5))
    corner[3:, 3:] = 10
    assert computed(corner).magnitude[2, 2] == 15
    assert computed(corner, "aveiro-2015").magnitude[2, 2] == 14
    assert computed(corner, norm="l1").magnitude[2, 2] == 20
    # Where the root is whole there is nothing to round: a step of 9 levels.
    assert computed([[0, 0, 9, 9]] * 3).magnitude[1, 1] == 36


def test_magnitudes_of_aperture_7_count_from_before_the_division() -> None:
    step = np.zeros((9, 12))
    step[:, 6:] = 1
    result = computed(step, aperture=7)
    assert result.x[4, 6] == 64 * 10 // 16
    assert result.magnitude[4, 6] == 640


def test_directions_are_the_nearest_eighth_of_a_turn() -> None:
    for degrees in range(360):
        if degrees % 45 in (22, 23):
            continue  # beside the limit between two sectors
        gx = round(1000 * math.cos(math.radians(degrees)))
        gy = round(1000 * math.sin(math.radians(degrees)))  # downwards
        assert sector(gx, gy) == round(degrees / 45) % 4, degrees
    assert sector(0, 0) == 4


def test_directions_equal_those_by_arctangent() -> None:
    side = np.arange(-1020, 1021, 17)
    for gx in side:
        for gy in side:
            if gx or gy:
                eighths = math.atan2(gy, gx) / math.pi * 4
                assert sector(int(gx), int(gy)) == round(eighths) % 4


@pytest.mark.parametrize("aperture", [3, 5, 7])
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_all_cores_give_the_references_extremes(aperture: int, norm: str) -> None:
    image = np.zeros((40, 40), np.uint8)
    image[20:, :20] = 255
    image[:10, 25:] = 255
    expected = computed(image, norm=norm, aperture=aperture)
    result = Result(*(np.full_like(plane, 5) for plane in expected))
    gradient_on_all_cores(image, *result, "opencv", norm, aperture)
    for ours, reference in zip(result, expected, strict=True):
        assert np.array_equal(ours, reference)
