"""Recognition of file formats that are not read as images, with advice for the user."""

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
    """A file format that is not read as an image, with advice on how to use its content.

    Attributes:
        name: for messages.
        remedy: how its content can be used; {name}, {stem} and {suffix} are filled in.
        suffix: the usual suffix, for videos.
    """

    name: str
    remedy: str = CONVERT
    suffix: str = ""

    def advice(self, path: Path) -> str:
        """Explain how the content of a file in this format can be used."""
        name, stem = label(path.name), label(path.stem)
        heif = install_command("heif") if "{heif}" in self.remedy else ""
        return self.remedy.format(name=name, stem=stem, suffix=self.suffix, heif=heif)


HEIF = FileKind("a HEIC image", "install the reader with: {heif}")
AVIF = FileKind("an AVIF image", "install a Pillow that reads AVIF (pip install --upgrade pillow)")
QUICKTIME = FileKind("a QuickTime video", VIDEO, ".mov")
SIGNATURES = (
    (re.compile(rb"....ftypcrx ", re.DOTALL), FileKind("a raw photo (CR3)", RAW_PHOTO)),
    (re.compile(rb"....ftyp(?:avif|avis)", re.DOTALL), AVIF),
    (re.compile(rb"....ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1|mif2|miaf)", re.DOTALL), HEIF),
    (re.compile(rb"....ftyp(?:qt  )", re.DOTALL), QUICKTIME),
    (re.compile(rb"....ftyp", re.DOTALL), FileKind("an MP4 video", VIDEO, ".mp4")),
    (re.compile(rb"....(?:moov|mdat|wide)", re.DOTALL), QUICKTIME),
    (re.compile(rb"\x1aE\xdf\xa3", re.DOTALL), FileKind("a Matroska or WebM video", VIDEO, ".mkv")),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), FileKind("WebP")),
    (re.compile(rb"RIFF....AVI ", re.DOTALL), FileKind("an AVI video", VIDEO, ".avi")),
    (re.compile(rb"\0\0\x01\xba", re.DOTALL), FileKind("an MPEG video", VIDEO, ".mpg")),
    (
        re.compile(rb"G.{187}G.{187}G", re.DOTALL),
        FileKind("an MPEG transport stream", VIDEO, ".ts"),
    ),
    (
        re.compile(rb"(?:.{4}G.{187}){2}", re.DOTALL),
        FileKind("an MPEG transport stream", VIDEO, ".m2ts"),
    ),
    (re.compile(rb"GIF8", re.DOTALL), FileKind("GIF")),
    (re.compile(rb"BM", re.DOTALL), FileKind("BMP")),
    (
        re.compile(rb"\xff\x0a|\0\0\0\x0cJXL \r\n\x87\n", re.DOTALL),
        FileKind("JPEG XL", "convert it, for example: djxl {name} {stem}.png"),
    ),
    (re.compile(rb"\0\0\0\x0cjP  \r\n\x87\n|\xffO\xffQ", re.DOTALL), FileKind("JPEG 2000")),
    (re.compile(rb"v/1\x01", re.DOTALL), FileKind("OpenEXR")),
    (re.compile(rb"#\?(?:RADIANCE|RGBE)", re.DOTALL), FileKind("Radiance HDR")),
    (
        re.compile(rb"P7\n", re.DOTALL),
        FileKind("PAM", "convert it, for example: pamtopnm {name} > {stem}.ppm"),
    ),
    (re.compile(rb"8BPS", re.DOTALL), FileKind("a Photoshop document (PSD)")),
    (re.compile(rb"%PDF", re.DOTALL), FileKind("PDF")),
    (re.compile(rb"SIMPLE  =", re.DOTALL), FileKind("FITS")),
    (
        re.compile(rb"\x89HDF\r\n\x1a\n", re.DOTALL),
        FileKind("HDF5", "export the views as PNG or TIFF"),
    ),
    (
        re.compile(rb"\x93NUMPY", re.DOTALL),
        FileKind("a NumPy array", "open arrays by the API: wheatstone.open(left, right)"),
    ),
    (re.compile(rb"#ROSBAG V", re.DOTALL), FileKind("a ROS bag", BAG)),
    (
        re.compile(rb"SQLite format 3\0", re.DOTALL),
        FileKind("an SQLite database (a ROS 2 bag is one)", ROS_2),
    ),
    (re.compile(rb"\x89MCAP0\r\n", re.DOTALL), FileKind("MCAP, a ROS 2 bag", ROS_2)),
    (
        re.compile(rb"PK(?:\x03\x04|\x05\x06|\x07\x08)", re.DOTALL),
        FileKind("a ZIP archive", UNPACK),
    ),
    (re.compile(rb"\x1f\x8b", re.DOTALL), FileKind("a gzip archive", UNPACK)),
    (re.compile(rb"7z\xbc\xaf\x27\x1c", re.DOTALL), FileKind("a 7z archive", UNPACK)),
    (re.compile(rb"Rar!\x1a\x07", re.DOTALL), FileKind("a RAR archive", UNPACK)),
    (
        re.compile(rb"\xfd7zXZ\0|BZh[1-9]|\x28\xb5\x2f\xfd", re.DOTALL),
        FileKind("a compressed archive", UNPACK),
    ),
    (re.compile(rb".{257}ustar", re.DOTALL), FileKind("a tar archive", UNPACK)),
    (re.compile(rb"FUJIFILMCCD-RAW", re.DOTALL), FileKind("a raw photo (RAF)", RAW_PHOTO)),
    (re.compile(rb"IIRO|IIRS|MMOR", re.DOTALL), FileKind("a raw photo (ORF)", RAW_PHOTO)),
    (re.compile(rb"IIU\0", re.DOTALL), FileKind("a raw photo (RW2)", RAW_PHOTO)),
    (
        re.compile(rb"<svg|<\?xml[^>]{0,99}>\s{0,9}<(?:svg|!DOCTYPE svg)", re.DOTALL),
        FileKind("SVG", "convert it, for example: rsvg-convert -o {stem}.png {name}"),
    ),
    (
        re.compile(rb"(?:<!DOCTYPE html|<html)", re.DOTALL),
        FileKind("a web page (HTML)", "download the image itself"),
    ),
    (
        re.compile(rb"version https://git-lfs", re.DOTALL),
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
    """Describe the format of a file that is not read as an image, with advice, for a message."""
    kind = kind_of(path, encoded)
    if kind:
        return f"{kind.name}; {WANTED}, or {kind.advice(path)}"
    return f"{'text' if encoded[:512].isascii() else 'an unknown format'}; {WANTED}"


def kind_of(path: Path, encoded: bytes) -> FileKind | None:
    """Return the format of a file that is not read as an image; None if it is unknown.

    Args:
        encoded: its first ``HEAD`` bytes, at least.
    """
    head = encoded[:HEAD]
    fitting = (kind for pattern, kind in SIGNATURES if pattern.match(head))
    return next(fitting, SUFFIXES.get(path.suffix.lower()))


def raw_photo(path: Path, encoded: bytes, *, dng: bool) -> FileKind | None:
    """Return the format of a raw photo, of which a TIFF reader would decode only the preview.

    None if the file is not a raw photo.

    Args:
        dng: whether its first page has the tag of a DNG.
    """
    suffix = path.suffix.lower()
    name = "DNG" if dng else suffix[1:].upper() if suffix in RAW_SUFFIXES else None
    name = "CR2" if encoded[8:10] == b"CR" else name
    return FileKind(f"a raw photo ({name})", RAW_PHOTO) if name else None
