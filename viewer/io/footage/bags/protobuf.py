"""Reading of Protocol Buffers messages without their definitions: numbers of fields, and values."""

import struct
from collections.abc import Iterator

VARINT, FIXED_64, BYTES, FIXED_32 = 0, 1, 2, 5
LONGEST_VARINT = 10  # bytes
FieldValue = int | bytes


def protobuf_fields(content: bytes) -> Iterator[tuple[int, FieldValue]]:
    """Yield the number and the value of each field; fixed-size values as their bytes.

    Raises:
        ValueError: the message is damaged.
    """
    at = 0
    while at < len(content):
        key, at = _varint(content, at)
        kind = key & 7
        if kind == VARINT:
            value, at = _varint(content, at)
            yield key >> 3, value
            continue
        if kind == BYTES:
            length, at = _varint(content, at)
        elif kind in (FIXED_64, FIXED_32):
            length = 8 if kind == FIXED_64 else 4
        else:
            raise ValueError(f"a Protocol Buffers field of kind {kind}")
        if at + length > len(content):
            raise ValueError("a Protocol Buffers message ends early")
        yield key >> 3, content[at : at + length]
        at += length


def doubles(value: FieldValue) -> list[float]:
    """Read one number of 64 bits, or a packed sequence of them."""
    if isinstance(value, int) or len(value) % 8:
        raise ValueError("a sequence of numbers is damaged")
    return list(struct.unpack(f"<{len(value) // 8}d", value))


def fixed(value: FieldValue) -> int:
    """Read an unsigned number of 32 bits."""
    if isinstance(value, bytes):
        number: int = struct.unpack("<I", value)[0]
        return number
    return value


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, and the position after it."""
    number = 0
    for shift in range(LONGEST_VARINT):
        if at + shift >= len(content):
            break
        byte = content[at + shift]
        number |= (byte & 127) << (7 * shift)
        if byte < 128:
            return number, at + shift + 1
    raise ValueError("a Protocol Buffers number is damaged")
