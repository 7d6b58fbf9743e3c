"""Files that are not read as images are named, with a way that works."""

import struct
import zipfile
from pathlib import Path

import pytest

from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.sources.images import LARGEST_FILE, read_image

NAMED = {
    "a.heic": (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
    "a.hif": (b"\0\0\0\x18ftypmsf1\0\0\0\0msf1heic", "HEIC"),
    "a.avif": (b"\0\0\0\x18ftypavif\0\0\0\0avifmif1", "AVIF"),
    "a.bag": (b"#ROSBAG V2.0\nE\0\0\0" + b" " * 99, "ROS bag.*rs-convert"),
    "b.bag": (b"text of another kind", "ROS or RealSense bag"),
    "a.svo": (b"text", "ZED.*ZED_SVO_Export"),
    "a.svo2": (bytes(99), "ZED"),
    "a.db3": (b"SQLite format 3\0" + bytes(99), "ROS 2"),
    "a.mcap": (b"\x89MCAP0\r\n" + bytes(99), "MCAP"),
    "a.cr3": (b"\0\0\0\x18ftypcrx \0\0\0\1crx isom", "CR3.*darktable"),
    "a.raf": (b"FUJIFILMCCD-RAW 0201" + bytes(99), "RAF"),
    "a.orf": (b"IIRO\x08\0\0\0" + bytes(99), "ORF"),
    "a.webp": (b"RIFF\x24\0\0\0WEBPVP8 " + bytes(99), "WebP.*magick a.webp a.png"),
    "a.jxl": (b"\xff\x0a" + bytes(99), "JPEG XL.*djxl"),
    "b.jxl": (b"\0\0\0\x0cJXL \r\n\x87\n" + bytes(99), "JPEG XL"),
    "a.jp2": (b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(99), "JPEG 2000"),
    "a.exr": (b"v/1\x01\2\0\0\0" + bytes(99), "OpenEXR"),
    "a.hdr": (b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n", "Radiance HDR"),
    "a.gif": (b"GIF89a" + bytes(99), "GIF"),
    "a.bmp": (b"BM" + bytes(99), "BMP"),
    "a.psd": (b"8BPS\0\1" + bytes(99), "Photoshop"),
    "a.pdf": (b"%PDF-1.7\n", "PDF"),
    "a.svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
    "a.zip": (b"PK\3\4" + bytes(99), "ZIP.*unpack"),
    "a.tar": (bytes(257) + b"ustar" + bytes(99), "tar"),
    "a.tgz": (b"\x1f\x8b\x08" + bytes(99), "gzip"),
    "a.png": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
    "a.insv": (b"\0\0\0\x18ftypavc1\0\0\0\0", r"MP4 video.*a\.mp4"),
    "a.tif": (b"\0\0\0\x14ftypqt  \0\0\0\0", r"QuickTime.*a\.mov"),
    "c.png": (b"\x1aE\xdf\xa3" + bytes(99), r"Matroska.*c\.mkv"),
    "d.png": (b"RIFF\x24\0\0\0AVI LIST" + bytes(99), r"AVI video.*d\.avi"),
    "e.png": ((b"G" + bytes(187)) * 3, r"transport stream.*e\.ts"),
    "a.npy": (b"\x93NUMPY\1\0", r"NumPy array.*wheatstone\.open"),
    "a.pam": (b"P7\nWIDTH 3\n", "PAM"),
    "a.dng": (b"", "DNG.*darktable"),
    "a.nef": (b"", "NEF"),
    "a.arw": (b"", "ARW"),
    "a.cr2": (b"", "CR2"),
    "dng.tif": (b"dng", "DNG"),
}


def small_tiff(*, dng: bool = False) -> bytes:
    """Write a TIFF of 2 by 2 pixels, as raw photos begin: with a preview."""
    tags = [(256, 3, 1, 2), (257, 3, 1, 2), (258, 3, 1, 8), (262, 3, 1, 1), (273, 4, 1, 8)]
    tags += [(279, 4, 1, 4), *([(50706, 1, 4, 1025)] if dng else [])]
    body = b"".join(struct.pack("<HHII", *tag) for tag in tags)
    return (
        b"II*\0" + struct.pack("<I", 12) + bytes(4) + struct.pack("<H", len(tags)) + body + bytes(4)
    )


@pytest.mark.parametrize("name", NAMED)
def test_the_format_and_a_way_are_named(tmp_path: Path, name: str) -> None:
    content, words = NAMED[name]
    if content in (b"", b"dng"):
        content = small_tiff(dng=content == b"dng")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=words) as caught:
        read_image(tmp_path / name)
    assert "\n" not in str(caught.value) and "found text" not in str(caught.value)


def test_a_plain_tiff_of_that_kind_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.tif").write_bytes(small_tiff())
    assert read_image(tmp_path / "a.tif").pixels.shape == (2, 2)


def test_files_that_are_too_large_to_read_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.bag"
    with path.open("wb") as file:
        file.write(b"#ROSBAG V2.0\n")
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(ValueError, match="found a ROS bag"):
        read_image(path)


@pytest.mark.parametrize("name", ["a.bag", "a.svo", "a.heic", "a.zip"])
@pytest.mark.parametrize("verb", ["render", "batch"])
def test_every_verb_names_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, verb: str
) -> None:
    path = tmp_path / name
    path.write_bytes(NAMED[name][0])
    words = [str(path), "--out", str(tmp_path / "out.png"), "--variant", "cpu"]
    words = ["render", "sgm", *words] if verb == "render" else ["batch", *words]
    assert main(words) in (1, 2)
    errors = capsys.readouterr().err
    assert any(
        kind in errors for kind in (NAMED[name][1].split(".*")[0], "HEIC", "damaged recording")
    )


def test_an_empty_archive_is_named(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w"):
        pass
    with pytest.raises(ValueError, match="ZIP"):
        read_image(tmp_path / "a.zip")
