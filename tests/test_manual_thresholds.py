"""Manual thresholds: exceeded in one convention, reached in the others."""

import numpy as np
import pytest

from wheatstone.gpu.reference.edges import manual_thresholds


@pytest.mark.parametrize(
    ("convention", "expected"),
    [("opencv", [46, 51]), ("aveiro-2015", [45, 50]), ("aveiro-2025", [45, 50])],
)
def test_levels_are_the_least_magnitudes_that_pass(convention: str, expected: list[int]) -> None:
    levels = np.empty(2, np.int32)
    manual_thresholds(levels, 45, 50, convention)
    assert levels.tolist() == expected
