"""The matcher's better cost, against the results of an independent program, byte for byte."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.pictures import grey
from tests.test_sgm_golden import VARIANTS
from wheatstone.gpu.execution import compute
from wheatstone.gpu.pipelines.sgm import SGM

AFTER = {"subpixel": "equiangular", "guided_median": 20, "outside": 12}
GRADIENT = {"gradient": True, "p2_adaptation": "divide", **AFTER}
SETTINGS: dict[str, dict[str, Any]] = {
    "Zf4": {"cost": "census-ring-symmetric", "paths": 4, "p1": 25, "p2": 150},
    "Zf": {"cost": "census-ring-symmetric", "paths": "sweeps", "p1": 25, "p2": 150},
    "Df4_50": {"cost": "census-symmetric", "paths": 4, "p1": 50, "p2": 300},
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", SETTINGS)
def test_paths_and_sweeps_of_the_better_cost_equal_the_prototype(
    data: Path, variant: str, name: str
) -> None:
    folder = data / "quality_golden"
    left, right = (grey(folder / f"teddy_{side}.png") for side in ("left", "right"))
    params = SGM.params().changed(**GRADIENT, **SETTINGS[name])
    disparity = compute(SGM, variant, params, left=left, right=right)
    with np.load(folder / f"teddy_{name}.npz") as expected:
        assert np.array_equal(disparity, expected["disparity"])
