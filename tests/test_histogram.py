"""Counts of values, their percentiles and the range fitted to them."""

import numpy as np
import pytest

from wheatstone.viewer.panels.histogram.counts import BINS, count, count_difference, fitted


def test_a_hand_made_image_is_counted_value_by_value() -> None:
    stored = np.array([[16, 16, 32], [-16, 48, 32]], np.int16)
    counts = count(stored, 1 / 16, -16)
    assert (counts.first, counts.step, counts.invalid, counts.valid) == (1.0, 1 / 16, 1, 5)
    assert {i: n for i, n in enumerate(counts.counts.tolist()) if n} == {0: 2, 16: 2, 32: 1}
    assert [counts.percentile(p) for p in (0, 40, 41, 80, 81, 100)] == [1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "int32", "uint32"])
def test_percentiles_of_whole_numbers_are_exact(dtype: str) -> None:
    stored = np.random.default_rng(1).integers(0, 200, (31, 47)).astype(dtype)
    counts, ordered = count(stored, 1.0, 7), np.sort(stored[stored != 7])
    assert counts.invalid == np.count_nonzero(stored == 7)
    for percent in (1, 25, 50, 99):
        expected = ordered[max(-(-len(ordered) * percent // 100) - 1, 0)]
        assert counts.percentile(percent) == expected


def test_the_whole_range_of_16_bits_is_counted_exactly() -> None:
    stored = np.array([[-32768, 32767, 0, 0]], np.int16)
    counts = count(stored, 1.0, None)
    assert len(counts.counts) == 65536 and counts.counts[[0, 32768, 65535]].tolist() == [1, 2, 1]


def test_floats_are_counted_in_bins_and_only_where_finite() -> None:
    stored = np.random.default_rng(2).random((40, 50), np.float32)
    stored[0, :3] = np.nan, np.inf, -np.inf
    counts = count(stored, 2.0, None)
    assert (counts.invalid, counts.valid) == (3, 1997)
    median = counts.percentile(50)
    assert median == pytest.approx(2 * np.median(stored[np.isfinite(stored)]), abs=4 / BINS)


def test_a_difference_is_counted_where_both_have_a_value() -> None:
    a, b = np.array([[16, 32, -16, 48]], np.int16), np.array([[48, -16, 16, 16]], np.int16)
    signed = count_difference(a, b, 1 / 16, (-16, -16), True)
    assert (signed.first, signed.invalid, signed.valid) == (-2.0, 2, 2)
    apart = count_difference(a, b, 1 / 16, (-16, -16), False)
    assert (apart.first, apart.percentile(100), apart.valid) == (2.0, 2.0, 2)


def test_bars_hold_every_pixel_in_their_range_and_as_many_bins_each() -> None:
    stored = np.arange(100, dtype=np.uint8).reshape(10, 10)
    bars, width = count(stored, 1.0, None).bars(0, 99, 30)
    assert width == 4 and bars.shape == (25, 2)
    assert bars[:, 1].tolist() == [4] * 25 and bars[0, 0] == 1.5
    beyond, _ = count(stored, 1.0, None).bars(-50, 49, 10)
    assert beyond[:, 1].tolist() == [0] * 5 + [10] * 5


def test_a_fitted_range_leaves_the_extremes_out() -> None:
    stored = np.concatenate([np.full(2, 0), np.arange(100, 298), [9999, 9999]]).astype(np.int16)
    assert fitted(count(stored[None], 1.0, None)) == (100, 297)


def test_a_range_is_never_empty_and_none_comes_of_nothing() -> None:
    flat = count(np.full((3, 3), 5, np.int16), 1 / 16, None)
    assert fitted(flat) == (5 / 16, 6 / 16)
    nothing = count(np.full((3, 3), -16, np.int16), 1 / 16, -16)
    assert fitted(nothing) is None and nothing.invalid == 9 and nothing.valid == 0
    assert nothing.percentile(50) is None
