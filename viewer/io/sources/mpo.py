"""Reading of MPO files: JPEGs with several pictures, as cameras with two lenses write.

Source: CIPA DC-007, "Multi-Picture Format", 2009, sections 5.2 and 8.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

START = b"\xff\xd8\xff"
MARK = b"MPF\0"
COUNT, ENTRIES, NUMBER = 0xB001, 0xB002, 0xB101
DISPARITY = 0x020002
MOST = 16
"""Maximum number of pictures in a file; cameras write two, or four with previews."""
ENTRY = 16  # bytes
MOST_SEGMENTS = 1000


@dataclass(frozen=True)
class MpoPicture:
    """The position and the kind of a picture within an MPO file.

    Attributes:
        begin, end: the place of its JPEG.
        kind: the type code that the index gives it, such as ``DISPARITY``.
        number: its viewpoint, from 1 at the left; 0 if it does not say it.
    """

    begin: int
    end: int
    kind: int
    number: int = 0


def mpo_pictures(encoded: bytes) -> list[MpoPicture]:
    """List the pictures in a JPEG's index of several pictures; empty without an intact index."""
    mark = _mark(encoded, 0)
    if mark is None:
        return []
    pictures = []
    try:
        for entry in _entries(encoded, mark):
            attributes, size, offset = struct.unpack_from(_order(encoded, mark) + "III", entry)
            begin = mark + offset if offset else 0
            if size < 4 or begin + size > len(encoded) or encoded[begin : begin + 3] != START:
                return []
            number = _number(encoded, begin)
            pictures.append(MpoPicture(begin, begin + size, attributes & 0xFFFFFF, number))
    except (struct.error, ValueError):
        return []
    return pictures


def viewpoints(pictures: list[MpoPicture]) -> list[MpoPicture]:
    """List the pictures that are views of a stereo pair, the leftmost first."""
    views = [picture for picture in pictures if picture.kind == DISPARITY]
    return sorted(views, key=lambda view: view.number)  # a stable sort: else in the file's order


def without_index(encoded: bytes) -> bytes:
    """Return a JPEG whose index of pictures is hidden, so that a decoder reads only the first."""
    mark = _mark(encoded, 0)
    if mark is None:
        return encoded
    return encoded[: mark - len(MARK)] + b"\0" * len(MARK) + encoded[mark:]


def _mark(encoded: bytes, begin: int) -> int | None:
    """Return the offset of a JPEG's multi-picture header, the origin of its offsets; else None."""
    if encoded[begin : begin + 3] != START:
        return None
    at = begin + 2
    for _ in range(MOST_SEGMENTS):
        marker, kind = encoded[at : at + 1], encoded[at + 1 : at + 2]
        if marker != b"\xff" or not b"\xc0" <= kind <= b"\xfe" or kind == b"\xda":
            return None
        if kind == b"\xe2" and encoded[at + 4 : at + 8] == MARK:
            return at + 8
        at += 2 + int.from_bytes(encoded[at + 2 : at + 4], "big")
    return None


def _order(encoded: bytes, mark: int) -> str:
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(encoded[mark : mark + 4])
    if order is None:
        raise ValueError("no byte order")
    return order


def _tags(encoded: bytes, mark: int, at: int) -> tuple[dict[int, tuple[int, int]], int]:
    """Return count and value of each tag in an MPO directory, and the next directory's offset."""
    order = _order(encoded, mark)
    (count,) = struct.unpack_from(f"{order}H", encoded, mark + at)
    tags = {}
    for number in range(min(count, 64)):
        tag, _, size, value = struct.unpack_from(
            f"{order}HHII", encoded, mark + at + 2 + 12 * number
        )
        tags[tag] = size, value
    (following,) = struct.unpack_from(f"{order}I", encoded, mark + at + 2 + 12 * count)
    return tags, following


def _first(encoded: bytes, mark: int) -> int:
    (first,) = struct.unpack_from(f"{_order(encoded, mark)}I", encoded, mark + 4)
    return int(first)


def _entries(encoded: bytes, mark: int) -> Iterator[bytes]:
    """Yield the entries in an MPO file's index of pictures, as bytes."""
    tags, _ = _tags(encoded, mark, _first(encoded, mark))
    if COUNT not in tags or ENTRIES not in tags:
        raise ValueError("no index of pictures")
    count = tags[COUNT][1]
    if not 1 <= count <= MOST:
        raise ValueError("too many pictures")
    at = mark + tags[ENTRIES][1]
    for number in range(count):
        yield encoded[at + ENTRY * number : at + ENTRY * (number + 1)]


def _number(encoded: bytes, begin: int) -> int:
    """Return the viewpoint number of the picture at an offset in an MPO file; 0 if not stated."""
    mark = _mark(encoded, begin)
    if mark is None:
        return 0
    tags, following = _tags(encoded, mark, _first(encoded, mark))
    if NUMBER not in tags and following:
        tags, _ = _tags(encoded, mark, following)
    number = tags.get(NUMBER, (0, 0))[1]
    return number if 1 <= number <= MOST else 0
