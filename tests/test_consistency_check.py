"""Consistency check: hand-worked partners, then borders."""

import numpy as np
import pytest

from wheatstone.gpu.reference.checks import consistency_check


def checked(
    winner: list[int],
    right_winner: list[int],
    lr_check: int,
    *,
    min_disparity: int = 0,
    unique: list[int] | None = None,
) -> list[int]:
    """Disparity of one row in 1/16 pixel; unless given, what came before is 16 d + 3 or so."""
    before = unique or [16 * (min_disparity + d) + 3 for d in winner]
    disparity = np.empty((1, len(winner)), np.int16)
    rows = (np.array([row], np.int16) for row in (before, winner, right_winner))
    consistency_check(*rows, disparity, min_disparity, lr_check)
    return disparity[0].tolist()  # type: ignore[no-any-return]


INVALID = -16


def test_partners_that_disagree_are_rejected() -> None:
    # Partners: 0 -> 0, 1 -> 0, 2 -> 1, 3 -> 1; they say 1, 1, 2 and 2.
    assert checked([0, 1, 1, 2], [1, 2, 0, 0], 0) == [INVALID, 19, INVALID, 35]
    assert checked([0, 1, 1, 2], [1, 2, 0, 0], 1) == [3, 19, 19, 35]


@pytest.mark.parametrize("partner", [1, 5])
def test_a_difference_of_as_much_as_allowed_passes_in_both_directions(partner: int) -> None:
    winner, right_winner = [0, 0, 0, 3], [partner, 0, 0, 0]
    assert checked(winner, right_winner, 2)[3] == 51
    assert checked(winner, right_winner, 1)[3] == INVALID


def test_a_partner_left_of_the_image_is_rejected() -> None:
    assert checked([1, 1, 3, 1], [1, 1, 1, 1], 255) == [INVALID, 19, INVALID, 19]


def test_a_partner_right_of_the_image_is_rejected() -> None:
    # With min_disparity -2 the partners are x + 2 - d: 2, 2, 4 and 5 of columns 0..3.
    row = checked([0, 1, 0, 0], [9, 9, 0, 9], 1, min_disparity=-2)
    assert row == [-29, -13, -48, -48]


def test_a_rejected_pixel_stays_rejected() -> None:
    assert checked([0, 0], [0, 0], 0, unique=[INVALID, 5]) == [INVALID, 5]


def test_the_integer_winner_is_judged_not_the_refined_value() -> None:
    assert checked([0, 1], [1, 0], 0, unique=[500, 500]) == [INVALID, 500]


@pytest.mark.parametrize(("min_disparity", "invalid"), [(-5, -96), (1, 0), (7, 96)])
def test_invalid_is_one_pixel_below_the_range(min_disparity: int, invalid: int) -> None:
    assert checked([0], [0], 0, min_disparity=min_disparity, unique=[160]) == [invalid]


def test_a_larger_tolerance_only_rejects_less() -> None:
    generator = np.random.default_rng(11)
    winner, right_winner = generator.integers(0, 16, (2, 9, 31)).astype(np.int16)
    kept = np.zeros((9, 31), bool)
    for lr_check in (0, 1, 2, 15):
        disparity = np.empty_like(winner)
        consistency_check(winner * np.int16(16), winner, right_winner, disparity, 0, lr_check)
        assert not (kept & (disparity < 0)).any()
        kept = disparity >= 0
    assert np.array_equal(kept, np.arange(31) >= winner)  # only partners outside are left over
