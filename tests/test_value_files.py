"""Files of values: what each format holds, what is refused, what other readers read."""

from pathlib import Path

import cv2
import numpy as np
import pytest
import tifffile

from tests.pictures import read
from wheatstone.gpu.image import DepthScale
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.commands.cli import main, parse
from wheatstone.viewer.commands.value_outputs import ValueOutput, value_outputs
from wheatstone.viewer.files.values import kitti, table, write_values
from wheatstone.viewer.sources.value_files import Coding, read_values

STORED = np.array([[-16, 24, 512], [16, 40, -16]], np.int16)  # in 1/16 pixel; -16: none
PIXELS = np.array([[np.nan, 1.5, 32], [1, 2.5, np.nan]], np.float32)


@pytest.mark.parametrize("ending", ["npy", "tiff", "pfm", "png"])
def test_what_we_write_we_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"d.{ending}"
    write_values(path, STORED, SGM.image("disparity"), SGM.params())
    found = read_values(path)
    assert np.array_equal(found.pixels, PIXELS, equal_nan=True)
    assert found.encoding == ("16 bits" if ending == "png" else "floats")


@pytest.mark.parametrize("ending", ["pgm", "png"])
def test_eight_bits_are_divided_by_the_scale(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"d.{ending}"
    cv2.imwrite(str(path), np.array([[0, 4, 10]], np.uint8))
    assert read_values(path).pixels.tolist() == [[0, 4, 10]]
    found = read_values(path, Coding(4, 0))
    assert np.array_equal(found.pixels, np.array([[np.nan, 1, 2.5]]), equal_nan=True)


def test_a_pgm_of_fewer_bits_holds_its_numbers_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "d.pgm").write_bytes(b"P5 3 1 63\n\x00\x04\x3f")
    assert read_values(tmp_path / "d.pgm").pixels.tolist() == [[0, 4, 63]]


def test_the_first_image_of_a_tiff_is_read(tmp_path: Path) -> None:
    with tifffile.TiffWriter(tmp_path / "d.tiff") as file:
        file.write(PIXELS)
        file.write(np.zeros((5, 4), np.float32))
    assert np.array_equal(read_values(tmp_path / "d.tiff").pixels, PIXELS, equal_nan=True)


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        (2, "unpack.* requires a buffer of .*"),
        (20, "corrupted IFD structure"),
        (-1, "failed to read 24 bytes, got 23"),
    ],
)
def test_a_truncated_tiff_is_refused_with_its_reason(
    tmp_path: Path, size: int, reason: str
) -> None:
    path = tmp_path / "d.tiff"
    tifffile.imwrite(path, PIXELS)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ValueError, match=rf"d\.tiff: not a TIFF that can be read \({reason}\)"):
        read_values(path)


def test_infinite_values_are_no_result(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", np.array([[np.inf, 1, -np.inf]]))
    found = read_values(tmp_path / "d.npy").pixels
    assert np.array_equal(found, np.array([[np.nan, 1, np.nan]]), equal_nan=True)


def test_other_files_are_refused(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "colour.png"), np.zeros((3, 4, 3), np.uint8))
    np.save(tmp_path / "cube.npy", np.zeros((2, 3, 4)))
    np.save(tmp_path / "words.npy", np.array([["a"]]))
    tifffile.imwrite(
        tmp_path / "cube.tiff", np.zeros((5, 6, 7), np.float32), photometric="minisblack"
    )
    for name in ("text.png", "text.npy", "text.tiff", "text.pfm", "a.jpg"):
        (tmp_path / name).write_bytes(b"hello, these are no values")
    (tmp_path / "empty.npy").touch()
    for path in tmp_path.iterdir():
        with pytest.raises(ValueError, match=path.name):
            read_values(path)
    with pytest.raises(FileNotFoundError, match=r"absent\.pfm"):
        read_values(tmp_path / "absent.pfm")


WORDS = ["render", "--scene-size", "48x32", "--disparities", "16", "--variant", "reference"]
A, B, C = Path("a.npy"), Path("b.pfm"), Path("c.tiff")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("--values a.npy", [(A, "")]),
        ("--values a.npy --values b.pfm", [(A, ""), (B, "")]),
        ("--values a.npy --image depth", [(A, "depth")]),
        ("--values a.npy --values b.pfm --image depth", [(A, "depth"), (B, "depth")]),
        ("--image x --values a.npy --values b.pfm --image y", [(A, "x"), (B, "y")]),
        (
            "--values a.npy --values b.pfm --values c.tiff --image x --image y --image z",
            [(A, "x"), (B, "y"), (C, "z")],
        ),
        ("--out a.png", []),
    ],
)
def test_files_pair_with_images_in_order(words: str, found: list[tuple[Path, str]]) -> None:
    assert value_outputs(parse(["render", *words.split()])) == [ValueOutput(*one) for one in found]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--image x", "--image chooses what --values writes"),
        ("--values a.npy --image x --image y", r"\(2 times --image, 1 times --values\)"),
        ("--values a.npy --values b.pfm --values c.tiff --image x --image y", "2 times --image"),
        ("--values a.npy --values b.exr", "b.exr: values go to"),
    ],
)
def test_what_does_not_pair_is_refused(words: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        value_outputs(parse(["render", *words.split()]))


@pytest.mark.opengl
def test_every_file_of_a_still_and_of_a_sequence_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pair = ["--image", "disparity", "--image", "depth"]
    assert main([*WORDS, "--values", "d.npy", "--values", "z.npy", *pair]) == 0
    disparity, depth = np.load("d.npy"), np.load("z.npy")
    known = np.isfinite(disparity) & np.isfinite(depth) & (disparity > 0)
    assert known.any()
    products = disparity[known] * depth[known]  # focal length times baseline
    np.testing.assert_allclose(products, products[0], rtol=1e-5)
    several = ["--frames", "2", "--values", "d%d.npy", "--values", "e%d.png"]
    assert main([*WORDS, *several]) == 0
    np.testing.assert_array_equal(np.load("d0.npy"), disparity)
    for number in (0, 1):
        values = np.load(f"d{number}.npy")
        stored = np.where(np.isnan(values), 0, np.maximum(values * 256, 1))  # 0: no result
        np.testing.assert_array_equal(read(f"e{number}.png", cv2.IMREAD_UNCHANGED), stored)


DISPARITY = SGM.image("disparity")
PARAMS = SgmParams(min_disparity=0, disparities=64)
STORED_VALUES = np.array([[16, 24, -16], [0, 1000, 17]], np.int16)  # sixteenths; -16 is invalid
STORED_PIXELS = np.array([[1, 1.5, np.nan], [0, 62.5, 1.0625]], np.float32)


def test_npy_holds_pixels_with_nan_for_invalid(tmp_path: Path) -> None:
    write_values(tmp_path / "d.npy", STORED_VALUES, DISPARITY, PARAMS)
    assert np.array_equal(np.load(tmp_path / "d.npy"), STORED_PIXELS, equal_nan=True)


def test_tiff_holds_pixels_with_nan_for_invalid(tmp_path: Path) -> None:
    write_values(tmp_path / "d.tiff", STORED_VALUES, DISPARITY, PARAMS)
    assert np.array_equal(tifffile.imread(tmp_path / "d.tiff"), STORED_PIXELS, equal_nan=True)


def test_pfm_holds_pixels_with_infinity_for_invalid(tmp_path: Path) -> None:
    write_values(tmp_path / "d.pfm", STORED_VALUES, DISPARITY, PARAMS)
    stored = read(tmp_path / "d.pfm", cv2.IMREAD_UNCHANGED)
    assert np.array_equal(stored, np.where(np.isnan(STORED_PIXELS), np.inf, STORED_PIXELS))


def test_png_holds_kittis_sixteen_bits(tmp_path: Path) -> None:
    write_values(tmp_path / "d.png", STORED_VALUES, DISPARITY, PARAMS)
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
        write_values(tmp_path / "d.exr", STORED_VALUES, DISPARITY, PARAMS)
    with pytest.raises(ValueError, match="KITTI"):
        write_values(tmp_path / "d.png", STORED_VALUES, DISPARITY, SgmParams(min_disparity=-9))
    assert list(tmp_path.iterdir()) == []


DEPTHS = np.array([[1.2344, np.nan, 65.535], [0.0004, 65.5356, 1e30]], np.float32)


@pytest.mark.parametrize(("unit", "thousandth"), [("m", "mm"), ("units", "thousandths (units)")])
def test_depths_go_to_png_in_thousandths_and_what_does_not_fit_is_counted(
    tmp_path: Path, unit: str, thousandth: str
) -> None:
    image = SGM.image("depth").scaled(DepthScale(1.0, 0.0, unit))
    said = write_values(tmp_path / "d.png", DEPTHS, image, PARAMS)
    stored = read(tmp_path / "d.png", cv2.IMREAD_UNCHANGED)
    assert stored.dtype == np.uint16 and stored.tolist() == [[1234, 0, 65535], [0, 0, 0]]
    assert said == f"depth in {thousandth}, 0: none; 3 do not fit in 65.535 {unit} and are 0"


def test_depths_go_to_float_files_as_they_are_and_name_their_unit(tmp_path: Path) -> None:
    for unit, said in (("relative", "relative units"), ("m", "m")):
        image = SGM.image("depth").scaled(DepthScale(1.0, 0.0, unit))
        for name in ("d.npy", "d.tiff", "d.pfm"):
            assert write_values(tmp_path / name, DEPTHS, image, PARAMS) == f"depth in {said}"
    assert np.array_equal(np.load(tmp_path / "d.npy"), DEPTHS, equal_nan=True)
    assert np.array_equal(tifffile.imread(tmp_path / "d.tiff"), DEPTHS, equal_nan=True)
    with tifffile.TiffFile(tmp_path / "d.tiff") as file:
        assert file.pages.first.description == "depth, m"
    stored = read(tmp_path / "d.pfm", cv2.IMREAD_UNCHANGED)
    assert np.array_equal(stored, np.where(np.isnan(DEPTHS), np.inf, DEPTHS))
