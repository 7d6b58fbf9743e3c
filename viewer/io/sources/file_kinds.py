"""Names of formats that are not read as images, by their signature, with a way that works."""

import re
from dataclasses import dataclass
from pathlib import Path

from wheatstone.gpu.installation import install_command
from wheatstone.viewer.io.reading.plain_text import label

WANTED = "give a PNG, PGM, PPM, JPEG or TIFF"
HEAD = 4096
"""Bytes of a file that are enough to name its format."""
CONVERT = "convert it, for example: magick {name} {stem}.png"
RAW_PHOTO = "develop it to 16-bit TIFF, for example: darktable-cli {name} {stem}.tif"
VIDEO = "a video needs its usual suffix and PyAV: rename it to {stem}{suffix}"
UNPACK = "unpack it, then give the pictures or the folder"
ZED = "export it with the ZED SDK: ZED_SVO_Export (mode 0 gives an AVI side by side)"
BAG = (
    "export its images, for example: rosrun image_view extract_images; of a RealSense: "
    "rs-convert -i {name} -p {stem}"
)
ROS_2 = "export its images: ros2 bag play with image_view"


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


HEIF = FileKind("a HEIC image", "install the reader with: {heif}")
AVIF = FileKind("an AVIF image", "install a Pillow that reads AVIF (pip install --upgrade pillow)")
QUICKTIME = FileKind("a QuickTime video", VIDEO, ".mov")
SIGNATURES = (
    (rb"....ftypcrx ", FileKind("a raw photo (CR3)", RAW_PHOTO)),
    (rb"....ftyp(?:avif|avis)", AVIF),
    (rb"....ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1|mif2|miaf)", HEIF),
    (rb"....ftyp(?:qt  )", QUICKTIME),
    (rb"....ftyp", FileKind("an MP4 video", VIDEO, ".mp4")),
    (rb"....(?:moov|mdat|wide)", QUICKTIME),
    (rb"\x1aE\xdf\xa3", FileKind("a Matroska or WebM video", VIDEO, ".mkv")),
    (rb"RIFF....WEBP", FileKind("WebP")),
    (rb"RIFF....AVI ", FileKind("an AVI video", VIDEO, ".avi")),
    (rb"\0\0\x01\xba", FileKind("an MPEG video", VIDEO, ".mpg")),
    (rb"G.{187}G.{187}G", FileKind("an MPEG transport stream", VIDEO, ".ts")),
    (rb"(?:.{4}G.{187}){2}", FileKind("an MPEG transport stream", VIDEO, ".m2ts")),
    (rb"GIF8", FileKind("GIF")),
    (rb"BM", FileKind("BMP")),
    (
        rb"\xff\x0a|\0\0\0\x0cJXL \r\n\x87\n",
        FileKind("JPEG XL", "convert it, for example: djxl {name} {stem}.png"),
    ),
    (rb"\0\0\0\x0cjP  \r\n\x87\n|\xffO\xffQ", FileKind("JPEG 2000")),
    (rb"v/1\x01", FileKind("OpenEXR")),
    (rb"#\?(?:RADIANCE|RGBE)", FileKind("Radiance HDR")),
    (rb"P7\n", FileKind("PAM", "convert it, for example: pamtopnm {name} > {stem}.ppm")),
    (rb"8BPS", FileKind("a Photoshop document (PSD)")),
    (rb"%PDF", FileKind("PDF")),
    (rb"SIMPLE  =", FileKind("FITS")),
    (rb"\x89HDF\r\n\x1a\n", FileKind("HDF5", "export the views as PNG or TIFF")),
    (
        rb"\x93NUMPY",
        FileKind("a NumPy array", "open arrays by the API: wheatstone.open(left, right)"),
    ),
    (rb"#ROSBAG V", FileKind("a ROS bag", BAG)),
    (rb"SQLite format 3\0", FileKind("an SQLite database (a ROS 2 bag is one)", ROS_2)),
    (rb"\x89MCAP0\r\n", FileKind("MCAP, a ROS 2 bag", ROS_2)),
    (rb"PK(?:\x03\x04|\x05\x06|\x07\x08)", FileKind("a ZIP archive", UNPACK)),
    (rb"\x1f\x8b", FileKind("a gzip archive", UNPACK)),
    (rb"7z\xbc\xaf\x27\x1c", FileKind("a 7z archive", UNPACK)),
    (rb"Rar!\x1a\x07", FileKind("a RAR archive", UNPACK)),
    (rb"\xfd7zXZ\0|BZh[1-9]|\x28\xb5\x2f\xfd", FileKind("a compressed archive", UNPACK)),
    (rb".{257}ustar", FileKind("a tar archive", UNPACK)),
    (rb"FUJIFILMCCD-RAW", FileKind("a raw photo (RAF)", RAW_PHOTO)),
    (rb"IIRO|IIRS|MMOR", FileKind("a raw photo (ORF)", RAW_PHOTO)),
    (rb"IIU\0", FileKind("a raw photo (RW2)", RAW_PHOTO)),
    (
        rb"<svg|<\?xml[^>]{0,99}>\s{0,9}<(?:svg|!DOCTYPE svg)",
        FileKind("SVG", "convert it, for example: rsvg-convert -o {stem}.png {name}"),
    ),
    (
        rb"(?:<!DOCTYPE html|<html)",
        FileKind("a web page (HTML)", "download the image itself"),
    ),
    (
        rb"version https://git-lfs",
        FileKind("a pointer of Git LFS, not the file itself", "fetch the file: git lfs pull"),
    ),
)
"""Regular expressions of the beginnings of files, and their formats: the first that fits counts."""
RAW_SUFFIXES = (".dng", ".nef", ".arw", ".cr2", ".pef", ".srw", ".nrw", ".sr2", ".3fr", ".iiq")
"""Raw photos that begin as a TIFF, whose first page is only a small preview."""
SUFFIXES = {
    ".svo": FileKind("a recording of a ZED camera (SVO)", ZED),
    ".svo2": FileKind("a recording of a ZED camera (SVO2)", ZED),
    ".bag": FileKind("a ROS or RealSense bag", BAG),
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
    head = encoded[:HEAD]
    fitting = (kind for pattern, kind in SIGNATURES if re.match(pattern, head, re.DOTALL))
    return next(fitting, SUFFIXES.get(path.suffix.lower()))


def raw_photo(path: Path, encoded: bytes, *, dng: bool) -> FileKind | None:
    """Return the kind of a raw photo whose TIFF would open as its small preview.

    Args:
        dng: whether its first page has the tag of a DNG.
    """
    suffix = path.suffix.lower()
    name = "DNG" if dng else suffix[1:].upper() if suffix in RAW_SUFFIXES else None
    name = "CR2" if encoded[8:10] == b"CR" else name
    return FileKind(f"a raw photo ({name})", RAW_PHOTO) if name else None
