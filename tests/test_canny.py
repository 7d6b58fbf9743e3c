"""The Canny pipeline as a whole: OpenCV's edges, images that try it, and its kernels emulated."""

from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.test_parity import assert_same
from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Variant
from wheatstone.gpu.pipelines.canny import CANNY, CannyParams
from wheatstone.gpu.pipelines.canny.params import GAIN

VARIANTS = [
    pytest.param(v.name, marks=[pytest.mark.cuda] if v.on_gpu else []) for v in CANNY.variants
]
CUDA_VARIANTS = [variant for variant in CANNY.variants if variant.on_gpu]
PLAIN = CannyParams(sigma=0.0)


def blobs(height: int, width: int, seed: int) -> NDArray[np.uint8]:
    generator = np.random.default_rng(seed)
    coarse = generator.integers(0, 256, (height, width)).astype(np.float32)
    smooth = cv2.GaussianBlur(coarse, (0, 0), 3)
    stretched = (smooth - smooth.min()) * (250 / max(np.ptp(smooth), 1))
    noise = generator.integers(0, 6, (height, width))
    image: NDArray[np.uint8] = (stretched + noise).astype(np.uint8)
    return image


def noise(height: int, width: int, seed: int) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (height, width), np.uint8)


def spiral(size: int) -> NDArray[np.uint8]:
    """A line 4 pixels wide that winds from the corner to the centre, ever brighter."""
    path = [(0, x) for x in range(size - 4)]
    y, x, dy, dx, length = 0, size - 4, 1, 0, size - 4
    while length > 8:
        for _ in range(2):
            path += [(y + i * dy, x + i * dx) for i in range(length)]
            y, x, dy, dx = y + length * dy, x + length * dx, dx, -dy
        length -= 8
    image = np.zeros((size, size), np.uint8)
    for (y, x), level in zip(path, np.linspace(60, 255, len(path)), strict=True):
        image[y : y + 4, x : x + 4] = level
    return image


def opencv(image: NDArray[np.uint8], params: CannyParams) -> NDArray[np.uint8]:
    """cv2.Canny's edges with the same parameters."""
    blurred = cv2.GaussianBlur(image, (0, 0), params.sigma) if params.sigma > 0 else image
    edges: NDArray[np.uint8] = cv2.Canny(
        blurred,
        params.low,
        params.high,
        apertureSize=params.aperture,
        L2gradient=params.norm == "l2",
    )
    return edges


def assert_opencvs(variant: str, image: NDArray[np.uint8], params: CannyParams) -> None:
    edges = compute(CANNY, variant, params, left=image)
    assert np.array_equal(edges, opencv(image, params)), params


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("aperture", GAIN)
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_edges_equal_opencvs(variant: str, norm: str, aperture: int) -> None:
    generator = np.random.default_rng(aperture)
    for seed in range(12):
        height, width = generator.integers(1, 90, 2)
        make = noise if seed % 2 else blobs
        limit = min(700 * GAIN[aperture], 32767) if seed % 2 else 150 * GAIN[aperture]
        low, high = sorted(int(t) for t in generator.integers(0, limit, 2))
        params = CannyParams(sigma=0.0, low=low, high=high, norm=norm, aperture=aperture)
        assert_opencvs(variant, make(height, width, seed), params)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("sigma", [0.3, 0.8, 1.0, 1.4, 2.7, 6.0])
def test_edges_after_the_gaussian_equal_opencvs(variant: str, sigma: float) -> None:
    for make, height, width in ((blobs, 67, 83), (noise, 41, 90), (noise, 3, 2)):
        assert_opencvs(variant, make(height, width, 5), CannyParams(sigma=sigma, low=8, high=20))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("threshold", [0, 1, 359, 360, 361, 1442, 1443, 32767])
def test_thresholds_are_exceeded_as_opencvs(variant: str, threshold: int) -> None:
    # A step of 90 grey levels has the gradient 360, a corner of it (270, 270): 381.8.
    image = np.zeros((9, 9), np.uint8)
    image[4:, 4:] = 90
    for norm in ("l1", "l2"):
        params = PLAIN.changed(low=0, high=threshold, norm=norm)
        assert_opencvs(variant, image, params)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("level", [0, 255])
def test_an_even_image_has_no_edges(variant: str, level: int) -> None:
    image = np.full((20, 30), level, np.uint8)
    for thresholds in ("manual", "median", "otsu", "quantile"):
        params = PLAIN.changed(thresholds=thresholds)
        assert not compute(CANNY, variant, params, left=image).any(), thresholds


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("convention", ["aveiro-2015", "aveiro-2025"])
def test_a_black_image_stays_black_where_the_published_program_divides_by_zero(
    variant: str, convention: str
) -> None:
    params = CANNY.preset(convention)
    assert not compute(CANNY, variant, params, left=np.zeros((20, 30), np.uint8)).any()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("convention", ["aveiro-2015", "aveiro-2025"])
def test_a_white_image_has_the_published_programs_frame(variant: str, convention: str) -> None:
    # The smoothed image is black where the window leaves the image, here 3 pixels wide.
    params = CANNY.preset(convention)
    edges = compute(CANNY, variant, params, left=np.full((20, 30), 255, np.uint8))
    assert edges.any()
    assert not edges[4:-4, 4:-4].any()


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_pixel_and_a_checkerboard_give_opencvs_edges(variant: str) -> None:
    point = np.zeros((21, 35), np.uint8)
    point[10, 17] = 255
    board = (np.indices((35, 40)).sum(axis=0) % 2 * 255).astype(np.uint8)
    squares = np.kron(board[:7, :8], np.ones((5, 5), np.uint8)).astype(np.uint8)
    for image in (point, board, squares):
        for norm in ("l1", "l2"):
            for params in (PLAIN, CannyParams(sigma=1.0, low=5, high=9)):
                assert_opencvs(variant, image, params.changed(norm=norm))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_spiral_is_followed_from_its_end_to_its_beginning(variant: str) -> None:
    image = spiral(257)
    params = PLAIN.changed(low=200, high=1010, norm="l1")
    height, width = image.shape
    execution = prepare(CANNY, variant, params, height, width, ("seeds",))
    execution.upload(left=image)
    execution.run()
    edges, seeds = execution.download("edges"), execution.download("seeds")
    assert np.array_equal(edges, opencv(image, params))
    assert np.count_nonzero(seeds == 255) < 300
    assert np.count_nonzero(edges) > 10000


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("convention", ["aveiro-2015", "aveiro-2025"])
def test_the_aveiro_conventions_refuse_images_no_larger_than_the_kernel(
    variant: str, convention: str
) -> None:
    params = CANNY.preset(convention)
    complaint = r"7 px at sigma 1\.0 \(got 30x7\)"
    if CANNY.variant(variant).device == "cpu":
        prepare(CANNY, variant, params, 8, 8)
    with pytest.raises(ValueError, match=complaint):
        prepare(CANNY, variant, params, 7, 30)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"aperture": 5}, r"aperture must be 3 in convention aveiro-2025 \(got 5\)"),
        ({"sigma": 0.0}, r"sigma must be at least 0\.1 in convention aveiro-2025 \(got 0\.0\)"),
    ],
)
def test_the_aveiro_conventions_refuse_what_the_programs_lack(
    changes: dict[str, Any], complaint: str
) -> None:
    params = CANNY.preset("aveiro-2025").changed(**changes)
    with pytest.raises(ValueError, match=complaint):
        prepare(CANNY, "reference", params, 50, 50)


CASES: tuple[tuple[int, int, dict[str, Any]], ...] = (  # height, width, unlike the defaults
    (1, 1, {"thresholds": "quantile"}),
    (1, 40, {"sigma": 2.7, "thresholds": "median"}),
    (23, 1, {"sigma": 0.0, "norm": "l1", "thresholds": "otsu"}),
    (17, 33, {"sigma": 0.0, "aperture": 5, "low": 400, "high": 3000, "thresholds": "median"}),
    (33, 65, {"sigma": 6.0, "aperture": 7, "low": 400, "high": 3000}),
    (33, 65, {"sigma": 0.0, "aperture": 7, "norm": "l1", "thresholds": "quantile"}),
    (19, 45, {"convention": "aveiro-2015", "sigma": 0.5, "low": 0, "high": 0}),
    (35, 37, {"convention": "aveiro-2025", "sigma": 1.3, "low": 20, "high": 100}),
    (29, 34, {"convention": "aveiro-2025", "sigma": 6.0, "norm": "l1", "thresholds": "otsu"}),
    (29, 34, {"convention": "aveiro-2015", "sigma": 0.1, "thresholds": "median"}),
)


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("variant", CUDA_VARIANTS, ids=lambda variant: variant.name)
@pytest.mark.parametrize(("height", "width", "changes"), CASES)
def test_emulated_variant_equals_reference(
    variant: Variant, height: int, width: int, changes: dict[str, Any]
) -> None:
    params: Params = CANNY.params().changed(**changes)
    for kind in ("noise", "extremes"):
        assert_same(CANNY, variant, params, height, width, kind)


def tile_edges(variant: str, params: CannyParams) -> None:
    """Every stage's image is the reference's along every edge of a tile of 16 x 32."""
    image, names = (
        blobs(51, 101, 7),
        ("blurred", "magnitude", "direction", "suppressed", "strength"),
    )
    ours, reference = (prepare(CANNY, v, params, 51, 101, names) for v in (variant, "reference"))
    for execution in (ours, reference):
        execution.upload(left=image)
        execution.run()
    for name in (*names, "edges"):
        differing = ours.download(name) != reference.download(name)
        assert not differing.any(), (name, np.argwhere(differing)[:5])
    assert np.count_nonzero(ours.download("strength") == 2) > 20  # something to follow


TILE_CASES: tuple[dict[str, Any], ...] = (
    {"convention": "opencv", "sigma": 3.0, "low": 3, "high": 60, "norm": "l1"},
    {"convention": "opencv", "sigma": 0.0, "low": 2000, "high": 20000, "aperture": 7},
    {"convention": "aveiro-2015", "sigma": 1.0, "low": 20, "high": 100},
    {"convention": "aveiro-2025", "sigma": 2.5, "low": 20, "high": 100},
)


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("variant", ["shared", "fast"])
@pytest.mark.parametrize("changes", TILE_CASES)
def test_emulated_tiles_are_right_at_their_edges(variant: str, changes: dict[str, Any]) -> None:
    tile_edges(variant, CannyParams(**changes))


@pytest.mark.cuda
@pytest.mark.parametrize("variant", ["shared", "fast"])
@pytest.mark.parametrize("changes", TILE_CASES)
def test_tiles_are_right_at_their_edges(variant: str, changes: dict[str, Any]) -> None:
    tile_edges(variant, CannyParams(**changes))


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("variant", CUDA_VARIANTS, ids=lambda variant: variant.name)
def test_emulated_hysteresis_follows_a_spiral_through_many_tiles(variant: Variant) -> None:
    image = spiral(97)
    params = CannyParams(sigma=0.0, low=200, high=1010, norm="l1")
    assert_opencvs(variant.name, image, params)
