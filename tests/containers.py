"""Files that hold both views of a pair, written from the definitions of their formats."""

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

DISPARITY, THUMBNAIL, UNDEFINED = 0x020002, 0x010001, 0


def views() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Make two views in which everything lies 4 columns farther left in the right one."""
    random = np.random.default_rng(5).integers(0, 255, (8, 14), np.uint8)
    wide = np.repeat(np.repeat(random, 8, 0), 8, 1)
    return np.ascontiguousarray(wide[:, :96]), np.ascontiguousarray(wide[:, 4:100])


def jpeg(pixels: NDArray[np.uint8]) -> bytes:
    memory = io.BytesIO()
    Image.fromarray(pixels).save(memory, "JPEG", quality=95)
    return memory.getvalue()


def jps(pixels: NDArray[np.uint8], flags: int, layout: int = 2, media: int = 1) -> bytes:
    """Write a JPEG whose tag says where its two views lie, as VRex defines it."""
    tag = b"_JPSJPS_\x00\x04" + bytes([0, flags, layout, media]) + b"\0\0"
    encoded = jpeg(pixels)
    return encoded[:2] + b"\xff\xe3" + struct.pack(">H", len(tag) + 2) + tag + encoded[2:]


def _segment(directory: bytes) -> bytes:
    return b"\xff\xe2" + struct.pack(">H", len(directory) + 6) + b"MPF\0" + directory


def _attributes(number: int) -> bytes:
    """Write the attribute directory of one picture: version and individual number."""
    entries = struct.pack("<HHI4s", 0xB000, 7, 4, b"0100") + struct.pack(
        "<HHII", 0xB101, 4, 1, number
    )
    return struct.pack("<H", 2) + entries + struct.pack("<I", 0)


def mpo(
    pictures: list[NDArray[np.uint8]], kinds: list[int], numbers: list[int] | None = None
) -> bytes:
    """Write an MPO, as CIPA DC-007 defines it.

    Args:
        kinds: the types in the index.
        numbers: the viewpoints, 1 at the left; None: no picture says its own.
    """
    bodies = [jpeg(pixels) for pixels in pictures]
    for at in range(1, len(bodies)):
        if numbers:
            own = b"II*\0" + struct.pack("<I", 8) + _attributes(numbers[at])
            bodies[at] = bodies[at][:2] + _segment(own) + bodies[at][2:]
    count = len(bodies)
    after = _attributes(numbers[0]) if numbers else b""
    index = 8 + 2 + 3 * 12 + 4
    head = b"II*\0" + struct.pack("<IH", 8, 3)
    head += struct.pack("<HHI4s", 0xB000, 7, 4, b"0100") + struct.pack("<HHII", 0xB001, 4, 1, count)
    head += struct.pack("<HHII", 0xB002, 7, 16 * count, index)
    head += struct.pack("<I", index + 16 * count if numbers else 0)
    size = len(_segment(head + bytes(16 * count) + after)) + len(bodies[0])
    places = [0]
    for at in range(1, count):  # from the header
        places.append(size - 10 + sum(map(len, bodies[1:at])))
    sizes = [size, *map(len, bodies[1:])]
    entries = b"".join(
        struct.pack("<IIIHH", kind, length, place, 0, 0)
        for kind, length, place in zip(kinds, sizes, places, strict=True)
    )
    first = bodies[0][:2] + _segment(head + entries + after) + bodies[0][2:]
    return first + b"".join(bodies[1:])


def heic(pictures: list[NDArray[np.uint8]], stereo: tuple[int, int] | None = None) -> bytes:
    """Write a HEIC with pillow-heif.

    Args:
        stereo: numbers of the left and the right image, for a group of a stereo pair.
    """
    import pillow_heif

    memory = io.BytesIO()
    make: Any = pillow_heif.HeifFile  # its types leave out what it returns
    file = make()
    for pixels in pictures:
        rgb = pixels if pixels.ndim == 3 else np.stack([pixels] * 3, -1)
        file.add_from_pillow(Image.fromarray(rgb))
    file.save(memory, quality=-1)
    return memory.getvalue() if stereo is None else _grouped(memory.getvalue(), stereo)


def _grouped(encoded: bytes, stereo: tuple[int, int]) -> bytes:
    """Add a group ``ster`` to the meta box, and move the places of the pixels accordingly."""
    group = struct.pack(">I4sIIIII", 28, b"ster", 0, 900, 2, *stereo)
    grown = struct.pack(">I4s", len(group) + 8, b"grpl") + group
    at = encoded.index(b"meta") - 4
    (size,) = struct.unpack_from(">I", encoded, at)
    meta = bytearray(encoded[at : at + size])
    struct.pack_into(">I", meta, 0, size + len(grown))
    place = meta.index(b"iloc") + 4
    version, sizes = meta[place], meta[place + 4 : place + 6]
    wide, base = sizes[0] >> 4, sizes[1] >> 4
    assert version < 2 and sizes[0] == 0x44 and base in (0, 4, 8)
    (count,) = struct.unpack_from(">H", meta, place + 6)
    at_item = place + 8
    for _ in range(count):
        method = 0
        if version == 1:
            method = meta[at_item + 3] & 15
            at_item += 2
        at_item += 4
        if method == 0 and base:
            old = int.from_bytes(meta[at_item : at_item + base], "big")
            if old:
                meta[at_item : at_item + base] = (old + len(grown)).to_bytes(base, "big")
        had_base = base and int.from_bytes(meta[at_item : at_item + base], "big")
        at_item += base
        (extents,) = struct.unpack_from(">H", meta, at_item)
        at_item += 2
        for _ in range(extents):
            if method == 0 and not had_base:
                (old,) = struct.unpack_from(">I", meta, at_item)
                struct.pack_into(">I", meta, at_item, old + len(grown))
            at_item += 2 * wide
    return encoded[:at] + bytes(meta) + grown + encoded[at + size :]


def item_numbers(encoded: bytes) -> list[int]:
    """List the numbers of the coded images of a HEIC, as its box ``iinf`` tells them."""
    listed, at = [], encoded.index(b"iinf") + 4
    while (at := encoded.find(b"infe", at) + 4) > 4:
        version, (number,) = encoded[at], struct.unpack_from(">H", encoded, at + 4)
        if version == 2 and encoded[at + 8 : at + 12] == b"hvc1":
            listed.append(number)
    return listed


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def box(name: bytes, content: bytes) -> bytes:
    """Write a box of MP4: its size, its name and its content."""
    return struct.pack(">I4s", 8 + len(content), name) + content


ST3D = box(b"st3d", bytes(4) + b"\x02")
"""The box of MP4 that says: the left half of each picture is the left view."""
VEXU = box(
    b"vexu",
    box(b"eyes", box(b"stri", bytes(4) + b"\x03") + box(b"hero", bytes(4) + b"\x01")),
)
"""The box of a spatial video: it has both views, and the left one is the main one."""


def with_box(movie: bytes, entry: bytes, more: bytes) -> bytes:
    """Append a box to the description of an MP4's pictures, such as ``avc1``.

    The pictures come before their description, so that their places stay.
    """
    changed, place, size = bytearray(movie), movie.index(b"mdat"), 0
    for name in (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", entry):
        place = movie.index(name, place) - 4
        size = struct.unpack_from(">I", movie, place)[0]
        struct.pack_into(">I", changed, place, size + len(more))
    return bytes(changed[: place + size]) + more + bytes(changed[place + size :])
