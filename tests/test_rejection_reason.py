"""Reasons of rejection: hand-worked pixels, then what they have to do with the disparity."""

import numpy as np
import pytest

from wheatstone.gpu.execution import prepare
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.reference.checks import rejection_reason

INVALID = -16
NAMES = SGM.image("invalid_reason").labels


def reason(
    *,
    x: int = 5,
    winner: int = 2,
    partner: int = 2,
    unique: int = 32,
    checked: int = INVALID,
    lr_check: int = 1,
) -> str:
    """Why the pixel in column ``x`` of ten was rejected; ``partner`` is the right view's winner."""
    result = np.empty((1, 10), np.uint8)
    images = (np.full((1, 10), value, np.int16) for value in (winner, partner, unique, checked))
    rejection_reason(*images, result, 0, lr_check)
    return str(NAMES[result[0, x]])


def test_every_reason_by_hand() -> None:
    assert reason(checked=32) == "valid"
    assert reason(x=1) == "outside the image"
    assert reason(x=2, partner=4) == "left-right check"
    assert reason(unique=INVALID) == "uniqueness"
    assert reason() == "speckle"


def test_of_several_reasons_the_first_is_given() -> None:
    assert reason(x=1, partner=9, unique=INVALID) == "outside the image"
    assert reason(partner=9, unique=INVALID) == "left-right check"


def test_without_the_check_against_the_right_view_it_is_no_reason() -> None:
    assert reason(x=1, partner=9, checked=32, lr_check=-1) == "valid"
    assert reason(x=1, partner=9, unique=INVALID, lr_check=-1) == "uniqueness"


@pytest.mark.parametrize(
    ("changes", "speckles"),
    [
        ({}, True),
        ({"uniqueness": 0}, True),
        ({"lr_check": -1}, True),
        ({"lr_check": 0, "speckle_size": 0}, False),
    ],
)
def test_rejected_pixels_have_a_reason_and_keep_it_when_filled(
    changes: dict[str, int], speckles: bool
) -> None:
    generator = np.random.default_rng(4)
    left = generator.integers(0, 256, (23, 61), np.uint8)
    right = np.roll(left, -3, axis=1)
    right[8:15, 20:40] = generator.integers(0, 256, (7, 20))
    params = SgmParams(disparities=16, fill_holes=True).changed(**changes)
    execution = prepare(SGM, "reference", params, 23, 61, ["invalid_reason"])
    execution.upload(left=left, right=right)
    execution.run()
    invalid = SGM.image("disparity").invalid
    assert invalid
    rejected = execution.download("filtered") == invalid(params)
    reasons = execution.download("invalid_reason")
    assert np.array_equal(rejected, reasons > 0)
    assert 0 < rejected.sum() < rejected.size
    assert (NAMES.index("speckle") in reasons) == speckles
    filled = rejected & (execution.download("disparity") != invalid(params))
    assert filled.any()
