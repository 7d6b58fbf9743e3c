"""Published results of other programs, byte for byte, from every variant."""

import hashlib
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.execution import Execution, compute, prepare
from wheatstone.gpu.pipelines.mean import MEAN, MeanParams
from wheatstone.gpu.pipelines.ncc import NCC, NccParams
from wheatstone.gpu.pipelines.ncc.params import Region, first_pixel
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS
from wheatstone.gpu.reference.correlation import window_sums

VARIANTS = [
    pytest.param(v.name, marks=[pytest.mark.cuda] if v.on_gpu else [])
    for v in SGM.variants
    if not v.peer
]


def grey(path: Path) -> NDArray[np.uint8]:
    image: NDArray[np.uint8] | None = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    assert image is not None, path
    return image


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


MEAN_VARIANTS = [
    pytest.param(v.name, marks=[pytest.mark.cuda] if v.on_gpu else []) for v in MEAN.variants
]


@pytest.mark.parametrize("variant", MEAN_VARIANTS)
def test_means_equal_the_golden_ones(data: Path, variant: str) -> None:
    folder = data / "mean_golden"
    items = json.loads((folder / "manifest.json").read_text())["items"]
    assert len(items) == 8
    for item in items:
        params = MeanParams(item["ksize"] // 2) if "ksize" in item else MeanParams(1, "blog")
        left = grey(folder / item["image"])
        mean = compute(MEAN, variant, params, left=left)
        assert np.array_equal(mean, grey(folder / item["file"])), item["file"]


TEMPLATES = ("dime", "nickel_64x48", "dark_dime_27x41")
NCC_VARIANTS = [
    pytest.param(v.name, marks=[pytest.mark.cuda] if v.on_gpu else []) for v in NCC.variants
]


@pytest.fixture
def golden(data: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((data / "ncc_golden" / "peaks.json").read_text())
    return record


@pytest.fixture
def coins(data: Path) -> NDArray[np.uint8]:
    image: NDArray[np.uint8] | None = cv2.imread(
        str(data / "ncc_golden" / "coins.pgm"), cv2.IMREAD_GRAYSCALE
    )
    assert image is not None
    return image


def region_of(record: dict[str, Any]) -> Region:
    place = record["template"]
    return place["x"], place["y"], place["width"], place["height"]


def matched(left: NDArray[np.uint8], variant: str, template: Region, **changes: Any) -> Execution:
    params = NccParams(template=template, **changes)
    execution = prepare(NCC, variant, params, *left.shape)
    execution.upload(left=left)
    execution.run()
    return execution


def sha256(array: NDArray[Any]) -> str:
    return hashlib.sha256(array.tobytes()).hexdigest()


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("variant", NCC_VARIANTS)
def test_exact_scores_have_the_recorded_bits(
    golden: dict[str, Any], coins: NDArray[np.uint8], variant: str, name: str
) -> None:
    record = golden["templates"][name]
    execution = matched(coins, variant, region_of(record))
    assert sha256(execution.download("scores")) == record["centred"]["float32_sha256"]
    assert execution.download("template_sums").tolist() == [record["SumT"], record["SumTSq"]]


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("variant", NCC_VARIANTS)
def test_the_peaks_are_the_recorded_ones(
    golden: dict[str, Any], coins: NDArray[np.uint8], variant: str, name: str
) -> None:
    record = golden["templates"][name]
    expected = record["centred"]["best_separated_peaks"]
    template = region_of(record)
    execution = matched(coins, variant, template, peaks=len(expected), threshold=0.1)
    top, start = first_pixel(template, "exact")
    peaks, boxes = execution.download("peaks"), execution.download("boxes")
    for peak, box, published in zip(peaks, boxes, expected, strict=False):
        assert (box[0] - start, box[1] - top) == (published["x"], published["y"])
        assert abs(peak[0] - published["x"]) <= 0.5 and abs(peak[1] - published["y"]) <= 0.5
        assert round(float(peak[2]), 6) == published["value"]
    assert peaks[:, 3].sum() == len(expected)


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_integer_sums_are_the_recorded_ones(
    golden: dict[str, Any], coins: NDArray[np.uint8], name: str
) -> None:
    record = golden["templates"][name]
    template = x, y, width, height = region_of(record)
    pattern = coins[y : y + height, x : x + width]
    top, start = first_pixel(template, "exact")
    sums = np.array(
        [window_sums(pattern, coins, y + top, x + start) for y, x in np.ndindex(coins.shape)],
        np.int32,
    )
    for column, sum_name in zip(sums.T, ("SumI", "SumISq", "SumIT"), strict=True):
        assert sha256(column) == record["centred"]["sums_int32_le"][sum_name]["sha256"]


@pytest.mark.parametrize("variant", NCC_VARIANTS)
def test_the_book_errs_as_recorded(
    golden: dict[str, Any], coins: NDArray[np.uint8], variant: str
) -> None:
    record = golden["templates"]["dime"]
    template = region_of(record)
    exact = matched(coins, variant, template).download("scores")
    book = matched(coins, variant, template, convention="book").download("scores")
    errs = record["centred"]["book_float32_formula"]
    error = np.abs(book.astype(np.float64) - exact).max()
    assert (error, (book > 1).sum()) == (errs["max_abs_difference"], errs["above_one"])


@pytest.mark.parametrize("name", TEMPLATES[1:])
@pytest.mark.parametrize("variant", NCC_VARIANTS)
def test_the_book_takes_half_the_width_for_rows_too(
    data: Path, golden: dict[str, Any], coins: NDArray[np.uint8], variant: str, name: str
) -> None:
    with np.load(data / "ncc_golden" / f"{name}.npz") as file:
        expected = file["coeff_book_offset"]
    template = region_of(golden["templates"][name])
    book = matched(coins, variant, template, convention="book").download("scores")
    assert np.abs(book - expected).max() < 1e-4


@pytest.mark.parametrize("variant", NCC_VARIANTS)
def test_the_image_as_the_books_program_reads_it_gives_its_scores(
    golden: dict[str, Any], coins: NDArray[np.uint8], variant: str
) -> None:
    record = golden["dime_as_read_by_the_book_program"]
    read = np.roll(coins.ravel(), 1)  # it begins one byte early, at the newline before the pixels
    read[0] = ord("\n")
    execution = matched(read.reshape(coins.shape), variant, region_of(record))
    assert sha256(execution.download("scores")) == record["centred"]["float32_sha256"]


Gray = NDArray[np.uint8]


def test_a_shift_is_recovered_and_the_left_border_invalid() -> None:
    left, right = shifted_pair(height=40, width=120, disparity=9)
    for paths in (4, 8):
        params = SgmParams(disparities=32, paths=paths)
        disparity = compute(SGM, "opencv-sgbm", params, left=left, right=right)
        assert np.median(disparity[:, 32:]) == 9 * 16
        assert np.all(disparity[:, :32] == -16)


@pytest.mark.parametrize("paths", [4, 8])
@pytest.mark.parametrize("min_disparity", [-40, -15, 0, 1024])
@pytest.mark.parametrize(("height", "width"), [(1, 1), (3, 17), (5, 33)])
def test_images_narrower_than_the_range_are_invalid_altogether(
    height: int, width: int, min_disparity: int, paths: int
) -> None:
    left, right = shifted_pair(height, width, 0)
    params = SgmParams(disparities=64, min_disparity=min_disparity, paths=paths)
    disparity = compute(SGM, "opencv-sgbm", params, left=left, right=right)
    assert np.all(disparity == (min_disparity - 1) * 16)


def shifted_pair(height: int, width: int, disparity: int) -> tuple[Gray, Gray]:
    texture = np.random.default_rng(4).integers(0, 256, (height, width + disparity), dtype=np.uint8)
    left, right = texture[:, :width], texture[:, disparity:]
    return np.ascontiguousarray(left), np.ascontiguousarray(right)
