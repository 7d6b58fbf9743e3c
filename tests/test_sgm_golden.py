"""The published course program's outputs, byte for byte, from every variant."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.pictures import grey
from wheatstone.gpu.execution import compute
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS

VARIANTS = [
    pytest.param(v.name, marks=[pytest.mark.cuda] if v.on_gpu else [])
    for v in SGM.variants
    if not v.peer
]


def course_output(folder: Path, variant: str, pair: str, **params: Any) -> NDArray[np.int16]:
    """Disparity of a course pair with the course's settings, in whole pixels."""
    left, right = (grey(folder / "inputs" / f"{side}{pair}.pgm") for side in "lr")
    settings = SGM.preset("aveiro-2016").changed(**params)
    disparity = compute(SGM, variant, settings, left=left, right=right)
    assert not (disparity % SUBPIXEL_STEPS).any()
    return disparity // SUBPIXEL_STEPS


@pytest.mark.parametrize("variant", VARIANTS)
def test_four_directions_equal_the_host_program(data: Path, variant: str) -> None:
    folder = data / "sgm_golden"
    cases = json.loads((folder / "manifest.json").read_text())["host4"]
    assert len(cases) == 13
    for case in cases:
        pair = Path(case["left"]).stem[1:]
        disparity = course_output(folder, variant, pair, disparities=case["disp_range"])
        expected = grey(folder / case["file"])
        assert np.array_equal(4 * disparity % 256, expected), case["file"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_eight_directions_equal_the_published_reference(data: Path, variant: str) -> None:
    folder = data / "sgm_golden"
    files = sorted((folder / "dirs8").glob("*.png"))
    assert len(files) == 6
    cases = {path: path.stem.split("_")[1:] for path in files}
    cases[folder / "reference.pgm"] = ["cones", "64"]
    for path, (pair, disparities) in cases.items():
        disparity = course_output(folder, variant, pair, disparities=int(disparities), paths=8)
        assert np.array_equal(4 * disparity % 256, grey(path)), path.name
