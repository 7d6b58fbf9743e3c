"""Mean filter: hand-worked means, edges, OpenCV's own, tile edges."""

from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.test_parity import assert_same
from wheatstone.gpu.cpu.image_filters import mean_filter as mean_filter_on_all_cores
from wheatstone.gpu.execution import compute
from wheatstone.gpu.kernels.image_filters import BLOCK
from wheatstone.gpu.pipeline import Variant
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams
from wheatstone.gpu.reference.image_filters import mean_filter, reflected

RADII = range(1, 8)
VARIANTS = [
    pytest.param(v.name, marks=[pytest.mark.cuda] if v.on_gpu else []) for v in MEAN.variants
]
CUDA_VARIANTS = [variant for variant in MEAN.variants if variant.on_gpu]


def smoothed(left: Any, radius: int = 1, convention: str = "opencv") -> NDArray[np.uint8]:
    image = np.array(left, np.uint8)
    mean = np.empty_like(image)
    mean_filter(image, mean, radius, convention)
    return mean


def blurred(image: NDArray[np.uint8], radius: int) -> NDArray[np.uint8]:
    mean = cv2.blur(image, (2 * radius + 1, 2 * radius + 1)).reshape(image.shape)
    return np.asarray(mean, np.uint8)


def noise(height: int, width: int) -> NDArray[np.uint8]:
    return np.random.default_rng((height, width)).integers(0, 256, (height, width), np.uint8)


@pytest.mark.parametrize(
    ("center", "rounded", "truncated"), [(4, 0, 0), (5, 1, 0), (8, 1, 0), (9, 1, 1), (14, 2, 1)]
)
def test_opencv_rounds_and_blog_truncates(center: int, rounded: int, truncated: int) -> None:
    image = np.pad([[center]], 1)
    assert smoothed(image)[1, 1] == rounded
    assert smoothed(image, convention="blog")[1, 1] == truncated


def test_the_border_is_mirrored_without_repeating_the_edge() -> None:
    # Top left: 0 once, 9 and 18 twice, 27 four times; the others likewise.
    assert smoothed([[0, 9], [18, 27]]).tolist() == [[18, 15], [12, 9]]
    assert smoothed([[9, 0, 0, 3]]).tolist() == [[3, 3, 1, 1]]


@pytest.mark.parametrize(
    ("count", "continued"), [(1, "00000000000"), (2, "10101010101"), (3, "12101210121")]
)
def test_an_image_too_small_is_mirrored_back_and_forth(count: int, continued: str) -> None:
    assert "".join(str(reflected(position, count)) for position in range(-3, 8)) == continued


@pytest.mark.parametrize("radius", RADII)
def test_one_pixel_stays(radius: int) -> None:
    assert smoothed([[201]], radius).tolist() == [[201]]


def test_blog_leaves_the_border_black() -> None:
    expected = np.pad(np.full((3, 2), 255), 1)
    assert np.array_equal(smoothed(np.full((5, 4), 255), convention="blog"), expected)


@pytest.mark.parametrize("shape", [(1, 1), (2, 9), (9, 2), (1, 40)])
def test_blog_has_no_mean_in_an_image_smaller_than_its_window(shape: tuple[int, int]) -> None:
    assert not smoothed(np.full(shape, 255), convention="blog").any()


@pytest.mark.parametrize("radius", RADII)
def test_an_even_surface_stays_and_a_mirrored_image_has_the_mirrored_mean(radius: int) -> None:
    assert (smoothed(np.full((9, 31), 77), radius) == 77).all()
    image = noise(19, 23)
    assert np.array_equal(smoothed(image[::-1, ::-1], radius), smoothed(image, radius)[::-1, ::-1])


def test_blog_is_for_windows_of_three_pixels() -> None:
    with pytest.raises(ValueError, match="radius must be 1 with convention blog \\(got 7\\)"):
        compute(MEAN, "reference", MeanParams(7, "blog"), left=noise(9, 9))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("radius", RADII)
def test_the_mean_equals_opencvs(variant: str, radius: int) -> None:
    sizes = [(height, width) for height in (1, 2, 3, 5, 8, 13) for width in (1, 2, 4, 7, 8, 37)]
    for size in (*sizes, (61, 83), (131, 257)):
        image = noise(*size)
        mean = compute(MEAN, variant, MeanParams(radius), left=image)
        assert np.array_equal(mean, blurred(image, radius)), size


def adversarial(height: int, width: int) -> dict[str, NDArray[np.uint8]]:
    black = np.zeros((height, width), np.uint8)
    images = {"black": black, "white": ~black}
    for y, x in ((0, 0), (height - 1, width - 1), (height // 2, width // 3)):
        images[f"one pixel at {y}, {x}"] = black.copy()
        images[f"one pixel at {y}, {x}"][y, x] = 255
    checkerboard = np.indices((height, width)).sum(axis=0) % 2 * 255
    return {**images, "checkerboard": checkerboard.astype(np.uint8)}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("radius", RADII)
def test_the_mean_of_an_adversarial_image_equals_opencvs(variant: str, radius: int) -> None:
    for name, image in adversarial(47, 63).items():
        mean = compute(MEAN, variant, MeanParams(radius), left=image)
        assert np.array_equal(mean, blurred(image, radius)), name


@pytest.mark.parametrize("truncate", [False, True])
@pytest.mark.parametrize("radius", RADII)
def test_every_sum_of_a_window_is_rounded_right(radius: int, truncate: bool) -> None:
    window = 2 * radius + 1
    area = window * window
    sums = np.arange(255 * area + 1)
    levels = sums[:, None] // area + (np.arange(area) < sums[:, None] % area)
    # A window for every sum, side by side.
    windows = levels.reshape(-1, window, window).transpose(1, 0, 2)
    image = np.ascontiguousarray(windows.reshape(window, -1), np.uint8)
    mean = np.empty_like(image)
    mean_filter_on_all_cores(image, mean, radius, "blog" if truncate else "opencv")
    expected = sums // area if truncate else (sums + area // 2) // area
    assert np.array_equal(mean[radius, radius::window], expected)
    if not truncate:
        assert np.array_equal(mean, blurred(image, radius))


CASES = [
    (1, 1, MeanParams(7)),
    (1, 40, MeanParams(3)),
    (23, 1, MeanParams(2)),
    (2, 3, MeanParams(6)),
    (13, 37, MeanParams(5)),
    (37, 70, MeanParams(4)),
    (2, 40, MeanParams(1, "blog")),
    (37, 70, MeanParams(1, "blog")),
]


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("variant", CUDA_VARIANTS, ids=lambda variant: variant.name)
@pytest.mark.parametrize(("height", "width", "params"), CASES)
def test_emulated_variant_equals_reference(
    variant: Variant, height: int, width: int, params: MeanParams
) -> None:
    for kind in ("noise", "extremes"):
        assert_same(MEAN, variant, params, height, width, kind)


def assert_right_at_tile_edges(radius: int) -> None:
    for height, width in (
        (BLOCK[1] + dy, 2 * BLOCK[0] + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)
    ):
        tiles = np.indices((height, width)) // np.array(BLOCK[::-1])[:, None, None]
        for lit in (0, 1):  # one tile in two is white: a halo too narrow leaves the others black
            image = np.where(tiles.sum(axis=0) % 2 == lit, 255, 0).astype(np.uint8)
            mean = compute(MEAN, "shared", MeanParams(radius), left=image)
            assert np.array_equal(mean, blurred(image, radius)), (height, width)


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("radius", RADII)
def test_emulated_tiles_are_right_at_their_edges(radius: int) -> None:
    assert_right_at_tile_edges(radius)


@pytest.mark.cuda
@pytest.mark.parametrize("radius", RADII)
def test_tiles_are_right_at_their_edges(radius: int) -> None:
    assert_right_at_tile_edges(radius)
