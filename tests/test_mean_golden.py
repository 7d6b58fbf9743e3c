"""The golden means, byte for byte, from every variant."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.pictures import grey
from wheatstone.gpu.execution import compute
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams

VARIANTS = [
    pytest.param(v.name, marks=[pytest.mark.cuda] if v.on_gpu else []) for v in MEAN.variants
]


@pytest.mark.parametrize("variant", VARIANTS)
def test_means_equal_the_golden_ones(data: Path, variant: str) -> None:
    folder = data / "mean_golden"
    items = json.loads((folder / "manifest.json").read_text())["items"]
    assert len(items) == 8
    for item in items:
        params = MeanParams(item["ksize"] // 2) if "ksize" in item else MeanParams(1, "blog")
        left = grey(folder / item["image"])
        mean = compute(MEAN, variant, params, left=left)
        assert np.array_equal(mean, grey(folder / item["file"])), item["file"]
