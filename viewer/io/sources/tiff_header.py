"""Reading of a TIFF's header: size and bits of its first page, and the number of pages."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

WIDTH, HEIGHT, BITS, PHOTOMETRIC, ORIENTATION, SAMPLES = 256, 257, 258, 262, 274, 277
PLANES, DNG = 284, 50706
READ = (WIDTH, HEIGHT, BITS, PHOTOMETRIC, ORIENTATION, SAMPLES, PLANES, DNG)
RGB, SEPARATE = 2, 2
"""The photometric interpretation of colours; the storing of channels one after the other."""
MOST = 1000
"""Maximum number of pages that are counted."""
INTEGERS = {1: "B", 3: "H", 4: "I", 16: "Q"}
"""Letters of ``struct`` for TIFF's unsigned types."""


@dataclass(frozen=True)
class TiffHeader:
    """The header of a TIFF or BigTIFF: size and bits of its first page, and other facts.

    Attributes:
        bits: bits per value of each channel, of eight channels at most.
        pages: number of pages in the file, ``MOST`` at most.
        orientation: as of EXIF, 1 to 8; decoders turn the picture accordingly.
        dng: whether it is a raw photo in Adobe's format.
        channels: values per pixel.
        colours: whether the first three of them are red, green and blue.
        separate: whether each channel is stored separately.
    """

    width: int
    height: int
    bits: tuple[int, ...]
    pages: int
    orientation: int = 1
    dng: bool = False
    channels: int = 1
    colours: bool = False
    separate: bool = False


@dataclass(frozen=True)
class TiffLayout:
    """The byte order and number formats of a TIFF or a BigTIFF."""

    order: str
    count: str
    offset: str
    entry: int

    @classmethod
    def of(cls, encoded: bytes) -> "TiffLayout":
        """Return byte order and number formats of a file for which ``is_tiff`` is true."""
        order, big = "<" if encoded[:1] == b"I" else ">", b"+" in encoded[2:4]
        return cls(order, "Q", "Q", 20) if big else cls(order, "H", "I", 12)

    def read(self, encoded: bytes, letter: str, at: int) -> int:
        """Read a number at an offset. Raises ``ValueError`` if it lies outside the file."""
        return int(self.unpack(encoded, letter, at)[0])

    def unpack(self, encoded: bytes, letters: str, at: int) -> tuple[int, ...]:
        """Read numbers at an offset. Raises ``ValueError`` if they lie outside the file."""
        try:
            return struct.unpack_from(self.order + letters, encoded, at)
        except struct.error:
            raise ValueError("its directory lies outside the file") from None

    def first_page(self, encoded: bytes) -> int:
        """Return the offset of the directory that describes the TIFF's first page."""
        return self.read(encoded, self.offset, 8 if self.offset == "Q" else 4)

    def type_of(self, encoded: bytes, entry: int) -> int:
        """Return the type number of a tag's values, as defined by TIFF."""
        return self.read(encoded, "H", entry + 2)

    def count_of(self, encoded: bytes, entry: int) -> int:
        """Return how many values a TIFF tag has."""
        return self.read(encoded, self.offset, entry + 4)

    def place_of(self, encoded: bytes, entry: int, length: int) -> int:
        """Return the offset of a tag's values of ``length`` bytes: in the entry, if they fit."""
        size = struct.calcsize("<" + self.offset)
        place = entry + 4 + size
        return place if length <= size else self.read(encoded, self.offset, place)


def is_tiff(encoded: bytes) -> bool:
    """Return whether a file begins as a TIFF or a BigTIFF."""
    return encoded[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


def tiff_header(encoded: bytes) -> TiffHeader:
    """Read the header of a TIFF.

    Raises:
        ValueError: it is damaged, or has a tag twice: readers differ on which one they use.
    """
    layout = TiffLayout.of(encoded)
    pages = list(_pages(encoded, layout, layout.first_page(encoded)))
    tags = dict(_tags(encoded, layout)) if pages else {}
    if WIDTH not in tags or HEIGHT not in tags:
        raise ValueError("it does not say its size")
    size, bits = (tags[WIDTH][0], tags[HEIGHT][0]), tags.get(BITS, (1,))
    first = {number: values[0] for number, values in tags.items()}
    turn = first.get(ORIENTATION, 1)
    return TiffHeader(
        *size,
        bits,
        len(pages),
        turn if 1 <= turn <= 8 else 1,
        DNG in tags,
        first.get(SAMPLES, 1),
        first.get(PHOTOMETRIC) == RGB,
        first.get(PLANES) == SEPARATE,
    )


def _pages(encoded: bytes, layout: TiffLayout, at: int) -> Iterator[int]:
    """Yield the offset of each page's directory; stop if an offset repeats or leaves the file."""
    seen: set[int] = set()
    while 0 < at < len(encoded) and at not in seen and len(seen) < MOST:
        seen.add(at)
        yield at
        follows = at + struct.calcsize("<" + layout.count)
        follows += layout.read(encoded, layout.count, at) * layout.entry
        if follows + struct.calcsize("<" + layout.offset) > len(encoded):
            return
        at = layout.read(encoded, layout.offset, follows)


def first_entries(encoded: bytes, layout: TiffLayout) -> Iterator[tuple[int, int]]:
    """Yield the number and the entry's offset of each tag of the first page.

    Raises:
        ValueError: the directory lies outside the file.
    """
    at = layout.first_page(encoded)
    first = at + struct.calcsize("<" + layout.count)
    for number in range(min(layout.read(encoded, layout.count, at), 4096)):
        entry = first + number * layout.entry
        yield layout.read(encoded, "H", entry), entry


def _tags(encoded: bytes, layout: TiffLayout) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the number and the values of each tag that ``TiffHeader`` needs."""
    seen: set[int] = set()
    for tag, entry in first_entries(encoded, layout):
        if tag in READ:
            if tag in seen:
                raise ValueError(f"it has tag {tag} twice")
            seen.add(tag)
            yield tag, _values(encoded, layout, entry)


def _values(encoded: bytes, layout: TiffLayout, entry: int) -> tuple[int, ...]:
    """Read the integers of a TIFF tag, eight at most."""
    letter = INTEGERS.get(layout.type_of(encoded, entry))
    count = layout.count_of(encoded, entry)
    if letter is None or count < 1:
        raise ValueError("its size is not an integer")
    place = layout.place_of(encoded, entry, count * struct.calcsize("<" + letter))
    return layout.unpack(encoded, f"{min(count, 8)}{letter}", place)
