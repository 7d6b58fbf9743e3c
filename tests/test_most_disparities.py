"""The most disparities: what each variant declares to hold, and what 16 bits hold."""

from itertools import product

import numpy as np
import pytest

from tests.test_parity import assert_same
from wheatstone.gpu.execution import check_fit, compute
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.pipelines.sgm.params import LARGEST_SUM, MOST_DISPARITIES
from wheatstone.gpu.pipelines.sgm.variants import HELD


def test_sums_of_the_largest_parameters_fit_16_bits() -> None:
    names = ("cost", "gradient", "outside", "paths", "p1", "p2", "p2_adaptation")
    known = controls(SgmParams)
    ends = [known[name].choices or (known[name].low, known[name].high) for name in names]
    sums = [
        SgmParams(**dict(zip(names, values, strict=True))).largest_sum
        for values in product(*ends)
        if values[4] <= values[5]
    ]
    assert max(sums) == 8 * (255 + 4095) <= LARGEST_SUM


def test_disparities_that_16_bits_cannot_store_are_refused() -> None:
    assert not SGM.fits(SgmParams(disparities=2048), 4, 4)
    complaint = SGM.fits(SgmParams(disparities=2048, min_disparity=1), 4, 4)
    assert "up to 2047 px (got a range up to 2048 px)" in complaint


@pytest.mark.parametrize("name", HELD)
def test_a_variant_searches_what_it_declares_and_refuses_more_in_a_line(name: str) -> None:
    most = HELD[name]
    check_fit(SGM, name, SgmParams(disparities=most), 4, 4)
    if most < MOST_DISPARITIES:
        message = rf"at most {most} disparities \(got {most + 16}\).* cpu.* needs 0.0 GB$"
        with pytest.raises(ValueError, match=message):
            check_fit(SGM, name, SgmParams(disparities=most + 16), 4, 4)


def test_the_largest_disparity_is_matched() -> None:
    texture = np.random.default_rng(1).integers(0, 256, (5, 2100), np.uint8)
    left, right = texture, np.roll(texture, -2040, axis=1)
    params = SgmParams(disparities=2048, speckle_size=0)
    disparity = compute(SGM, "cpu", params, left=left, right=right)
    assert np.abs(disparity[:, 2060:2090] - 2040 * 16).max() <= 2
    assert_same(SGM, SGM.variant("cpu"), params, 5, 40, "shifted")
