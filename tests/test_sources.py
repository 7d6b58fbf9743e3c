"""Image files and folders: what is read exactly, what is refused, and in which words."""

import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from wheatstone.viewer.io.sources.folder import find_pairs
from wheatstone.viewer.io.sources.images import read_image
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.truth import read_truth

RANDOM = np.random.default_rng(7)
GRAY = RANDOM.integers(0, 256, (23, 31), dtype=np.uint8)
RGB = RANDOM.integers(0, 256, (23, 31, 3), dtype=np.uint8)
DEEP_GRAY = RANDOM.integers(0, 65536, (23, 31), dtype=np.uint16)
DEEP_RGB = RANDOM.integers(0, 65536, (23, 31, 3), dtype=np.uint16)


def save(path: Path, pixels: NDArray[Any]) -> Path:
    """Write with OpenCV, which keeps 16 bits and floats; colours are given as RGB."""
    path.parent.mkdir(parents=True, exist_ok=True)
    order = [2, 1, 0, 3][: pixels.shape[2]] if pixels.ndim == 3 else slice(None)
    # OpenCV 4 would compress floats of three colours with loss (SGI LogLuv), unless told.
    plain = [cv2.IMWRITE_TIFF_COMPRESSION, cv2.IMWRITE_TIFF_COMPRESSION_NONE]
    written = pixels[..., order] if pixels.ndim == 3 else pixels
    assert cv2.imwrite(str(path), written, plain if pixels.dtype.kind == "f" else [])
    return path


@pytest.mark.parametrize("ending", ["png", "pgm", "tiff"])
def test_gray_pixels_are_read_exactly(tmp_path: Path, ending: str) -> None:
    picture = read_image(save(tmp_path / f"a.{ending}", GRAY))
    assert np.array_equal(picture.pixels, GRAY) and picture.notes == ()


@pytest.mark.parametrize("ending", ["png", "ppm", "tiff"])
def test_colours_are_read_exactly_as_rgb(tmp_path: Path, ending: str) -> None:
    picture = read_image(save(tmp_path / f"a.{ending}", RGB))
    assert np.array_equal(picture.pixels, RGB) and picture.notes == ()


def test_jpeg_is_read(tmp_path: Path) -> None:
    smooth = np.repeat(np.linspace(0, 255, 64).astype(np.uint8)[None], 32, axis=0)
    Image.fromarray(smooth).save(tmp_path / "a.jpg", quality=95)
    pixels = read_image(tmp_path / "a.jpg").pixels
    assert pixels.shape == (32, 64)
    assert np.abs(pixels.astype(int) - smooth).max() <= 4


@pytest.mark.parametrize("ending", ["png", "jpg"])
def test_damaged_exif_is_ignored(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    Image.fromarray(np.full((9, 11), 77, np.uint8)).save(path, exif=b"Exif\0\0no tags, just text")
    assert np.all(read_image(path).pixels == 77)


@pytest.mark.parametrize("ending", ["png", "pgm", "tiff"])
@pytest.mark.parametrize("dark", [False, True])
def test_sixteen_bit_gray_is_divided_by_257(tmp_path: Path, ending: str, dark: bool) -> None:
    values = DEEP_GRAY // 16 if dark else DEEP_GRAY
    picture = read_image(save(tmp_path / f"a.{ending}", values))
    assert np.array_equal(picture.pixels, values // 257)
    (note,) = picture.notes
    text, _, more = note.partition(", which leaves ")
    assert text == f"a.{ending}: 16-bit scaled to 8 bits (value // 257)"
    assert bool(more) == dark


TONE = "or shown with --tone percentile"


@pytest.mark.parametrize(
    ("largest", "text"),
    [
        (4095, ", which leaves 16 levels; 12-bit values need to be stored times 16, " + TONE),
        (1000, ", which leaves 4 levels; 10-bit values need to be stored times 64, " + TONE),
        (16384, ""),
    ],
)
def test_sixteen_bits_that_hold_fewer_are_noted(tmp_path: Path, largest: int, text: str) -> None:
    values = np.array([[0, largest]], np.uint16)
    picture = read_image(save(tmp_path / "a.png", values))
    assert picture.notes == (f"a.png: 16-bit scaled to 8 bits (value // 257){text}",)


@pytest.mark.parametrize("ending", ["png", "ppm", "tiff"])
def test_sixteen_bit_colour_is_divided_by_257(tmp_path: Path, ending: str) -> None:
    picture = read_image(save(tmp_path / f"a.{ending}", DEEP_RGB))
    assert np.array_equal(picture.pixels, DEEP_RGB // 257)
    assert "16-bit" in picture.notes[0]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_alpha_is_dropped_and_noted(tmp_path: Path, dtype: type[np.generic]) -> None:
    colours = RGB if dtype == np.uint8 else DEEP_RGB
    alpha = np.full((23, 31, 1), 9, dtype)
    picture = read_image(save(tmp_path / "a.png", np.concatenate([colours, alpha], axis=2)))
    assert np.array_equal(picture.pixels, colours if dtype == np.uint8 else colours // 257)
    assert picture.notes[0] == "a.png: alpha dropped"


def test_gray_with_alpha_stays_gray(tmp_path: Path) -> None:
    Image.fromarray(np.dstack([GRAY, GRAY]), "LA").save(tmp_path / "a.png")
    assert np.array_equal(read_image(tmp_path / "a.png").pixels, GRAY)


def test_palettes_and_single_bits_are_expanded(tmp_path: Path) -> None:
    indexed = Image.fromarray(GRAY % 2, "P")
    indexed.putpalette([10, 20, 30, 200, 100, 50])
    indexed.save(tmp_path / "p.png")
    expected = np.where((GRAY % 2)[..., None] == 1, [200, 100, 50], [10, 20, 30])
    assert np.array_equal(read_image(tmp_path / "p.png").pixels, expected)
    Image.fromarray(GRAY > 99).save(tmp_path / "b.png")
    assert np.array_equal(read_image(tmp_path / "b.png").pixels, np.where(GRAY > 99, 255, 0))


@pytest.mark.parametrize("top", [1, 255])
@pytest.mark.parametrize("colour", [False, True])
def test_floats_are_scaled_by_their_range_and_noted(tmp_path: Path, top: int, colour: bool) -> None:
    values = (RGB if colour else GRAY).astype(np.float32) * np.float32(top / 255)
    picture = read_image(save(tmp_path / "a.tiff", values))
    assert np.array_equal(picture.pixels, RGB if colour else GRAY)
    assert picture.notes == (f"a.tiff: floats taken as 0..{top}, rounded to 8 bits",)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.nan, "2 values are NaN or infinite, the first at row 3, column 5"),
        (np.inf, "2 values are NaN or infinite, the first at row 3, column 5"),
        (-1.0, r"floats must be in 0..1 or 0..255 .found -1..0"),
        (256.0, r"floats must be in 0..1 or 0..255 .found 0..256"),
    ],
)
def test_floats_that_are_no_gray_levels_are_refused(
    tmp_path: Path, value: float, words: str
) -> None:
    values = np.zeros((9, 11), np.float32)
    values[3, 5] = values[7, 2] = value
    with pytest.raises(ValueError, match=words):
        read_image(save(tmp_path / "a.tiff", values))


def test_the_first_page_is_read_and_noted(tmp_path: Path) -> None:
    pages = [Image.fromarray(GRAY), Image.fromarray(255 - GRAY)]
    pages[0].save(tmp_path / "a.tiff", save_all=True, append_images=pages[1:])
    picture = read_image(tmp_path / "a.tiff")
    assert np.array_equal(picture.pixels, GRAY) and picture.notes == ("a.tiff: first of 2 pages",)


@pytest.mark.parametrize("ending", ["png", "jpg", "ppm", "tiff"])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.95])
@pytest.mark.parametrize("deep", [False, True])
def test_a_truncated_file_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], ending: str, share: float, deep: bool
) -> None:
    path = save(tmp_path / f"a.{ending}", DEEP_RGB if deep and ending != "jpg" else RGB)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(ValueError, match=r"a\.") as caught:
        read_image(path)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr().err == ""


def test_a_damaged_png_is_refused(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", RGB)
    encoded = bytearray(path.read_bytes())
    encoded[len(encoded) // 2] ^= 255
    path.write_bytes(encoded)
    with pytest.raises(ValueError, match="truncated or damaged PNG"):
        read_image(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "file is empty .0 bytes.; give a PNG"),
        (b"hello, this is no picture\n", "expected an image, found text; give a PNG"),
        (bytes(range(128, 256)), "expected an image, found an unknown format"),
        (b"P5 0 4 255\n", "a.png: "),
    ],
)
def test_what_is_no_image_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "a.png").write_bytes(content)
    with pytest.raises(ValueError, match=words):
        read_image(tmp_path / "a.png")


def test_another_format_is_named(tmp_path: Path) -> None:
    Image.fromarray(GRAY).save(tmp_path / "a.gif")
    with pytest.raises(ValueError, match=r"expected an image, found GIF; give a PNG"):
        read_image(tmp_path / "a.gif")


def png_header(width: int, height: int) -> bytes:
    """Return a PNG that only claims its size."""
    import zlib

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("width", "height"), [(16385, 1), (1, 16385), (12000, 12000), (60000, 60000)]
)
def test_too_large_an_image_is_refused_before_it_is_decoded(
    tmp_path: Path, width: int, height: int
) -> None:
    (tmp_path / "a.png").write_bytes(png_header(width, height))
    with pytest.raises(ValueError, match="at most 16384 pixels a side and 134 megapixels"):
        read_image(tmp_path / "a.png")


def test_the_largest_image_is_read(tmp_path: Path) -> None:
    Image.new("1", (16384, 8192), 1).save(tmp_path / "a.png")
    pixels = read_image(tmp_path / "a.png").pixels
    assert pixels.shape == (8192, 16384) and pixels[-1, -1] == 255


@pytest.mark.parametrize("shape", [(1, 1), (9, 1), (1, 9)])
def test_the_smallest_images_make_a_pair(tmp_path: Path, shape: tuple[int, int]) -> None:
    paths = [str(save(tmp_path / f"{side}.png", np.full(shape, 5, np.uint8))) for side in "lr"]
    source = open_source(SourceSpec(*paths))
    assert (source.height, source.width) == shape
    right = source.frame(0).right
    assert right is not None and right.shape == shape


def test_missing_paths_and_mixed_kinds_are_refused(tmp_path: Path) -> None:
    image = str(save(tmp_path / "a.png", GRAY))
    with pytest.raises(FileNotFoundError, match=r"gone.png: no such file"):
        open_source(SourceSpec(image, str(tmp_path / "gone.png")))
    with pytest.raises(ValueError, match=r"is a folder but .*a.png is a file"):
        open_source(SourceSpec(image, str(tmp_path)))
    with pytest.raises(ValueError, match="needs a left one"):
        open_source(SourceSpec(None, image))
    with pytest.raises(IsADirectoryError, match="expected an image, found a folder"):
        read_image(tmp_path)


def test_a_file_one_may_not_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path / "a.png", GRAY)

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # root may read everything, so chmod proves little
    with pytest.raises(PermissionError, match=r"a.png: not allowed to read it"):
        open_source(SourceSpec(str(path)))


def test_different_sizes_are_refused(tmp_path: Path) -> None:
    left, right = save(tmp_path / "l.png", GRAY), save(tmp_path / "r.png", GRAY[:, 1:])
    with pytest.raises(ValueError, match=r"l.png is 31x23, .*r.png is 30x23"):
        open_source(SourceSpec(str(left), str(right)))


def test_a_still_says_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = save(tmp_path / "l.png", DEEP_GRAY), save(tmp_path / "r.png", RGB)
    monkeypatch.chdir(tmp_path)
    source = open_source(SourceSpec("l.png", "r.png"))
    assert source.spec.to_dict() == {"left": str(left), "right": str(right)}
    assert (source.name, source.length, source.rate) == ("l.png | r.png", 1, 0.0)
    assert source.notes == ("l.png: 16-bit scaled to 8 bits (value // 257)",)
    assert source.ready(0) and source.frame(5) is source.frame(0)
    assert open_source(SourceSpec("l.png")).frame(0).right is None


def write_sequence(folder: Path, count: int, left: str, right: str) -> None:
    for index in range(count):
        save(folder / left.format(index), np.full((6, 8), index, np.uint8))
        save(folder / right.format(index), np.full((6, 8), 100 + index, np.uint8))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("left_{}.png", "right_{}.png"),
        ("left/{}.png", "right/{}.png"),
        ("image_2/{}.png", "image_3/{}.png"),
        ("image_0/{}.pgm", "image_1/{}.pgm"),
        ("{}/im0.png", "{}/im1.png"),
    ],
)
def test_a_folder_plays_its_pairs_in_natural_order(tmp_path: Path, left: str, right: str) -> None:
    write_sequence(tmp_path, 11, left, right)  # 10 comes after 9, not after 1
    source = open_source(SourceSpec(str(tmp_path)))
    assert (source.length, source.height, source.width, source.rate) == (11, 6, 8, 10.0)
    for index in (0, 1, 2, 10, 11, 7):
        frame = source.frame(index)
        assert frame.right is not None
        assert (frame.index, frame.left[0, 0], frame.right[0, 0]) == (
            index % 11,
            index % 11,
            100 + index % 11,
        )
        assert source.ready(index)
    source.close()
    assert source.spec.to_dict() == {"left": str(tmp_path)}


def test_two_folders_play_side_by_side(tmp_path: Path) -> None:
    write_sequence(tmp_path, 3, "a/x{}.png", "b/y{}.png")
    source = open_source(SourceSpec(str(tmp_path / "a"), str(tmp_path / "b")))
    assert source.length == 3 and source.spec.right == str(tmp_path / "b")
    right = source.frame(2).right
    assert right is not None and right[0, 0] == 102
    source.close()


def test_folders_without_pairs_or_with_odd_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty: no stereo pair; expected left\*/right\*"):
        open_source(SourceSpec(str(tmp_path / "empty")))
    with pytest.raises(ValueError, match="no images"):
        open_source(SourceSpec(str(tmp_path / "empty"), str(tmp_path / "empty")))
    write_sequence(tmp_path / "odd", 3, "left{}.png", "right{}.png")
    (tmp_path / "odd" / "right1.png").unlink()
    source = open_source(SourceSpec(str(tmp_path / "odd")))
    source.close()
    assert source.length == 2 and "odd/left1.png" in source.notes[0]
    for name in ("left0.png", "left2.png"):
        (tmp_path / "odd" / name).unlink()
    with pytest.raises(ValueError, match=r"without a partner: odd/left1.png"):
        open_source(SourceSpec(str(tmp_path / "odd")))


def test_a_frame_of_another_size_is_named_when_it_is_read(tmp_path: Path) -> None:
    write_sequence(tmp_path, 3, "left{}.png", "right{}.png")
    for side in ("left", "right"):
        save(tmp_path / f"{side}1.png", np.zeros((7, 8), np.uint8))
    source = open_source(SourceSpec(str(tmp_path)))
    for _ in range(2):
        with pytest.raises(ValueError, match=r"left1.png: .* first one's size 8x6 .found 8x7."):
            source.frame(1)
    assert source.frame(2).left[0, 0] == 2
    source.close()


def test_middlebury_truth_is_read_bottom_row_first(tmp_path: Path) -> None:
    disparity = np.array([[1.5, np.inf], [3.25, 4]], "<f4")
    save(tmp_path / "im0.png", GRAY[:2, :2])
    save(tmp_path / "im1.png", GRAY[:2, :2])
    (tmp_path / "disp0.pfm").write_bytes(b"Pf\n2 2\n-1.0\n" + disparity[::-1].tobytes())
    truth = open_source(SourceSpec(str(tmp_path))).frame(0).truth
    assert truth is not None and truth.dtype == np.float32
    np.testing.assert_array_equal(truth, [[1.5, np.nan], [3.25, 4]])
    (tmp_path / "disp0.pfm").write_bytes(b"Pf\n2 2\n-1.0\n" + disparity.tobytes()[:-1])
    with pytest.raises(ValueError, match=r"disp0.pfm: truncated .15 of 16 bytes."):
        read_truth(tmp_path / "disp0.pfm")


def test_kitti_truth_belongs_to_the_frame_of_its_name(tmp_path: Path) -> None:
    write_sequence(tmp_path, 2, "image_2/00{}_10.png", "image_3/00{}_10.png")
    stored = np.zeros((6, 8), np.uint16)
    stored[2, 3] = 5 * 256 + 128
    save(tmp_path / "disp_occ_0" / "001_10.png", stored)
    assert [pair.truth is None for pair in find_pairs(tmp_path).frames] == [True, False]
    source = open_source(SourceSpec(str(tmp_path)))
    truth = source.frame(1).truth
    source.close()
    assert truth is not None and truth[2, 3] == 5.5 and np.isnan(truth).sum() == 47


def test_the_committed_scenes_open_with_their_truth() -> None:
    source = open_source(
        SourceSpec(str(Path(__file__).parent.parent / "assets" / "scenes" / "orbit"))
    )
    frame = source.frame(0)
    source.close()
    assert frame.left.shape == (240, 320, 3) and source.rate == 0.0
    assert frame.truth is not None and 5 < frame.truth.min() < frame.truth.max() < 32


def test_importing_sources_loads_no_heavy_library() -> None:
    code = "import sys, wheatstone.viewer.io.sources; print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent / "src")}
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert not {"cv2", "PIL", "numba", "imageio", "tifffile"} & set(run.stdout.split())


def test_a_folder_of_strange_names_and_links_is_played(tmp_path: Path) -> None:
    place = tmp_path / "walls\x1b[31m"
    place.mkdir()
    for name in ("left\udc80.png", "right\udc80.png"):
        cv2.imwrite(str(tmp_path / "a.png"), np.zeros((8, 9), np.uint8))
        (tmp_path / "a.png").rename(place / name)
    (place / "left1.png").symlink_to("left1.png")
    (place / "right1.png").mkdir()
    source = open_source(SourceSpec(str(place)))
    assert (source.length, source.name) == (1, r"walls\x1b[31m")
    assert source.frame(0).left.shape == (8, 9)
    source.close()


def test_a_frame_that_vanishes_is_named(tmp_path: Path) -> None:
    for name in ("left1.png", "left2.png", "left3.png", "right1.png", "right2.png", "right3.png"):
        cv2.imwrite(str(tmp_path / name), np.zeros((8, 9), np.uint8))
    source = open_source(SourceSpec(str(tmp_path)))
    (tmp_path / "left3.png").unlink()
    with pytest.raises(FileNotFoundError, match=r"left3\.png: no such file"):
        source.frame(2)
    source.close()
