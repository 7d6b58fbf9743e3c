"""The picture files of a report: only PNG files in its folder, with names from its document.

A report may be untrusted: no link is followed, and a file that is not a PNG is skipped.
"""

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wheatstone.viewer.cli.report.document_types import LARGEST_PICTURE
from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.plain_text import visible
from wheatstone.viewer.io.reading.png_chunks import SIGNATURE
from wheatstone.viewer.io.reading.regular_files import MIB, read_regular
from wheatstone.viewer.io.reading.typed_values import shown

FOLDER = "pictures"
LARGEST, LARGEST_TOGETHER = 8 * MIB, 64 * MIB  # bytes
REMEDY = "pictures of a report are PNG files"


@dataclass(frozen=True)
class PictureFile:
    """The encoded content of a picture file, and the size in pixels."""

    encoded: bytes
    width: int
    height: int


@dataclass(frozen=True)
class PictureFiles:
    """The picture files of a report, with counts and reasons for those that are unreadable.

    Attributes:
        files: the pictures, by their names in the report.
        folder: the folder that holds them.
        missing: how many are not in it.
        refused: the reasons why others were skipped, a sentence each.
    """

    files: Mapping[str, PictureFile]
    folder: Path
    missing: int = 0
    refused: tuple[str, ...] = ()

    def content(self, report: Mapping[str, Any]) -> dict[str, Any]:
        """Copy a report's document with the readable pictures only, and their actual sizes."""
        return {**report, "pictures": list(self._entries(report["pictures"]))}

    def _entries(self, pictures: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for one in pictures:
            if "file" not in one:
                yield one
            elif file := self.files.get(one["name"]):
                yield {**one, "width": file.width, "height": file.height}

    def write(self, folder: Path) -> None:
        """Write the pictures to another existing folder; do nothing if it is their own."""
        if resolved(folder) == resolved(self.folder):
            return
        for name, file in self.files.items():
            with whole_file(folder / file_name(name)) as temporary:
                temporary.write_bytes(file.encoded)


def file_name(name: str) -> str:
    """Return the file name of a picture, given its name in the report."""
    return f"{name}.png"


def read_pictures(report: Mapping[str, Any], folder: Path) -> PictureFiles:
    """Read the pictures that a report's document names from a folder."""
    names = dict.fromkeys(one["name"] for one in report["pictures"] if "file" in one)
    if folder.is_symlink():
        return PictureFiles({}, folder, refused=(f"{folder}: a link, which is not followed",))
    files, refused, missing, left = dict[str, PictureFile](), list[str](), 0, LARGEST_TOGETHER
    for name in names:
        try:
            files[name] = read_picture(folder / file_name(name), min(left, LARGEST))
            left -= len(files[name].encoded)
        except FileNotFoundError:
            missing += 1
        except (OSError, ValueError) as error:
            refused.append(str(error))
    return PictureFiles(files, folder, missing, tuple(refused))


def read_picture(path: Path, largest: int = LARGEST) -> PictureFile:
    """Read a PNG file; raise ``ValueError`` for a symbolic link.

    Raises:
        OSError: the file is missing, not a regular file, or cannot be read.
        ValueError: it is a link, larger than allowed, or not a PNG.
    """
    if path.is_symlink():
        raise ValueError(f"{path}: a link, which is not followed; {REMEDY}")
    encoded = read_regular(path, largest, REMEDY)
    kinds = [kind for kind, _ in _chunks(encoded)]
    if kinds[:1] != [b"IHDR"] or kinds[-1:] != [b"IEND"] or b"IDAT" not in kinds:
        raise ValueError(f"{path}: no PNG, or a damaged one; {REMEDY}")
    width, height = (int.from_bytes(encoded[at : at + 4]) for at in (16, 20))
    if not (0 < width <= LARGEST_PICTURE and 0 < height <= LARGEST_PICTURE):
        raise ValueError(f"{path}: {width}x{height} pixels; at most {LARGEST_PICTURE} a side")
    return PictureFile(encoded, width, height)


def _chunks(encoded: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the kind and the length of every undamaged chunk of a PNG file."""
    at = len(SIGNATURE)
    while encoded.startswith(SIGNATURE) and at < len(encoded):
        length = int.from_bytes(encoded[at : at + 4])
        end = at + 12 + length
        checksum = int.from_bytes(encoded[end - 4 : end])
        if end > len(encoded) or zlib.crc32(encoded[at + 4 : end - 4]) != checksum:
            yield b"", 0
            return
        yield encoded[at + 4 : at + 8], length
        at = end


def missing_pictures(folder: Path, pictures: PictureFiles) -> Iterator[str]:
    """Yield a sentence for each reason why pictures are missing in the pages."""
    if pictures.missing:
        yield f"{pictures.missing} pictures are not in {folder}: the pages omit them"
    if pictures.refused:
        more = f", and {len(pictures.refused) - 1} more" if len(pictures.refused) > 1 else ""
        yield f"{shown(visible(pictures.refused[0]))}{more}: the pages omit them"
