"""Names of formats that are not read as images, by their signature, with a way that works."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from wheatstone.viewer.io.reading.plain_text import label

WANTED = "give a PNG, PGM, PPM, JPEG or TIFF"
HEAD = 4096
"""Bytes of a file that are enough to name its format."""
CONVERT = "convert it, for example: magick {name} {stem}.png"
RAW_PHOTO = "develop it to 16-bit TIFF, for example: darktable-cli {name} {stem}.tif"
VIDEO = "a video needs its usual suffix and PyAV: rename it to {stem}{suffix}"
UNPACK = "unpack it, then give the pictures or the folder"


@dataclass(frozen=True)
class FileKind:
    """A format of files.

    Attributes:
        name: for messages.
        remedy: how its content can be used; {name}, {stem} and {suffix} are filled in.
        suffix: the usual suffix, for videos.
    """

    name: str
    remedy: str = CONVERT
    suffix: str = ""

    def advice(self, path: Path) -> str:
        """Return the remedy for a file."""
        name, stem = label(path.name), label(path.stem)
        return self.remedy.format(name=name, stem=stem, suffix=self.suffix)


class Signature(NamedTuple):
    """Bytes at a place of a file, as a regular expression, that belong to a format."""

    at: int
    pattern: re.Pattern[bytes]
    kind: FileKind


def _sign(
    pattern: bytes, name: str, remedy: str = CONVERT, suffix: str = "", at: int = 0
) -> Signature:
    return Signature(at, re.compile(pattern, re.DOTALL), FileKind(name, remedy, suffix))


HEIF = "a HEIC image"
AVIF = "an AVIF image"
HEIF_EXTRA = "install the reader with: pip install 'wheatstone[heif]'"
AVIF_EXTRA = "install a Pillow that reads AVIF (pip install --upgrade pillow)"
SIGNATURES = (
    _sign(rb"....ftypcrx ", "a raw photo (CR3)", RAW_PHOTO),
    _sign(rb"....ftyp(?:avif|avis)", AVIF, AVIF_EXTRA),
    _sign(rb"....ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1|mif2|miaf)", HEIF, HEIF_EXTRA),
    _sign(rb"....ftyp(?:qt  )", "a QuickTime video", VIDEO, ".mov"),
    _sign(rb"....ftyp", "an MP4 video", VIDEO, ".mp4"),
    _sign(rb"....(?:moov|mdat|wide)", "a QuickTime video", VIDEO, ".mov"),
    _sign(rb"\x1aE\xdf\xa3", "a Matroska or WebM video", VIDEO, ".mkv"),
    _sign(rb"RIFF....WEBP", "WebP"),
    _sign(rb"RIFF....AVI ", "an AVI video", VIDEO, ".avi"),
    _sign(rb"\0\0\x01\xba", "an MPEG video", VIDEO, ".mpg"),
    _sign(rb"G.{187}G.{187}G", "an MPEG transport stream", VIDEO, ".ts"),
    _sign(rb"(?:.{4}G.{187}){2}", "an MPEG transport stream", VIDEO, ".m2ts"),
    _sign(rb"GIF8", "GIF"),
    _sign(rb"BM", "BMP"),
    _sign(
        rb"\xff\x0a|\0\0\0\x0cJXL \r\n\x87\n",
        "JPEG XL",
        "convert it, for example: djxl {name} {stem}.png",
    ),
    _sign(rb"\0\0\0\x0cjP  \r\n\x87\n|\xffO\xffQ", "JPEG 2000"),
    _sign(rb"v/1\x01", "OpenEXR"),
    _sign(rb"#\?(?:RADIANCE|RGBE)", "Radiance HDR"),
    _sign(rb"P7\n", "PAM", "convert it, for example: pamtopnm {name} > {stem}.ppm"),
    _sign(rb"8BPS", "a Photoshop document (PSD)"),
    _sign(rb"%PDF", "PDF"),
    _sign(rb"SIMPLE  =", "FITS"),
    _sign(rb"\x89HDF\r\n\x1a\n", "HDF5", "export the views as PNG or TIFF"),
    _sign(rb"\x93NUMPY", "a NumPy array", "open arrays by the API: wheatstone.open(left, right)"),
    _sign(
        rb"#ROSBAG V",
        "a ROS bag",
        "export its images, for example: rosrun image_view extract_images; of a RealSense: "
        "rs-convert -i {name} -p {stem}",
    ),
    _sign(
        rb"SQLite format 3\0",
        "an SQLite database (a ROS 2 bag is one)",
        "export its images: ros2 bag play with image_view",
    ),
    _sign(
        rb"\x89MCAP0\r\n", "MCAP, a ROS 2 bag", "export its images: ros2 bag play with image_view"
    ),
    _sign(rb"PK(?:\x03\x04|\x05\x06|\x07\x08)", "a ZIP archive", UNPACK),
    _sign(rb"\x1f\x8b", "a gzip archive", UNPACK),
    _sign(rb"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    _sign(rb"Rar!\x1a\x07", "a RAR archive", UNPACK),
    _sign(rb"\xfd7zXZ\0|BZh[1-9]|\x28\xb5\x2f\xfd", "a compressed archive", UNPACK),
    _sign(rb"ustar", "a tar archive", UNPACK, at=257),
    _sign(rb"FUJIFILMCCD-RAW", "a raw photo (RAF)", RAW_PHOTO),
    _sign(rb"IIRO|IIRS|MMOR", "a raw photo (ORF)", RAW_PHOTO),
    _sign(rb"IIU\0", "a raw photo (RW2)", RAW_PHOTO),
    _sign(
        rb"(?:<\?xml.{0,500})?<svg",
        "SVG",
        "convert it, for example: rsvg-convert -o {stem}.png {name}",
    ),
    _sign(rb"(?:<!DOCTYPE html|<html)", "a web page (HTML)", "download the image itself"),
    _sign(
        rb"version https://git-lfs",
        "a pointer of Git LFS, not the file itself",
        "fetch the file: git lfs pull",
    ),
)
"""The first that fits names the format."""

RAW_SUFFIXES = {
    ".dng": "DNG",
    ".nef": "NEF",
    ".arw": "ARW",
    ".cr2": "CR2",
    ".pef": "PEF",
    ".srw": "SRW",
    ".nrw": "NRW",
    ".sr2": "SR2",
    ".3fr": "3FR",
    ".iiq": "IIQ",
}
"""Raw photos that begin as a TIFF, whose first page is only a small preview."""
SUFFIXES = {
    ".svo": FileKind(
        "a recording of a ZED camera (SVO)",
        "export it with the ZED SDK: ZED_SVO_Export (mode 0 gives an AVI side by side)",
    ),
    ".svo2": FileKind(
        "a recording of a ZED camera (SVO2)",
        "export it with the ZED SDK: ZED_SVO_Export (mode 0 gives an AVI side by side)",
    ),
    ".bag": FileKind(
        "a ROS or RealSense bag",
        "export its images, for example: rosrun image_view extract_images; of a RealSense: "
        "rs-convert -i {name} -p {stem}",
    ),
    ".raw": FileKind("raw pixels without a header", "convert them to PGM or 16-bit PNG"),
    ".yuv": FileKind(
        "raw video without a header", "convert it with FFmpeg: -s WxH -i {name} {stem}.mkv"
    ),
}
"""Formats that have no public signature, by the file's suffix."""
INSP = "an Insta360 picture holds two round fisheye views; export a flat pair with Insta360 Studio"
"""A note: as a JPEG it opens, but no pipeline expects round views."""


def found_kind(path: Path, encoded: bytes) -> str:
    """Describe a file that is not read as an image, for a message: its format, and the remedy."""
    kind = kind_of(path, encoded)
    if kind:
        return f"{kind.name}; {WANTED}, or {kind.advice(path)}"
    return f"{'text' if encoded[:512].isascii() else 'an unknown format'}; {WANTED}"


def kind_of(path: Path, encoded: bytes) -> FileKind | None:
    """Name the format of a file that is not read as an image; None if it is unknown.

    Args:
        encoded: its first ``HEAD`` bytes, at least.
    """
    for at, pattern, kind in SIGNATURES:
        if pattern.match(encoded, at, HEAD):
            return kind
    return SUFFIXES.get(path.suffix.lower())


def raw_photo(path: Path, encoded: bytes, *, dng: bool) -> FileKind | None:
    """Return the kind of a raw photo whose TIFF would open as its small preview.

    Args:
        dng: whether its first page has the tag of a DNG.
    """
    name = "DNG" if dng else RAW_SUFFIXES.get(path.suffix.lower())
    name = "CR2" if encoded[8:10] == b"CR" else name
    return FileKind(f"a raw photo ({name})", RAW_PHOTO) if name else None
