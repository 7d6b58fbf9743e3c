"""Files of values: what each format holds, and what is refused."""

from pathlib import Path

import cv2
import numpy as np
import pytest
import tifffile

from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.io.files.values import write_values
from wheatstone.viewer.io.sources.value_files import Coding, read_values

STORED = np.array([[-16, 24, 512], [16, 40, -16]], np.int16)  # in 1/16 pixel; -16: none
PIXELS = np.array([[np.nan, 1.5, 32], [1, 2.5, np.nan]], np.float32)


@pytest.mark.parametrize("ending", ["npy", "tiff", "pfm", "png"])
def test_what_we_write_we_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"d.{ending}"
    write_values(path, STORED, SGM.image("disparity"), SGM.params())
    values = read_values(path)
    assert np.array_equal(values.pixels, PIXELS, equal_nan=True)
    assert values.encoding == ("16 bits" if ending == "png" else "floats")


@pytest.mark.parametrize("ending", ["pgm", "png"])
def test_eight_bits_are_divided_by_the_scale(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"d.{ending}"
    cv2.imwrite(str(path), np.array([[0, 4, 10]], np.uint8))
    assert read_values(path).pixels.tolist() == [[0, 4, 10]]
    values = read_values(path, Coding(4, 0))
    assert np.array_equal(values.pixels, np.array([[np.nan, 1, 2.5]]), equal_nan=True)


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
    pixels = read_values(tmp_path / "d.npy").pixels
    assert np.array_equal(pixels, np.array([[np.nan, 1, np.nan]]), equal_nan=True)


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
