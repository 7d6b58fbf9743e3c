"""Check where an ONNX file keeps its weights, before ONNX Runtime opens them.

Earlier versions of ONNX Runtime read weights from any file that a network names. The file is walked
as protocol buffers, of which only the fields that lead to tensors are known here.
"""

import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path

FIELDS: Mapping[str, Mapping[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "function": {7: "node", 11: "attribute"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
    "entry": {1: "key", 2: "value"},
}
"""By message, the number of each field that leads to the place of a tensor's values, and its
message: those of onnx.proto."""
VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5
SIZES = {EIGHT_BYTES: 8, FOUR_BYTES: 4}
DEEPEST = 100
LONGEST_VARINT = 10
NOT_ONNX = "not an ONNX file, or damaged"

Part = tuple[int, int]
"""The offsets of the begin and the end of a message."""


def check_external_data(path: Path) -> None:
    """Refuse a network whose weights lie outside its folder.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no ONNX file, or names a file elsewhere; the message is one line.
    """
    folder = path.resolve().parent
    with path.open("rb") as file:
        if not path.stat().st_size:
            raise ValueError(f"{path}: {NOT_ONNX} (it is empty)")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            try:
                places = list(_locations(content))
            except (ValueError, IndexError) as error:
                raise ValueError(f"{path}: {NOT_ONNX}") from error
    for place in dict.fromkeys(places):
        if "\0" in place or not (folder / place).resolve().is_relative_to(folder):
            raise ValueError(f"{path}: its weights are in {place!r}, outside its folder")


def _locations(content: mmap.mmap) -> Iterator[str]:
    """Yield the names of all files that hold values of a network's tensors."""
    waiting: list[tuple[str, Part, int]] = [("model", (0, len(content)), 0)]
    while waiting:
        kind, part, depth = waiting.pop()
        if depth > DEEPEST:
            raise ValueError("too deep")
        if kind == "entry":
            if place := _location(content, part):
                yield place
            continue
        for number, value in _fields(content, part):
            if inner := FIELDS[kind].get(number):
                waiting.append((inner, value, depth + 1))


def _location(content: mmap.mmap, entry: Part) -> str:
    """Return the file that an entry of external data names; empty for another entry."""
    fields = _fields(content, entry)
    texts = {FIELDS["entry"].get(n): content[slice(*part)].decode("utf-8") for n, part in fields}
    return texts.get("value", "") if texts.get("key") == "location" else ""


def _fields(content: mmap.mmap, part: Part) -> Iterator[tuple[int, Part]]:
    """Yield the fields of a message that have a length: their numbers and places."""
    at, end = part
    while at < end:
        tag, at = _varint(content, at)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            _, at = _varint(content, at)
        elif kind == LENGTH:
            length, at = _varint(content, at)
            if length > end - at:
                raise ValueError("truncated")
            yield number, (at, at + length)
            at += length
        elif kind in SIZES:
            at += SIZES[kind]
        else:
            raise ValueError(f"a field of kind {kind}")


def _varint(content: mmap.mmap, at: int) -> tuple[int, int]:
    """Read a number of variable length; return it with the offset after it."""
    value = 0
    for count in range(LONGEST_VARINT):
        byte = content[at + count]
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return value, at + count + 1
    raise ValueError("a number of more than 64 bits")
