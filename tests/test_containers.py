"""MPO, HEIC and AVIF: both views of a pair, in the order that the file says."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, features

from tests.containers import (
    DISPARITY,
    THUMBNAIL,
    UNDEFINED,
    heic,
    item_numbers,
    jpeg,
    mpo,
    views,
    write,
)
from wheatstone.viewer.cli.pairs import list_sources
from wheatstone.viewer.io.sources.folder import FolderSource
from wheatstone.viewer.io.sources.images import read_image
from wheatstone.viewer.io.sources.mpo import mpo_pictures, without_index
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.still import StillSource, read_views

LEFT, RIGHT = views()
needs_heif = pytest.mark.skipif(not find_spec("pillow_heif"), reason="pillow-heif is missing")
needs_avif = pytest.mark.skipif(not features.check("avif"), reason="Pillow reads no AVIF here")


def shows(handle: object, wanted: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> bool:
    pixels = np.asarray(handle)
    grey = pixels if pixels.ndim == 2 else pixels[..., 1]
    return grey.shape == wanted.shape and bool(np.abs(grey.astype(int) - wanted).mean() < 6)


@pytest.mark.parametrize("numbers", [[1, 2], None])
def test_an_mpo_opens_as_a_pair(tmp_path: Path, numbers: list[int] | None) -> None:
    path = write(tmp_path / "a.mpo", mpo([LEFT, RIGHT], [DISPARITY] * 2, numbers))
    source = StillSource(SourceSpec(str(path)))
    frame = source.frame(0)
    assert frame.is_pair and shows(frame.left, LEFT) and shows(frame.right, RIGHT)
    text = "" if numbers else ", in the order of the file"
    assert source.notes == (f"a.mpo: MPO: two views{text}",)
    assert source.layouts == ("pair", "swapped")
    with Image.open(path) as image:  # Pillow agrees that it is one
        assert image.format == "MPO" and getattr(image, "n_frames", 0) == 2


def test_viewpoints_decide_the_order(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mpo", mpo([RIGHT, LEFT], [DISPARITY] * 2, [2, 1]))
    read = read_views(path, None)
    assert shows(read.left, LEFT) and shows(read.right, RIGHT)


def test_previews_are_no_views(tmp_path: Path) -> None:
    small = LEFT[::4, ::4]
    path = write(
        tmp_path / "a.mpo", mpo([LEFT, small, RIGHT], [DISPARITY, THUMBNAIL, DISPARITY], [1, 0, 2])
    )
    read = read_views(path, None)
    assert shows(read.left, LEFT) and shows(read.right, RIGHT)


def test_a_photo_with_a_gain_map_is_one_picture(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jpg", mpo([LEFT, RIGHT[::2, ::2]], [0x030000, UNDEFINED]))
    read = read_views(path, None)
    assert read.right is None and shows(read.left, LEFT)
    assert read.notes == ("a.jpg: first of 2 pictures, which are no stereo pair",)


def test_two_unmarked_pictures_of_one_size_may_be_a_pair(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jpg", mpo([LEFT, RIGHT], [UNDEFINED] * 2))
    (note,) = read_image(path).notes
    assert note == "a.jpg: first of 2 pictures; if they are a stereo pair, rename it to a.mpo"


@needs_avif
def test_a_truncated_avif_is_damaged(tmp_path: Path) -> None:
    Image.fromarray(LEFT).save(tmp_path / "a.avif")
    content = (tmp_path / "a.avif").read_bytes()
    for length in (60, 200, len(content) - 40):
        (tmp_path / "a.avif").write_bytes(content[:length])
        with pytest.raises(ValueError, match="truncated or damaged AVIF"):
            read_image(tmp_path / "a.avif")


def test_an_untyped_mpo_is_a_pair(tmp_path: Path) -> None:
    path = write(tmp_path / "A.MPO", mpo([LEFT, RIGHT], [UNDEFINED] * 2))
    assert shows(read_views(path, None).right, RIGHT)


def test_an_index_that_leaves_the_file_is_ignored(tmp_path: Path) -> None:
    content = mpo([LEFT, RIGHT], [DISPARITY] * 2)
    assert mpo_pictures(content) and not mpo_pictures(content[:-9])
    assert not mpo_pictures(jpeg(LEFT)) and without_index(jpeg(LEFT)) == jpeg(LEFT)
    path = write(tmp_path / "a.mpo", content[:-9])
    with pytest.raises(ValueError, match="MPO"):
        read_views(path, None)


def test_a_folder_and_a_batch_of_mpo_are_pairs(tmp_path: Path) -> None:
    for number in range(2):
        write(tmp_path / f"{number}.mpo", mpo([LEFT, RIGHT], [DISPARITY] * 2))
    source = FolderSource(SourceSpec(str(tmp_path)))
    assert source.length == 2 and shows(source.frame(1).right, RIGHT)
    source.close()
    for words in ([str(tmp_path)], [str(tmp_path / "0.mpo")]):
        frame, _ = list_sources(words, None, SourceSpec())[0].pairs[0].read(SourceSpec())
        assert shows(frame.right, RIGHT)


@needs_heif
@pytest.mark.parametrize("swapped", [False, True])
def test_a_spatial_photo_opens_as_a_pair(tmp_path: Path, swapped: bool) -> None:
    pictures = [RIGHT, LEFT] if swapped else [LEFT, RIGHT]
    first, second = item_numbers(heic(pictures))
    order = (second, first) if swapped else (first, second)
    read = read_views(write(tmp_path / "a.heic", heic(pictures, order)), None)
    assert shows(read.left, LEFT) and shows(read.right, RIGHT)
    assert read.notes == ("a.heic: spatial photo: two views",)


@needs_heif
def test_two_images_without_a_group_are_a_pair_that_is_noted(tmp_path: Path) -> None:
    read = read_views(write(tmp_path / "a.heic", heic([LEFT, RIGHT])), None)
    assert shows(read.left, LEFT) and shows(read.right, RIGHT)
    assert "in the order of the file" in read.notes[0]


@needs_heif
def test_one_image_is_a_view(tmp_path: Path) -> None:
    left, right = (
        write(tmp_path / f"{n}.heic", heic([p])) for n, p in zip("lr", views(), strict=True)
    )
    frame = StillSource(SourceSpec(str(left), str(right))).frame(0)
    assert shows(frame.left, LEFT) and shows(frame.right, RIGHT)


@needs_heif
def test_a_heic_that_ends_early_is_named(tmp_path: Path) -> None:
    content = heic([LEFT])
    for size in (24, len(content) // 2, len(content) - 9):
        with pytest.raises(ValueError, match=r"a\.heic: .*HEIC"):
            read_image(write(tmp_path / "a.heic", content[:size]))


def test_without_the_extra_its_installation_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wheatstone.viewer.io.sources.images.has_heif", lambda: False)
    path = write(tmp_path / "a.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic")
    with pytest.raises(ValueError, match=r"found a HEIC image; .*pip install 'wheatstone\[heif\]'"):
        read_image(path)


@needs_avif
def test_avif_is_read(tmp_path: Path) -> None:
    Image.fromarray(np.stack([LEFT] * 3, -1)).save(tmp_path / "a.avif", quality=95)
    assert shows(read_image(tmp_path / "a.avif").pixels, LEFT)
    content = (tmp_path / "a.avif").read_bytes()
    with pytest.raises(ValueError, match=r"a\.avif: .*AVIF"):
        read_image(write(tmp_path / "a.avif", content[: len(content) // 2]))
