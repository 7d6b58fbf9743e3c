"""Read messages of Protocol Buffers field by field, without their declarations."""

import mmap
from collections.abc import Iterator

VARINT, FIXED_64, LENGTH, FIXED_32 = 0, 1, 2, 5
SIZES = {FIXED_64: 8, FIXED_32: 4}
LONGEST_VARINT = 10  # bytes


def message_fields(
    content: bytes | mmap.mmap, begin: int = 0, end: int | None = None
) -> Iterator[tuple[int, int, int | slice]]:
    """Yield number, kind and value of each field of a message: an integer or a slice of bytes.

    Raises:
        ValueError: the message is damaged.
    """
    at, stop = begin, len(content) if end is None else end
    while at < stop:
        key, at = _varint(content, at, stop)
        kind = key & 7
        if kind == VARINT:
            value, at = _varint(content, at, stop)
            yield key >> 3, kind, value
            continue
        if kind == LENGTH:
            length, at = _varint(content, at, stop)
        elif kind in SIZES:
            length = SIZES[kind]
        else:
            raise ValueError(f"a Protocol Buffers field of kind {kind}")
        if at + length > stop:
            raise ValueError("a Protocol Buffers message ends early")
        yield key >> 3, kind, slice(at, at + length)
        at += length


def _varint(content: bytes | mmap.mmap, at: int, stop: int) -> tuple[int, int]:
    """Parse an integer of variable length; return it and the position after it."""
    number = 0
    for shift, place in enumerate(range(at, min(at + LONGEST_VARINT, stop))):
        byte = content[place]
        number |= (byte & 127) << (7 * shift)
        if byte < 128:
            return number, place + 1
    raise ValueError("a Protocol Buffers number is damaged")
