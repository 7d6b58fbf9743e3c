"""GeoTIFF: the tags that place pixels on a map go from a picture to the TIFF files of results."""

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from numpy.typing import NDArray

from tests.fuzz.pictures import GEO_TAGS
from wheatstone import Run
from wheatstone import open as open_frames
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.sources.georeference import georeference_of
from wheatstone.viewer.io.sources.images import read_image, read_stored
from wheatstone.viewer.io.sources.value_files import read_values

PLACED = {tag[0]: tag[3] for tag in GEO_TAGS[:4]}
NODATA = 42113


def geotiff(path: Path, pixels: NDArray[Any], **more: Any) -> Path:
    tifffile.imwrite(path, pixels, **({"extratags": GEO_TAGS} | more))
    return path


def pair(folder: Path, **more: Any) -> tuple[str, str]:
    """Write a pair of 16-bit pictures, the left one with a georeference."""
    pixels = np.random.default_rng(5).integers(0, 65536, (48, 96), np.uint16)
    left = geotiff(folder / "left.tif", pixels, **more)
    right = geotiff(folder / "right.tif", np.roll(pixels, -5, 1), extratags=())
    return str(left), str(right)


def tags_of(path: Path) -> dict[int, Any]:
    with tifffile.TiffFile(path) as file:
        tags = file.pages.first.tags
        return {number: tags[number].value for number in (*PLACED, NODATA) if number in tags}


@pytest.mark.parametrize("more", [{}, {"byteorder": ">"}, {"bigtiff": True, "tile": (32, 32)}])
def test_every_tiff_of_a_result_has_the_georeference_of_the_left_view(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    left, right = pair(tmp_path, **more)
    result = Run("sgm", variant="cpu", disparities=16)(open_frames(left, right))
    result.save(tmp_path / "api.tiff")
    words = ["--variant", "cpu", "--disparities", "16"]
    values = ["--values", str(tmp_path / "render.tif"), "--image", "depth"]
    assert main(["render", "sgm", left, right, *words, *values]) == 0
    assert main(["batch", left, "--out", str(tmp_path / "b"), "--values", "tiff", *words]) == 0
    for file in ("api.tiff", "render.tif", "b/disparity/left.tiff"):
        assert tags_of(tmp_path / file) == {**PLACED, NODATA: "nan"}, file


def test_an_image_of_the_right_view_and_a_rectified_pair_have_none(tmp_path: Path) -> None:
    left, right = pair(tmp_path)
    kept = Run("sgm", variant="reference", disparities=16, keep=["right_winner"])
    kept(open_frames(left, right)).save(tmp_path / "right.tiff", "right_winner")
    wide = np.tile(tifffile.imread(left), (1, 2))
    both = geotiff(tmp_path / "both.tif", wide)
    cut = Run("sgm", variant="cpu", disparities=16)(open_frames(both, layout="side-by-side"))
    cut.save(tmp_path / "cut.tiff")
    assert tags_of(tmp_path / "right.tiff") == tags_of(tmp_path / "cut.tiff") == {}


def test_a_turned_picture_and_one_without_a_place_have_none(tmp_path: Path) -> None:
    pixels = np.zeros((5, 7), np.uint8)
    turned = geotiff(tmp_path / "a.tif", pixels, extratags=[*GEO_TAGS, (274, 3, 1, 3, True)])
    unplaced = geotiff(tmp_path / "b.tif", pixels, extratags=GEO_TAGS[2:])
    assert read_stored(turned).georeference is read_stored(unplaced).georeference is None
    assert read_stored(geotiff(tmp_path / "c.tif", pixels)).georeference is not None


def test_a_damaged_georeference_is_ignored_with_a_note(tmp_path: Path) -> None:
    memory = io.BytesIO()
    tifffile.imwrite(memory, np.zeros((5, 7), np.uint8), extratags=GEO_TAGS)
    encoded = bytearray(memory.getvalue())
    entry = encoded.index(struct.pack("<HHI", 33922, 12, 6))
    struct.pack_into("<I", encoded, entry + 4, 2**28)
    (tmp_path / "a.tif").write_bytes(encoded)
    note = "a.tif: georeference ignored: its ModelTiepoint is damaged"
    assert note in map(str, read_image(tmp_path / "a.tif").notes)
    struct.pack_into("<II", encoded, entry + 4, 6, len(encoded) - 9)
    with pytest.raises(ValueError, match="ModelTiepoint lies outside the file"):
        georeference_of(bytes(encoded))


@pytest.mark.parametrize("dtype", ["f4", "i2"])
def test_gdals_mark_of_no_value_is_no_value(tmp_path: Path, dtype: str) -> None:
    values = np.array([[1, 2, -9999], [3, 4, 5]], dtype)
    path = geotiff(tmp_path / "a.tif", values, extratags=[(NODATA, 2, 6, "-9999", True)])
    np.testing.assert_array_equal(read_values(path).pixels, [[1, 2, np.nan], [3, 4, 5]])


@pytest.mark.parametrize("planarconfig", ["contig", "separate"])
@pytest.mark.parametrize(("channels", "colours"), [(2, False), (3, True), (4, True), (7, False)])
def test_channels_of_16_bits_are_read_exactly(
    tmp_path: Path, planarconfig: str, channels: int, colours: bool
) -> None:
    pixels = np.random.default_rng(1).integers(0, 65536, (33, 45, channels), np.uint16)
    stored = np.moveaxis(pixels, -1, 0) if planarconfig == "separate" else pixels
    tifffile.imwrite(
        tmp_path / "a.tif",
        stored,
        photometric="rgb" if colours else "minisblack",
        planarconfig=planarconfig,
        extrasamples=[0] * (channels - (3 if colours else 1)),
        tile=(16, 16),
        compression="zlib",
    )
    read = read_stored(tmp_path / "a.tif").views[0].converted(lambda strip: strip)
    np.testing.assert_array_equal(read, pixels[..., :3] if colours else pixels[..., 0])


@pytest.mark.parametrize("compression", ["tiff_lzw", "packbits", "zstd"])
@pytest.mark.parametrize("dtype", ["u1", "u2", "f4"])
def test_values_are_read_in_every_usual_compression(
    tmp_path: Path, compression: str, dtype: str
) -> None:
    from PIL import Image

    values = np.arange(35).reshape(5, 7).astype(dtype)
    Image.fromarray(values).save(tmp_path / "a.tif", compression=compression)
    np.testing.assert_array_equal(read_values(tmp_path / "a.tif").pixels, values)
