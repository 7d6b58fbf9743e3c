"""Sums of products by Fourier transforms: whole numbers, exact, where they are worth it."""

import numpy as np
import pytest

from tests.test_parity import assert_same
from wheatstone.gpu.cpu import correlation
from wheatstone.gpu.cpu.correlation import DftProducts
from wheatstone.gpu.pipelines.ncc import NCC, NccParams
from wheatstone.gpu.pipelines.ncc.params import Region

TEMPLATES: tuple[tuple[int, int, Region], ...] = (  # height and width of the image, template
    (30, 30, (0, 0, 30, 30)),
    (61, 97, (40, 3, 57, 41)),
    (33, 400, (1, 2, 301, 3)),
    (200, 21, (0, 5, 7, 190)),
)


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize(("height", "width", "template"), TEMPLATES)
def test_scores_are_the_references(
    height: int, width: int, template: Region, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(correlation, "FEWEST", 0)
    monkeypatch.setattr(correlation, "core_count", lambda: cores)
    variant = NCC.variant("cpu")
    for kind, convention, search in zip(
        ("noise", "extremes", "shifted"), ("exact", "book", "exact"), ("left", "right", "right"),
        strict=True,
    ):  # fmt: skip
        params = NccParams(template=template, convention=convention, search=search)
        assert_same(NCC, variant, params, height, width, kind)


def test_large_sums_of_white_are_far_from_the_next_whole_number() -> None:
    white = np.full((700, 900), 255, np.uint8)
    sums = DftProducts(white[:300, :800], white, -150, -400).compute()
    assert np.abs(sums - 300 * 800 * 255**2).max() < 0.01


def test_small_templates_and_those_that_take_too_much_memory_are_multiplied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    image = np.zeros((100, 120), np.uint8)
    assert DftProducts(image[:30, :30], image, 0, 0).worth_it
    assert not DftProducts(image[:29, :30], image, 0, 0).worth_it
    monkeypatch.setattr(correlation, "core_count", lambda: 1)
    monkeypatch.setattr(correlation, "MOST", 129 * 149)
    assert not DftProducts(image[:30, :30], image, 0, 0).worth_it
