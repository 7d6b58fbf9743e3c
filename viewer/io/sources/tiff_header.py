"""Reading of a TIFF's header: size and bits of its first page, and the number of pages."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

WIDTH, HEIGHT, BITS, ORIENTATION, DNG = 256, 257, 258, 274, 50706
MOST = 1000
"""Maximum number of pages that are counted."""
INTEGERS = {1: "B", 3: "H", 4: "I", 16: "Q"}
"""Letters of ``struct`` for TIFF's unsigned types."""


@dataclass(frozen=True)
class TiffHeader:
    """Size and bits of the first page of a TIFF or BigTIFF.

    Attributes:
        bits: bits per value of each channel.
        pages: number of pages in the file, ``MOST`` at most.
        orientation: as of EXIF, 1 to 8; decoders turn the picture accordingly.
        dng: whether it is a raw photo in Adobe's format.
    """

    width: int
    height: int
    bits: tuple[int, ...]
    pages: int
    orientation: int = 1
    dng: bool = False


@dataclass(frozen=True)
class _Layout:
    """Byte order and number formats of a file: TIFF's or BigTIFF's."""

    order: str
    count: str
    offset: str
    entry: int

    def read(self, encoded: bytes, letter: str, at: int) -> int:
        return int(struct.unpack_from(self.order + letter, encoded, at)[0])


def is_tiff(encoded: bytes) -> bool:
    """Return whether a file begins as a TIFF or a BigTIFF."""
    return encoded[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


def tiff_header(encoded: bytes) -> TiffHeader:
    """Read the header of a TIFF.

    Raises:
        ValueError: it is damaged, or has a tag twice: readers differ on which one they use.
    """
    order, big = "<" if encoded[:1] == b"I" else ">", b"+" in encoded[2:4]
    layout = _Layout(order, "Q", "Q", 20) if big else _Layout(order, "H", "I", 12)
    try:
        pages = list(_pages(encoded, layout, layout.read(encoded, layout.offset, 8 if big else 4)))
        tags = dict(_tags(encoded, layout, pages[0]))
    except (struct.error, IndexError):
        raise ValueError("its directory lies outside the file") from None
    if WIDTH not in tags or HEIGHT not in tags:
        raise ValueError("it does not say its size")
    (turn, *_), bits = tags.get(ORIENTATION, (1,)), tags.get(BITS, (1,))
    size = tags[WIDTH][0], tags[HEIGHT][0]
    return TiffHeader(*size, bits, len(pages), turn if 1 <= turn <= 8 else 1, DNG in tags)


def _pages(encoded: bytes, layout: _Layout, at: int) -> Iterator[int]:
    """Yield the offset of each page's directory, until they end, repeat or leave the file."""
    seen: set[int] = set()
    while 0 < at < len(encoded) and at not in seen and len(seen) < MOST:
        seen.add(at)
        yield at
        follows = at + struct.calcsize("<" + layout.count)
        follows += layout.read(encoded, layout.count, at) * layout.entry
        if follows + struct.calcsize("<" + layout.offset) > len(encoded):
            return
        at = layout.read(encoded, layout.offset, follows)


def _tags(encoded: bytes, layout: _Layout, at: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield numbers and values of the tags that are needed."""
    seen: set[int] = set()
    first = at + struct.calcsize("<" + layout.count)
    for number in range(min(layout.read(encoded, layout.count, at), 4096)):
        entry = first + number * layout.entry
        tag = layout.read(encoded, "H", entry)
        if tag in (WIDTH, HEIGHT, BITS, ORIENTATION, DNG):
            if tag in seen:
                raise ValueError(f"it has tag {tag} twice")
            seen.add(tag)
            yield tag, _values(encoded, layout, entry)


def _values(encoded: bytes, layout: _Layout, entry: int) -> tuple[int, ...]:
    """Read the integers of a tag, eight at most."""
    letter = INTEGERS.get(layout.read(encoded, "H", entry + 2))
    count = layout.read(encoded, layout.offset, entry + 4)
    if letter is None or count < 1:
        raise ValueError("its size is no whole number")
    place = entry + 4 + struct.calcsize("<" + layout.offset)
    if count * struct.calcsize("<" + letter) > struct.calcsize("<" + layout.offset):
        place = layout.read(encoded, layout.offset, place)
    return struct.unpack_from(f"{layout.order}{min(count, 8)}{letter}", encoded, place)
