"""The published coin image: exact scores as bits, sums, peaks, and what the book's formula errs."""

import hashlib
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.pipelines.ncc import NCC, NccParams
from wheatstone.gpu.pipelines.ncc.params import Region, first_pixel
from wheatstone.gpu.reference.correlation import window_sums

TEMPLATES = ("dime", "nickel_64x48", "dark_dime_27x41")
VARIANTS = [
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
@pytest.mark.parametrize("variant", VARIANTS)
def test_exact_scores_have_the_recorded_bits(
    golden: dict[str, Any], coins: NDArray[np.uint8], variant: str, name: str
) -> None:
    record = golden["templates"][name]
    execution = matched(coins, variant, region_of(record))
    assert sha256(execution.download("scores")) == record["centred"]["float32_sha256"]
    assert execution.download("template_sums").tolist() == [record["SumT"], record["SumTSq"]]


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("variant", VARIANTS)
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


@pytest.mark.parametrize("variant", VARIANTS)
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
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_book_takes_half_the_width_for_rows_too(
    data: Path, golden: dict[str, Any], coins: NDArray[np.uint8], variant: str, name: str
) -> None:
    with np.load(data / "ncc_golden" / f"{name}.npz") as file:
        expected = file["coeff_book_offset"]
    template = region_of(golden["templates"][name])
    book = matched(coins, variant, template, convention="book").download("scores")
    assert np.abs(book - expected).max() < 1e-4


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_image_as_the_books_program_reads_it_gives_its_scores(
    golden: dict[str, Any], coins: NDArray[np.uint8], variant: str
) -> None:
    record = golden["dime_as_read_by_the_book_program"]
    read = np.roll(coins.ravel(), 1)  # it begins one byte early, at the newline before the pixels
    read[0] = ord("\n")
    execution = matched(read.reshape(coins.shape), variant, region_of(record))
    assert sha256(execution.download("scores")) == record["centred"]["float32_sha256"]
