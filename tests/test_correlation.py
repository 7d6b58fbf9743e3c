"""Correlation: by hand, at the edges, where sums or single precision fail, in every memory."""

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.test_parity import assert_same
from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.pipelines.ncc import NCC, NccParams
from wheatstone.gpu.pipelines.ncc.params import Region, first_pixel
from wheatstone.gpu.reference.correlation import coefficient, window_sums

VARIANTS = [
    pytest.param(v.name, marks=[pytest.mark.cuda] if v.on_gpu else []) for v in NCC.variants
]
CUDA_VARIANTS = [pytest.param(v, id=v.name) for v in NCC.variants if v.on_gpu]


def noise(height: int, width: int, low: int = 0, high: int = 256) -> NDArray[np.uint8]:
    generator = np.random.default_rng((height, width))
    return generator.integers(low, high, (height, width)).astype(np.uint8)


def scores_of(
    left: NDArray[np.uint8],
    template: Region,
    right: NDArray[np.uint8] | None = None,
    variant: str = "reference",
    convention: str = "exact",
) -> NDArray[np.float32]:
    """The scores in the right image if there is one, else in the left."""
    search = "left" if right is None else "right"
    params = NccParams(template=template, search=search, convention=convention)
    images = {"left": left} if right is None else {"left": left, "right": right}
    return compute(NCC, variant, params, **images)


def test_scores_are_those_worked_by_hand() -> None:
    left = np.zeros((3, 3), np.uint8)
    left[1, 1] = 9
    # N = 9, T = 9, TT = 81. One pixel beside the centre the window still holds a 9, but IT = 0:
    # -9 * 9 / sqrt((9 * 81 - 9 * 9) ** 2). In a corner likewise.
    assert scores_of(left, (0, 0, 3, 3)).tolist() == [
        [-0.125] * 3,
        [-0.125, 1, -0.125],
        [-0.125] * 3,
    ]


def test_a_window_sees_the_edge_repeated_outside_the_image() -> None:
    left = np.zeros((4, 6), np.uint8)
    left[:, 3:] = 8
    # At the right edge all windows are flat; over the step, 3 or 6 of 9 pixels are 8.
    scores = scores_of(left, (2, 0, 3, 3))
    assert np.all(scores == np.array([0, 0, 0.5, 1, 0, 0], np.float32))


@pytest.mark.parametrize("convention", ["exact", "book"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_flat_scores_0(variant: str, convention: str) -> None:
    flat, template = np.full((12, 19), 200, np.uint8), (4, 3, 5, 7)
    textured = noise(12, 19)
    for left, right in ((flat, flat), (flat, textured), (textured, flat)):
        assert not scores_of(left, template, right, variant, convention).any()


@pytest.mark.parametrize("variant", VARIANTS)
def test_brightness_and_contrast_do_not_matter(variant: str) -> None:
    left, template = noise(31, 45, high=120), (20, 9, 9, 13)
    brighter = 2 * left + 10
    scores = scores_of(left, template, brighter, variant)
    assert np.array_equal(scores, scores_of(left, template, variant=variant))
    assert np.array_equal(scores, -scores_of(left, template, 255 - brighter, variant))


@pytest.mark.parametrize("template", [(7, 5, 3, 3), (7, 5, 27, 41), (7, 5, 27, 8), (0, 0, 50, 60)])
@pytest.mark.parametrize("convention", ["exact", "book"])
def test_the_template_is_found_where_it_was_cut_out(template: Region, convention: str) -> None:
    x, y, width, height = template
    scores = scores_of(noise(60, 50), template, convention=convention)
    top = width // 2 if convention == "book" else height // 2
    row, column = divmod(int(scores.argmax()), scores.shape[1])
    assert (row, column) == (y + top, x + width // 2)
    assert abs(scores[row, column] - 1) <= (0 if convention == "exact" else 1e-4)


def test_a_window_begins_half_the_template_back_rounded_towards_0() -> None:
    assert first_pixel((0, 0, 27, 41), "exact") == (-20, -13)
    assert first_pixel((0, 0, 27, 41), "book") == (-13, -13)


def test_an_exact_score_is_never_beyond_1() -> None:
    scores = scores_of(noise(64, 64, 254, 256), (10, 10, 31, 33), np.roll(noise(64, 64), 1))
    assert np.abs(scores).max() <= 1


def nearly_flat(grey: int, brighter: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8], int]:
    """A textured left image; a right one flat but for some pixels; its variance, N II - I I."""
    right = np.full((52, 52), grey, np.uint8)
    right[26, 20 : 20 + brighter] += 1
    return noise(52, 52), right, brighter * (52 * 52 - brighter)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_book_gives_0_where_single_precision_loses_the_variance(variant: str) -> None:
    left, right, variance = nearly_flat(200, 10)
    assert variance == 26940
    template = (0, 0, 52, 52)
    assert scores_of(left, template, right, variant, "book")[26, 26] == 0
    assert 0 < abs(scores_of(left, template, right, variant)[26, 26]) < 0.2


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_book_is_far_off_where_single_precision_misjudges_the_variance(variant: str) -> None:
    left, right, variance = nearly_flat(250, 2)
    assert variance == 5404
    template, pixels, total = (0, 0, 52, 52), np.float32(2704), np.float32(right.sum())
    squares = np.float32((right.astype(np.int64) ** 2).sum())
    assert pixels * squares - total * total == 32768
    book, exact = (
        scores_of(left, template, right, variant, convention)[26, 26]
        for convention in ("book", "exact")
    )
    assert book == pytest.approx(exact * (5404 / 32768) ** 0.5, rel=0.05)


@pytest.mark.parametrize("variant", VARIANTS[1:])
def test_sums_beyond_32_bits_are_right(variant: str) -> None:
    left = noise(240, 300, 200, 256)
    template = (0, 0, 300, 240)
    if variant == "constant":
        with pytest.raises(ValueError, match="at most 3072"):
            scores_of(left, template, variant=variant)
        return
    scores = scores_of(left, template, variant=variant)
    greys = left.astype(np.int64)
    template_sums = np.array([greys.sum(), (greys**2).sum()])
    assert template_sums[1] > 2**31
    for y, x in ((0, 0), (120, 150), (77, 299), (239, 13)):
        sums = window_sums(left, left, y - 120, x - 150)
        assert scores[y, x] == coefficient(left.size, sums, template_sums, False)


@pytest.mark.parametrize(
    ("template", "refusal"),
    [
        ((37, 0, 24, 24), "24x24 pixels at \\(37, 0\\) leaves the image of 60x40 pixels"),
        ((0, 10, 8, 31), "8x31 pixels at \\(0, 10\\) leaves the image of 60x40 pixels"),
    ],
)
def test_a_template_outside_the_image_is_refused(template: Region, refusal: str) -> None:
    with pytest.raises(ValueError, match=refusal):
        prepare(NCC, "reference", NccParams(template=template), 40, 60)


def test_a_template_beyond_64_bit_sums_is_refused() -> None:
    with pytest.raises(ValueError, match=r"8392704 pixels.* 64-bit .* 8388608$"):
        prepare(NCC, "reference", NccParams(template=(0, 0, 4098, 2048)), 4000, 5000)


def test_constant_refuses_what_constant_memory_does_not_hold() -> None:
    refuses = NCC.variant("constant").refuses
    assert not refuses(NccParams(template=(0, 0, 64, 48)), 480, 640)
    refusal = refuses(NccParams(template=(0, 0, 64, 49)), 480, 640)
    for fact in ("64x49", "3136 pixels", "3072", "variant texture"):
        assert fact in refusal


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ((0, 0, 52, 52), ""),
        ((0, 0, 64, 49), "3136 pixels, constant memory .* 3072$"),
        ((0, 0, 4, 760), ""),
        ((0, 0, 4, 761), "49216 bytes, shared memory .* 49152$"),
    ],
)
def test_shared_says_when_it_runs_the_kernel_of_texture(template: Region, why: str) -> None:
    remark = NCC.variant("shared").remark(NccParams(template=template), 800, 640)
    assert re.search(why, remark)
    assert ("kernel of texture" in remark) == bool(why)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_single_image_will_do_when_the_left_one_is_searched(variant: str) -> None:
    execution = prepare(NCC, variant, NccParams(template=(3, 4, 5, 6)), 33, 61)
    left = noise(33, 61)
    execution.upload(left=left)
    execution.run()
    assert execution.download("scores")[4 + 3, 3 + 2] == 1
    assert np.array_equal(execution.download("searched"), left)


def test_the_view_searched_is_the_one_chosen() -> None:
    left, right = noise(33, 61), noise(33, 61)[::-1].copy()
    for search, chosen in (("left", left), ("right", right)):
        execution = prepare(NCC, "reference", NccParams(search=search), 33, 61)
        execution.upload(left=left, right=right)
        assert np.array_equal(execution.download("searched"), chosen)


CASES: tuple[tuple[int, int, dict[str, Any]], ...] = (  # height, width, parameters
    (33, 61, {"convention": "book"}),
    (33, 61, {"search": "right", "peaks": 16, "threshold": -1.0, "template": (3, 5, 3, 3)}),
    (45, 37, {"template": (4, 2, 27, 41), "convention": "book", "threshold": -1.0, "peaks": 16}),
    (45, 37, {"template": (0, 0, 37, 45), "search": "right", "threshold": 0.0}),
    (60, 53, {"template": (0, 0, 53, 60), "search": "right"}),  # beyond constant memory
    (3, 3, {"template": (0, 0, 3, 3), "threshold": -1.0}),
    (770, 4, {"template": (0, 0, 4, 768)}),  # beyond shared memory
)


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize("variant", CUDA_VARIANTS)
@pytest.mark.parametrize(("height", "width", "changes"), CASES)
def test_emulated_variant_equals_reference(
    variant: Any, height: int, width: int, changes: dict[str, Any]
) -> None:
    if variant.name == "fast" and height > 100:
        pytest.skip("takes minutes; other templates of several parts are emulated")
    for kind in ("shifted", "extremes"):
        assert_same(NCC, variant, NccParams(**changes), height, width, kind)


TILES = [(8, 32), (7, 31), (9, 33), (16, 64), (17, 65)]


@pytest.mark.usefixtures("emulation")
@pytest.mark.parametrize(("height", "width"), TILES)
def test_emulated_tiles_are_right_at_their_edges(height: int, width: int) -> None:
    for template in ((1, 2, 3, 3), (2, 0, 29, 5), (0, 1, 4, 6)):
        params = NccParams(template=template, search="right")
        assert_same(NCC, NCC.variant("shared"), params, height, width, "noise")


@pytest.mark.cuda
@pytest.mark.parametrize(("height", "width"), TILES)
def test_tiles_are_right_at_their_edges(height: int, width: int) -> None:
    for template in ((1, 2, 3, 3), (2, 0, 29, 5), (0, 1, 4, 6)):
        params = NccParams(template=template, search="right")
        assert_same(NCC, NCC.variant("shared"), params, height, width, "noise")


@pytest.mark.parametrize("variant", VARIANTS[1:])
@pytest.mark.parametrize(("height", "width", "changes"), CASES)
def test_variant_equals_reference_on_odd_templates(
    variant: str, height: int, width: int, changes: dict[str, Any]
) -> None:
    for kind in ("shifted", "extremes"):
        assert_same(NCC, NCC.variant(variant), NccParams(**changes), height, width, kind)
