"""Reading of HEIC files, such as the photos of phones, with pi-heif.

A spatial photo holds two images, which the file's group ``ster`` names: the left view first.
Source: ISO/IEC 23008-12, "Image File Format", section 6.8 (entity groups).
"""

import io
import struct
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.sources.decoding import WHOLE, Size, check_size, decoding

if TYPE_CHECKING:
    from pi_heif import HeifFile

READERS = "pi_heif", "pillow_heif"
"""The packages that read HEIC, alike; the first that is installed does. The second also writes."""
MOST_BOXES = 10_000
MOST_IMAGES = 16
DAMAGED = "truncated or damaged HEIC image"


def has_heif() -> bool:
    """Return whether a package that reads HEIC is installed."""
    return any(map(find_spec, READERS))


def read_heif(
    path: Path, encoded: bytes, expected: Size | None = None
) -> tuple[list[NDArray[Any]], list[str]]:
    """Read the image of a HEIC file, or both views of a spatial photo, turned as the file states.

    Args:
        expected: as for ``check_size``.

    Returns:
        One array or two, the left view first: (H, W, 3) RGB of 8 or 16 bits; and notes.

    Raises:
        ValueError: the file is damaged, or an image is of an impossible size.
    """
    reader = import_module(next(filter(find_spec, READERS)))
    with decoding(path, DAMAGED, WHOLE):
        # Bounds of libheif itself stay on: it refuses what claims more than its security limits.
        file = reader.open_heif(io.BytesIO(encoded), convert_hdr_to_8bit=False)
        sizes = [image.size for image in file][: MOST_IMAGES + 1]
        primary, views = file.primary_index, stereo_items(encoded)
    if not 0 <= primary < len(sizes) <= MOST_IMAGES:
        raise ValueError(f"{path}: {DAMAGED} (it claims {len(sizes)} images); {WHOLE}")
    chosen, notes = _chosen(sizes, primary, views)
    for number in chosen:
        check_size(path, sizes[number][0], sizes[number][1], expected)
    with decoding(path, DAMAGED, WHOLE):
        return [_pixels(file, number, notes) for number in chosen], list(dict.fromkeys(notes))


def _chosen(
    sizes: list[tuple[int, int]], primary: int, views: tuple[int, int] | None
) -> tuple[list[int], list[str]]:
    """Return the numbers of the images to read, the left view first, and notes on the choice."""
    if views and len(sizes) == 2:  # listed by their numbers in the file
        first = int(views[0] > views[1])
        return [first, 1 - first], ["spatial photo: two views"]
    if len(sizes) == 2 and sizes[0] == sizes[1]:
        return [0, 1], ["two images taken as left and right view in the order of the file"]
    if len(sizes) > 1:
        return [primary], [f"one of {len(sizes)} images; the file names no stereo pair"]
    return [primary], []


def _pixels(file: "HeifFile", number: int, notes: list[str]) -> NDArray[Any]:
    image = file[number]
    pixels = np.asarray(image)
    if pixels.ndim == 3 and pixels.shape[2] in (2, 4):
        pixels = pixels[..., : pixels.shape[2] - 1]
        notes.append("alpha dropped")
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[..., 0]
    return np.array(pixels, order="C")  # a copy: the memory may be freed with the file


def stereo_items(encoded: bytes) -> tuple[int, int] | None:
    """Return the item numbers of the left and the right image; None without a stereo pair."""
    for kind, begin, end in _boxes(encoded, 0, len(encoded)):
        if kind != b"meta":
            continue
        for inner, first, last in _boxes(encoded, begin + 4, end):
            if inner == b"grpl":
                for group, at, stop in _boxes(encoded, first, last):
                    if group == b"ster" and stop - at >= 20:
                        _, _, count, left, right = struct.unpack_from(">5I", encoded, at)
                        return (left, right) if count == 2 else None
    return None


def _boxes(encoded: bytes, at: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield the kind of each box in a part of a file, and where its content begins and ends."""
    for _ in range(MOST_BOXES):
        if at + 8 > end:
            return
        size, kind = struct.unpack_from(">I4s", encoded, at)
        head = 8
        if size == 1 and at + 16 <= end:
            (size,), head = struct.unpack_from(">Q", encoded, at + 8), 16
        elif size == 0:
            size = end - at
        if size < head or at + size > end:
            return
        yield kind, at + head, at + size
        at += size
