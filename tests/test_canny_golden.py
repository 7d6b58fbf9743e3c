"""The published course programs' and OpenCV's edges, byte for byte, from every variant."""

import json
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.pictures import read
from wheatstone.gpu.execution import compute, prepare
from wheatstone.gpu.pipelines.canny import CANNY, CannyParams
from wheatstone.gpu.pipelines.canny.params import STRONG, gaussian_weights
from wheatstone.gpu.steps import on_demand

YEARS = {"aac1415": "aveiro-2015", "cle2425": "aveiro-2025"}
# What the published planes are called here.
PLANES = {
    "smoothed_raw": "smoothed",
    "smoothed": "blurred",
    "gx": "gradient_x",
    "gy": "gradient_y",
    "G": "magnitude",
    "nms": "suppressed",
    "edges": "edges",
}
VARIANTS = [
    pytest.param(v.name, marks=[pytest.mark.cuda] if v.on_gpu else []) for v in CANNY.variants
]


def grey(path: Path) -> NDArray[np.uint8]:
    return read(path, cv2.IMREAD_GRAYSCALE)


def manifest(folder: Path) -> Any:
    return json.loads((folder / "manifest.json").read_text())


def course_params(case: dict[str, Any]) -> CannyParams:
    changes = {"sigma": float(case["sigma"])}
    if "tmin" in case:
        changes |= {"low": case["tmin"], "high": case["tmax"]}
    return cast(CannyParams, CANNY.preset(YEARS[case["variant"]]).changed(**changes))


@pytest.mark.parametrize("variant", VARIANTS)
def test_edges_equal_the_course_programs_of_both_years(data: Path, variant: str) -> None:
    folder = data / "canny_golden"
    host = manifest(folder)["host"]
    cases = host["items"] + host["extra_fma_sensitive_items"]
    assert len(cases) == 82
    for case in cases:
        edges = compute(CANNY, variant, course_params(case), left=grey(folder / case["image"]))
        assert np.array_equal(edges, grey(folder / case["file"])), case["file"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_stage_equals_the_course_programs(data: Path, variant: str) -> None:
    folder = data / "canny_golden"
    cases = manifest(folder)["stages"]
    assert len(cases) == 9
    for case in cases:
        image = grey(folder / case["image"])
        wanted = on_demand(CANNY, CANNY.variant(variant))
        height, width = image.shape
        execution = prepare(CANNY, variant, course_params(case), height, width, wanted)
        execution.upload(left=image)
        execution.run()
        for plane, expected in planes(folder / case["file"]).items():
            name = PLANES.get(plane)
            ours = (
                execution.download(name)
                if name
                else np.where(execution.download("seeds") == STRONG, 255, 0)
            )
            assert np.array_equal(ours, expected), (case["file"], plane)


def planes(file: Path) -> dict[str, NDArray[Any]]:
    """The planes of a file: one picture, or an archive of several."""
    if file.suffix == ".npz":
        return dict(np.load(file))
    return {"smoothed_raw": read(file, cv2.IMREAD_UNCHANGED)}


@pytest.mark.parametrize("variant", VARIANTS)
def test_edges_equal_opencvs(data: Path, variant: str) -> None:
    folder = data / "canny_golden"
    cases = manifest(folder)["opencv"]["items"]
    assert len(cases) == 32
    for case in cases:
        params = CANNY.preset("opencv").changed(
            low=case["threshold1"],
            high=case["threshold2"],
            norm="l2" if case["L2gradient"] else "l1",
        )
        edges = compute(CANNY, variant, params, left=grey(folder / case["image"]))
        assert np.array_equal(edges, grey(folder / case["file"])), case["file"]


def test_weights_have_the_course_programs_bits(data: Path) -> None:
    kernels = json.loads((data / "canny_golden" / "kernels.json").read_text())["kernels"]
    assert kernels
    for sigma, kernel in kernels.items():
        bits = np.array([int(word, 16) for word in kernel["row_major_float32_hex"]], np.uint32)
        expected = bits.view(np.float32).reshape(kernel["size"], kernel["size"])
        radius = kernel["size"] // 2
        ours = gaussian_weights(float(sigma), "aveiro-2025")
        assert ours.shape == (radius + 1, radius + 1)
        assert np.array_equal(ours, expected[radius:, radius:])
        assert np.array_equal(ours, expected[radius::-1, radius::-1])
