"""Raw results, read back by other programs' readers."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
import tifffile
from PIL import Image

from tests.pictures import read
from wheatstone.gpu.image import DepthScale
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.io.files.values import (
    in_units,
    kitti,
    kitti_of,
    table,
    thousandths,
    valid_pixels,
    write_values,
)
from wheatstone.viewer.io.sources.own_results import PROGRAM, is_own_result

DISPARITY = SGM.image("disparity")
PARAMS = SgmParams(min_disparity=0, disparities=64)
STORED = np.array([[16, 24, -16], [0, 1000, 17]], np.int16)  # sixteenths; -16 is invalid
PIXELS = np.array([[1, 1.5, np.nan], [0, 62.5, 1.0625]], np.float32)


def test_npy_holds_pixels_with_nan_for_invalid(tmp_path: Path) -> None:
    write_values(tmp_path / "d.npy", STORED, DISPARITY, PARAMS)
    assert np.array_equal(np.load(tmp_path / "d.npy"), PIXELS, equal_nan=True)


@pytest.mark.parametrize("invalid", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float32])
def test_values_without_a_result_have_the_bits_of_the_value_for_it(
    dtype: type[np.generic], invalid: float
) -> None:
    image = replace(DISPARITY, dtype=np.dtype(dtype).name, scale=0.3, invalid=lambda params: 7)
    stored = np.arange(45).reshape(9, 5).T.astype(dtype)  # not in the order of rows
    expected = stored.astype(np.float32) * np.float32(0.3)
    expected[stored == 7] = invalid
    assert in_units(stored, image, PARAMS, invalid).tobytes() == expected.tobytes()


def test_tiff_holds_pixels_with_nan_for_invalid(tmp_path: Path) -> None:
    write_values(tmp_path / "d.tiff", STORED, DISPARITY, PARAMS)
    assert np.array_equal(tifffile.imread(tmp_path / "d.tiff"), PIXELS, equal_nan=True)


def test_pfm_holds_pixels_with_infinity_for_invalid(tmp_path: Path) -> None:
    write_values(tmp_path / "d.pfm", STORED, DISPARITY, PARAMS)
    stored = read(tmp_path / "d.pfm", cv2.IMREAD_UNCHANGED)
    assert np.array_equal(stored, np.where(np.isnan(PIXELS), np.inf, PIXELS))


def test_other_readers_understand_the_headers_with_marks(tmp_path: Path) -> None:
    for name in ("d.npy", "d.pfm", "d.png", "d.tiff"):
        write_values(tmp_path / name, STORED, DISPARITY, PARAMS)
        assert is_own_result(tmp_path / name)
    mapped = np.load(tmp_path / "d.npy", mmap_mode="r")
    assert mapped.offset % 64 == 0 and np.array_equal(mapped, PIXELS, equal_nan=True)
    with Image.open(tmp_path / "d.pfm") as picture:
        stored = np.asarray(picture)
    assert np.array_equal(stored, np.where(np.isnan(PIXELS), np.inf, PIXELS))
    with Image.open(tmp_path / "d.png") as picture:
        assert picture.info["Software"] == PROGRAM and picture.size == (3, 2)
    with tifffile.TiffFile(tmp_path / "d.tiff") as file:
        assert file.pages.first.software == PROGRAM
    assert not is_own_result(tmp_path / "absent.npy") and not is_own_result(tmp_path)


def test_png_holds_kittis_sixteen_bits(tmp_path: Path) -> None:
    write_values(tmp_path / "d.png", STORED, DISPARITY, PARAMS)
    stored = read(tmp_path / "d.png", cv2.IMREAD_UNCHANGED)
    assert stored.dtype == np.uint16
    # A disparity of 0 is stored as 1: 0 would mean invalid.
    assert stored.tolist() == [[256, 384, 0], [1, 16000, 272]]


def test_a_grey_image_goes_to_png_as_it_is(tmp_path: Path) -> None:
    grey = np.arange(6, dtype=np.uint8).reshape(2, 3)
    write_values(tmp_path / "l.png", grey, SGM.image("left"), PARAMS)
    assert np.array_equal(read(tmp_path / "l.png", cv2.IMREAD_UNCHANGED), grey)


def test_a_table_is_printed_without_its_empty_rows() -> None:
    rows = np.array([[12.25, 7, 0.5, 1], [0, 0, 0, 0], [3, 4, -0.125, 1]], np.float32)
    lines = table(rows, PIPELINES["ncc"].image("peaks")).splitlines()
    assert lines == ["centre x\tcentre y\tscore", "12.25\t7\t0.5", "3\t4\t-0.125"]


@pytest.mark.parametrize("disparity", [-0.5, 256.0])
def test_what_kittis_format_cannot_hold_is_refused(disparity: float) -> None:
    with pytest.raises(ValueError, match=r"from 0 to 255\.99 px .* use \.pfm"):
        kitti(np.array([[1.0, disparity]], np.float32))


def test_an_all_invalid_disparity_is_all_zero_in_kittis_format() -> None:
    assert not kitti(np.full((2, 2), np.nan, np.float32)).any()


def test_an_unknown_suffix_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.npy, \.pfm, \.tiff, \.tif, \.png \(got \.exr\)"):
        write_values(tmp_path / "d.exr", STORED, DISPARITY, PARAMS)
    with pytest.raises(ValueError, match="KITTI"):
        write_values(tmp_path / "d.png", STORED, DISPARITY, SgmParams(min_disparity=-9))
    assert list(tmp_path.iterdir()) == []


DEPTHS = np.array([[1.2344, np.nan, 65.535], [0.0004, 65.5356, 1e30]], np.float32)


@pytest.mark.parametrize(("unit", "thousandth"), [("m", "mm"), ("units", "thousandths (units)")])
def test_depths_go_to_png_in_thousandths_and_what_does_not_fit_is_counted(
    tmp_path: Path, unit: str, thousandth: str
) -> None:
    image = SGM.image("depth").scaled(DepthScale(1.0, 0.0, unit))
    note = write_values(tmp_path / "d.png", DEPTHS, image, PARAMS)
    stored = read(tmp_path / "d.png", cv2.IMREAD_UNCHANGED)
    assert stored.dtype == np.uint16 and stored.tolist() == [[1234, 0, 65535], [0, 0, 0]]
    assert note == f"depth in {thousandth}, 0: none; 3 do not fit in 65.535 {unit} and are 0"


def test_depths_go_to_float_files_as_they_are_and_name_their_unit(tmp_path: Path) -> None:
    for unit, text in (("relative", "relative units"), ("m", "m")):
        image = SGM.image("depth").scaled(DepthScale(1.0, 0.0, unit))
        for name in ("d.npy", "d.tiff", "d.pfm"):
            assert write_values(tmp_path / name, DEPTHS, image, PARAMS) == f"depth in {text}"
    assert np.array_equal(np.load(tmp_path / "d.npy"), DEPTHS, equal_nan=True)
    assert np.array_equal(tifffile.imread(tmp_path / "d.tiff"), DEPTHS, equal_nan=True)
    with tifffile.TiffFile(tmp_path / "d.tiff") as file:
        assert file.pages.first.description == "depth, m"
    stored = read(tmp_path / "d.pfm", cv2.IMREAD_UNCHANGED)
    assert np.array_equal(stored, np.where(np.isnan(DEPTHS), np.inf, DEPTHS))


@pytest.mark.parametrize("first", [0, 5])
def test_disparities_become_kittis_without_floats_as_through_them(first: int) -> None:
    params = SgmParams(min_disparity=first, disparities=64)
    random = np.random.default_rng(1)
    stored = random.integers(16 * first, 16 * 255, (31, 47)).astype(np.int16)
    stored[random.random(stored.shape) < 0.2] = 16 * (first - 1)
    pixels = in_units(stored, DISPARITY, params)
    assert np.isnan(pixels).any()
    assert np.array_equal(kitti_of(stored, DISPARITY, params), kitti(pixels))
    assert np.array_equal(valid_pixels(stored, DISPARITY, params), np.isfinite(pixels))


@pytest.mark.parametrize("wrong", [-17, 4096])
def test_disparities_beyond_kittis_range_are_refused_alike(wrong: int) -> None:
    stored = np.array([[1, wrong]], np.int16)
    with pytest.raises(ValueError, match="from 0 to") as through_floats:
        kitti(in_units(stored, DISPARITY, PARAMS))
    with pytest.raises(ValueError, match="from 0 to") as result:
        kitti_of(stored, DISPARITY, PARAMS)
    assert str(result.value) == str(through_floats.value)


def test_depths_beyond_sixteen_bits_are_0() -> None:
    depths = np.array([[np.nan, np.inf, 65.535, 65.536, 0.0015, 0.0025, 12.3456]], np.float32)
    assert thousandths(depths).tolist() == [[0, 0, 65535, 0, 2, 2, 12346]]
