"""Variant ``fast`` of the mean filter: the reference's bits, and no byte beside them written."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.test_mean_filter import RADII, adversarial, blurred, noise
from tests.test_parity import assert_same
from wheatstone.gpu.execution import compute
from wheatstone.gpu.kernels.packed_filters import FEW, MANY, SMALL, layout, packed_mean
from wheatstone.gpu.kernels.packed_filters import PACKED_MEAN_KERNELS as KERNELS
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams
from wheatstone.gpu.reference.image_filters import mean_filter

FAST = MEAN.variant("fast")
WRITTEN = 0xA5  # in the place of what must not be written
CONVENTIONS = list(dict.fromkeys((radius, name) for name, radius, *_ in KERNELS))
WIDTHS = (*range(1, 71), 239, 240, 241, 247, 248, 249, 479, 481, *range(1900, 1931))


def mean_between_guards(
    image: NDArray[np.uint8], radius: int, convention: str
) -> NDArray[np.uint8]:
    around = np.full(image.size + 128, WRITTEN, np.uint8)
    first = -around.ctypes.data % 64 + 16
    inner = around[first : first + image.size].reshape(image.shape)
    packed_mean(aligned(image), inner, radius, convention)
    assert (around[:first] == WRITTEN).all() and (around[first + image.size :] == WRITTEN).all()
    return inner


def aligned(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A copy that begins where a GPU's memory would, at a multiple of 64 bytes."""
    memory = np.empty(image.size + 128, np.uint8)
    first = -memory.ctypes.data % 64
    result = memory[first : first + image.size].reshape(image.shape)
    result[:] = image
    return result


def expected(image: NDArray[np.uint8], radius: int, convention: str) -> NDArray[np.uint8]:
    mean = np.empty_like(image)
    mean_filter(image, mean, radius, convention)
    return mean


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize(("radius", "convention"), CONVENTIONS)
def test_emulated_fast_equals_reference_at_every_width(radius: int, convention: str) -> None:
    for width in WIDTHS:
        for height in {1 + width % 9, radius + 1, radius + 2 + width % 13}:
            image = noise(height, width)
            result = mean_between_guards(image, radius, convention)
            assert np.array_equal(result, expected(image, radius, convention)), (height, width)


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize(("radius", "convention"), CONVENTIONS)
def test_emulated_fast_equals_reference_on_adversarial_images(radius: int, convention: str) -> None:
    for height, width in ((47, 63), (33, 64), (9, 248)):
        for name, image in adversarial(height, width).items():
            result = mean_between_guards(image, radius, convention)
            assert np.array_equal(result, expected(image, radius, convention)), name


@pytest.mark.parametrize("truncate", [False, True])
@pytest.mark.parametrize("radius", RADII)
def test_a_quotient_is_the_upper_byte_of_a_product(radius: int, truncate: bool) -> None:
    area = (2 * radius + 1) ** 2
    half = 0 if truncate else area // 2
    reciprocal = -(-(1 << 24) // area)
    sums = np.arange(255 * area + 1, dtype=np.int64)
    products = (sums + half) * reciprocal
    assert products.max() < 1 << 32
    assert np.array_equal(products >> 24, (sums + half) // area)


def test_small_images_get_fewer_rows_a_thread() -> None:
    small, large = SMALL, SMALL + 1
    assert [layout(radius, small) for radius in (1, 3, 4, 7)] == [FEW, FEW, MANY, MANY]
    assert [layout(radius, large) for radius in (1, 3, 4, 7)] == [FEW, MANY, MANY, MANY]


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize(("radius", "convention"), CONVENTIONS)
def test_emulated_fast_equals_reference_with_the_rows_of_large_images(
    radius: int, convention: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wheatstone.gpu.kernels.packed_filters.SMALL", 0)
    for height, width in ((9, 40), (33, 61), (41, 250), (17, 480)):
        assert_same(MEAN, FAST, MeanParams(radius, convention), height, width, "noise")


@pytest.mark.cuda
@pytest.mark.parametrize(("radius", "convention"), CONVENTIONS)
def test_fast_equals_reference_at_every_width(radius: int, convention: str) -> None:
    for width in WIDTHS:
        for height in {1 + width % 9, radius + 1, radius + 2 + width % 43}:
            assert_same(MEAN, FAST, MeanParams(radius, convention), height, width, "noise")


@pytest.mark.cuda
@pytest.mark.parametrize("size", [(1080, 1920), (1080, 1919), (2160, 3840), (2161, 3843)])
@pytest.mark.parametrize("radius", RADII)
def test_fast_equals_opencv_at_large_sizes(radius: int, size: tuple[int, int]) -> None:
    image = noise(*size)
    computed: Any = compute(MEAN, "fast", MeanParams(radius), left=image)
    assert np.array_equal(computed, blurred(image, radius))
