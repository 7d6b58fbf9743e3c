"""The georeference of a GeoTIFF: the tags that place its pixels on a map.

They are copied from a picture to the TIFF files of results with the same pixels. Their meaning is
not interpreted.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from wheatstone.viewer.io.sources.tiff_header import TiffLayout, first_entries

SHORT, ASCII, DOUBLE = 3, 2, 12
"""TIFF's numbers of the types that the tags have."""
GEO_KEYS, GDAL_NODATA = 34735, 42113
TAGS: Mapping[int, tuple[str, int]] = {
    33550: ("ModelPixelScale", DOUBLE),
    33922: ("ModelTiepoint", DOUBLE),
    34264: ("ModelTransformation", DOUBLE),
    GEO_KEYS: ("GeoKeyDirectory", SHORT),
    34736: ("GeoDoubleParams", DOUBLE),
    34737: ("GeoAsciiParams", ASCII),
}
PLACES = (33550, 33922, 34264)
"""The tags of which at least one places pixels; the others only explain them."""
SIZES = {SHORT: 2, ASCII: 1, DOUBLE: 8}
MOST_BYTES = 2**16
"""Maximum bytes of a tag: a tie point has 48, a key of the directory 8."""
NO_VALUE = "nan"
"""The text with which GDAL marks a pixel without a value: what results hold there."""

ExtraTag = tuple[int, int, int, bytes, bool]
"""A tag as tifffile writes it: number, type, count, little-endian value, only on the first page."""


@dataclass(frozen=True)
class Georeference:
    """The tags that place the pixels of a picture on a map.

    Attributes:
        tags: number, type, count and little-endian value of each, in rising order.
    """

    tags: tuple[tuple[int, int, int, bytes], ...]

    @property
    def extra_tags(self) -> list[ExtraTag]:
        """List the tags to write to a result's TIFF, with the one for pixels without a value."""
        absent = GDAL_NODATA, ASCII, len(NO_VALUE) + 1, NO_VALUE.encode() + b"\0"
        return [(*tag, True) for tag in (*self.tags, absent)]


def georeference_of(encoded: bytes) -> Georeference | None:
    """Read the georeference of a TIFF's first page; None if it has none.

    Raises:
        ValueError: a tag of it is damaged, or there twice.
    """
    layout = TiffLayout.of(encoded)
    known: dict[int, tuple[int, int, int, bytes]] = {}
    for number, entry in first_entries(encoded, layout):
        if number in TAGS:
            if number in known:
                raise ValueError(f"it has tag {number} twice")
            known[number] = number, *_value(encoded, layout, entry, *TAGS[number])
    if not known.keys() & set(PLACES):
        return None
    return Georeference(tuple(known[number] for number in sorted(known)))


def _value(
    encoded: bytes, layout: TiffLayout, entry: int, name: str, kind: int
) -> tuple[int, int, bytes]:
    """Return the type, the count and the little-endian value of a tag."""
    count = layout.count_of(encoded, entry)
    length = count * SIZES[kind]
    if layout.type_of(encoded, entry) != kind or not 0 < length <= MOST_BYTES:
        raise ValueError(f"its {name} is damaged")
    place = layout.place_of(encoded, entry, length)
    value = encoded[place : place + length]
    if len(value) < length:
        raise ValueError(f"its {name} lies outside the file")
    if kind == ASCII:
        return kind, count, value
    letter = "H" if kind == SHORT else "d"
    numbers = struct.unpack(f"{layout.order}{count}{letter}", value)
    return kind, count, struct.pack(f"<{count}{letter}", *numbers)
