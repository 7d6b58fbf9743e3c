"""Names of formats that are not read as images, by their signature, with a way that works."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from wheatstone.gpu.installation import install_command
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
        heif = install_command("heif") if "{heif}" in self.remedy else ""
        return self.remedy.format(name=name, stem=stem, suffix=self.suffix, heif=heif)


class Signature(NamedTuple):
    """Bytes at a place of a file, as a regular expression, that belong to a format."""

    at: int
    pattern: re.Pattern[bytes]
    kind: FileKind


def _sign(
    pattern: re.Pattern[bytes], name: str, remedy: str = CONVERT, suffix: str = "", at: int = 0
) -> Signature:
    return Signature(at, pattern, FileKind(name, remedy, suffix))


HEIF = "a HEIC image"
AVIF = "an AVIF image"
HEIF_EXTRA = "install the reader with: {heif}"
AVIF_EXTRA = "install a Pillow that reads AVIF (pip install --upgrade pillow)"
SIGNATURES = (
    _sign(re.compile(rb"....ftypcrx ", re.DOTALL), "a raw photo (CR3)", RAW_PHOTO),
    _sign(re.compile(rb"....ftyp(?:avif|avis)", re.DOTALL), AVIF, AVIF_EXTRA),
    _sign(
        re.compile(rb"....ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1|mif2|miaf)", re.DOTALL),
        HEIF,
        HEIF_EXTRA,
    ),
    _sign(re.compile(rb"....ftyp(?:qt  )", re.DOTALL), "a QuickTime video", VIDEO, ".mov"),
    _sign(re.compile(rb"....ftyp", re.DOTALL), "an MP4 video", VIDEO, ".mp4"),
    _sign(re.compile(rb"....(?:moov|mdat|wide)", re.DOTALL), "a QuickTime video", VIDEO, ".mov"),
    _sign(re.compile(rb"\x1aE\xdf\xa3", re.DOTALL), "a Matroska or WebM video", VIDEO, ".mkv"),
    _sign(re.compile(rb"RIFF....WEBP", re.DOTALL), "WebP"),
    _sign(re.compile(rb"RIFF....AVI ", re.DOTALL), "an AVI video", VIDEO, ".avi"),
    _sign(re.compile(rb"\0\0\x01\xba", re.DOTALL), "an MPEG video", VIDEO, ".mpg"),
    _sign(re.compile(rb"G.{187}G.{187}G", re.DOTALL), "an MPEG transport stream", VIDEO, ".ts"),
    _sign(
        re.compile(rb"(?:.{4}G.{187}){2}", re.DOTALL), "an MPEG transport stream", VIDEO, ".m2ts"
    ),
    _sign(re.compile(rb"GIF8", re.DOTALL), "GIF"),
    _sign(re.compile(rb"BM", re.DOTALL), "BMP"),
    _sign(
        re.compile(rb"\xff\x0a|\0\0\0\x0cJXL \r\n\x87\n", re.DOTALL),
        "JPEG XL",
        "convert it, for example: djxl {name} {stem}.png",
    ),
    _sign(re.compile(rb"\0\0\0\x0cjP  \r\n\x87\n|\xffO\xffQ", re.DOTALL), "JPEG 2000"),
    _sign(re.compile(rb"v/1\x01", re.DOTALL), "OpenEXR"),
    _sign(re.compile(rb"#\?(?:RADIANCE|RGBE)", re.DOTALL), "Radiance HDR"),
    _sign(
        re.compile(rb"P7\n", re.DOTALL),
        "PAM",
        "convert it, for example: pamtopnm {name} > {stem}.ppm",
    ),
    _sign(re.compile(rb"8BPS", re.DOTALL), "a Photoshop document (PSD)"),
    _sign(re.compile(rb"%PDF", re.DOTALL), "PDF"),
    _sign(re.compile(rb"SIMPLE  =", re.DOTALL), "FITS"),
    _sign(re.compile(rb"\x89HDF\r\n\x1a\n", re.DOTALL), "HDF5", "export the views as PNG or TIFF"),
    _sign(
        re.compile(rb"\x93NUMPY", re.DOTALL),
        "a NumPy array",
        "open arrays by the API: wheatstone.open(left, right)",
    ),
    _sign(
        re.compile(rb"#ROSBAG V", re.DOTALL),
        "a ROS bag",
        "export its images, for example: rosrun image_view extract_images; of a RealSense: "
        "rs-convert -i {name} -p {stem}",
    ),
    _sign(
        re.compile(rb"SQLite format 3\0", re.DOTALL),
        "an SQLite database (a ROS 2 bag is one)",
        "export its images: ros2 bag play with image_view",
    ),
    _sign(
        re.compile(rb"\x89MCAP0\r\n", re.DOTALL),
        "MCAP, a ROS 2 bag",
        "export its images: ros2 bag play with image_view",
    ),
    _sign(re.compile(rb"PK(?:\x03\x04|\x05\x06|\x07\x08)", re.DOTALL), "a ZIP archive", UNPACK),
    _sign(re.compile(rb"\x1f\x8b", re.DOTALL), "a gzip archive", UNPACK),
    _sign(re.compile(rb"7z\xbc\xaf\x27\x1c", re.DOTALL), "a 7z archive", UNPACK),
    _sign(re.compile(rb"Rar!\x1a\x07", re.DOTALL), "a RAR archive", UNPACK),
    _sign(
        re.compile(rb"\xfd7zXZ\0|BZh[1-9]|\x28\xb5\x2f\xfd", re.DOTALL),
        "a compressed archive",
        UNPACK,
    ),
    _sign(re.compile(rb"ustar", re.DOTALL), "a tar archive", UNPACK, at=257),
    _sign(re.compile(rb"FUJIFILMCCD-RAW", re.DOTALL), "a raw photo (RAF)", RAW_PHOTO),
    _sign(re.compile(rb"IIRO|IIRS|MMOR", re.DOTALL), "a raw photo (ORF)", RAW_PHOTO),
    _sign(re.compile(rb"IIU\0", re.DOTALL), "a raw photo (RW2)", RAW_PHOTO),
    _sign(
        re.compile(rb"<svg|<\?xml[^>]{0,99}>\s{0,9}<(?:svg|!DOCTYPE svg)", re.DOTALL),
        "SVG",
        "convert it, for example: rsvg-convert -o {stem}.png {name}",
    ),
    _sign(
        re.compile(rb"(?:<!DOCTYPE html|<html)", re.DOTALL),
        "a web page (HTML)",
        "download the image itself",
    ),
    _sign(
        re.compile(rb"version https://git-lfs", re.DOTALL),
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


def kind_description(path: Path, encoded: bytes) -> str:
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
