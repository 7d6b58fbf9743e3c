"""Whole pictures of every format that is read, and damage that knows the format."""

import io
import struct
import zlib
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import cv2
import numpy as np
import tifffile
from numpy.typing import NDArray
from PIL import Image, PngImagePlugin

from tests.fuzz.mutating import NUMBERS, mutated

HEIGHT, WIDTH = 11, 13
SIGNATURE = b"\x89PNG\r\n\x1a\n"
SIZES = (0, 1, 7, 16_384, 16_385, 30_000, 65_535, 2**31 - 1, 2**31, 2**32 - 1)
"""Sizes that a header may claim."""
RECIPE = '[look]\ncolormap = "turbo"\n'
MODES = {
    "PNG": ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"),
    "PPM": ("1", "L", "RGB", "I;16", "F"),
    "JPEG": ("L", "RGB", "CMYK"),
    "TIFF": ("1", "L", "LA", "P", "RGB", "RGBA", "I;16", "F", "CMYK", "I"),
    "GIF": ("P",),
    "BMP": ("L", "RGB"),
    "WEBP": ("RGB",),
}
TIFF_KINDS: tuple[dict[str, Any], ...] = (
    *({"compression": name} for name in ("zlib", None)),
    *({"tile": (16, 16), "compression": name} for name in ("zlib", None)),
    *({"bigtiff": True}, {"byteorder": ">"}, {"rowsperstrip": 2}),
)


CHANNEL_KINDS: tuple[dict[str, Any], ...] = (
    {"planarconfig": "separate"},
    {"planarconfig": "contig", "tile": (16, 16), "compression": "zlib"},
)
GEO_TAGS = [
    (33550, 12, 3, (0.5, 0.5, 0.0), True),
    (33922, 12, 6, (0.0, 0.0, 0.0, 5e5, 4e6, 0.0), True),
    (34735, 3, 4, (1, 1, 0, 0), True),
    (34737, 2, 4, "UTM", True),
    (42113, 2, 2, "0", True),
]
"""A georeference: scale, tie point, keys, text, and the number without a meaning."""


def numbers(dtype: str, channels: int = 1) -> NDArray[Any]:
    """Make pixels: (H, W), or (H, W, channels); floats lie in 0..1."""
    shape = (HEIGHT, WIDTH, channels)[: 2 if channels == 1 else 3]
    random = np.random.default_rng(3).random(shape)
    top = 1 if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max
    return (random * top).astype(dtype)


@cache
def whole(kind: str) -> tuple[bytes, ...]:
    """Make whole files of a format that Pillow, OpenCV and tifffile write."""
    listed = [saved(kind, mode, **more) for mode in MODES[kind] for more in _options(kind)]
    if kind == "TIFF":
        listed += [_tiff(numbers(d), **m) for d in DTYPES for m in TIFF_KINDS]
        listed += [_tiff(numbers("u2"), compression="zlib", predictor=True, rowsperstrip=4)]
        listed += [_tiff(numbers(d, 3), photometric="rgb") for d in ("u2", "f4")]
        listed += [_tiff(np.stack([numbers("f4")] * 3), photometric="minisblack")]
        listed += [_channels(count, **kind) for count in (2, 3, 5) for kind in CHANNEL_KINDS]
        listed += [_tiff(numbers(d), extratags=GEO_TAGS, bigtiff=d == "f4") for d in ("u2", "f4")]
    if kind in ("PNG", "TIFF"):
        deep = [numbers("u2", channels) for channels in (1, 3, 4)]
        listed += [cv2.imencode(f".{kind.lower()}", pixels)[1].tobytes() for pixels in deep]
    if kind == "PPM":
        listed += [
            _pnm(digit, maximum) for digit in "2356" for maximum in (1, 63, 255, 4095, 65535)
        ]
        listed += [_pnm(digit, 2) for digit in "14"]
    return tuple(listed)


DTYPES = ("u1", "u2", "f4", "f8", "i2", "u4", "f2")


def saved(kind: str, mode: str, **more: Any) -> bytes:
    """Make a file with Pillow."""
    if mode in ("I;16", "I", "F"):
        dtype = {"I;16": "u2", "I": "i4", "F": "f4"}[mode]
        image = Image.fromarray(numbers(dtype))
    else:
        image = Image.fromarray(numbers("u1", 3)).convert(mode)
    memory = io.BytesIO()
    image.save(memory, kind, **more)
    return memory.getvalue()


def _options(kind: str) -> tuple[dict[str, Any], ...]:
    tags = Image.Exif()
    tags[274], tags[270] = 6, "a picture"
    if kind == "PNG":
        text = PngImagePlugin.PngInfo()
        text.add_itxt("wheatstone", RECIPE, zip=True)
        text.add_text("wheatstone", RECIPE, zip=True)
        return ({}, {"pnginfo": text, "exif": tags, "icc_profile": b"profile" * 99})
    if kind == "JPEG":
        return ({}, {"progressive": True, "exif": tags}, {"quality": 30, "icc_profile": b"p" * 99})
    return ({},)


def _tiff(pixels: NDArray[Any], **more: Any) -> bytes:
    memory = io.BytesIO()
    tifffile.imwrite(memory, pixels, **more)
    return memory.getvalue()


def _channels(count: int, **more: Any) -> bytes:
    """Make a TIFF of channels with 16 bits."""
    pixels = numbers("u2", count)
    if more["planarconfig"] == "separate":
        pixels = np.moveaxis(pixels, -1, 0)
    return _tiff(pixels, photometric="minisblack", extrasamples=[0] * (count - 1), **more)


def _pnm(digit: str, maximum: int) -> bytes:
    """Write a PBM, PGM or PPM by hand."""
    pixels = numbers("f8", 3 if digit in "36" else 1) * maximum  # below the maximum
    head = f"P{digit}\n# a comment\n{WIDTH} {HEIGHT}\n{'' if digit in '14' else f'{maximum} '}"
    if digit in "123":
        return head.encode() + " ".join(str(int(n)) for n in pixels.ravel()).encode()
    if digit == "4":
        return head.encode() + np.packbits(pixels > maximum / 2, axis=1).tobytes()
    return head.encode() + pixels.astype("u1" if maximum < 256 else ">u2").tobytes()


def damaged(random: Random, kind: str) -> bytes:
    """Make a damaged file of a format; now and then a whole one."""
    content = random.choice(whole(kind))
    ways = (*WAYS.get(kind, ()), plainly, plainly, nothing)
    return random.choice(ways)(random, content)


def plainly(random: Random, content: bytes) -> bytes:
    """Damage bytes."""
    return mutated(random, content)


def nothing(random: Random, content: bytes) -> bytes:
    """Leave a file as it is."""
    return content


def chunk(kind: bytes, body: bytes) -> bytes:
    """Write a chunk of a PNG with its checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    """Take a whole PNG apart into its chunks' kinds and bodies."""
    listed, at = [], len(SIGNATURE)
    while at + 8 <= len(png):
        size, kind = struct.unpack_from(">I4s", png, at)
        listed.append((kind, png[at + 8 : at + 8 + size]))
        at += size + 12
    return listed


def joined(parts: list[tuple[bytes, bytes]]) -> bytes:
    """Write a PNG with right checksums."""
    return SIGNATURE + b"".join(chunk(kind, body) for kind, body in parts)


def _behind_checksums(random: Random, png: bytes) -> bytes:
    """Damage chunks of a PNG, and give them right checksums."""
    parts = chunks(png)
    for _ in range(random.choice((1, 1, 3))):
        at = random.randrange(len(parts))
        kind, body = parts[at]
        match random.randrange(5):
            case 0:
                parts[at] = random.choice((b"IDAT", b"tRNS", b"PLTE", b"acTL", b"fcTL")), body
            case 1:
                parts.insert(random.randrange(len(parts)), parts[at])
            case _:
                parts[at] = kind, mutated(random, body)
    return joined(parts)


def _behind_deflate(random: Random, png: bytes) -> bytes:
    """Damage the rows of a PNG before they are packed."""
    parts = chunks(png)
    rows = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT"))
    packed = zlib.compress(mutated(random, rows) * random.choice((1, 1, 1, 1000)))
    where = next(i for i, (kind, _) in enumerate(parts) if kind == b"IDAT")
    parts = [part for part in parts if part[0] != b"IDAT"]
    return joined([*parts[:where], (b"IDAT", packed), *parts[where:]])


def _false_header(random: Random, png: bytes) -> bytes:
    """Claim another size, depth or kind, with a right checksum."""
    (_, body), *rest = chunks(png)
    width, height, *kinds = struct.unpack(">II5B", body)
    if random.random() < 0.6:
        width, height = random.choice(SIZES), random.choice((height, *SIZES))
    else:
        at = random.randrange(5)
        kinds[at] = random.choice((0, 1, 2, 3, 4, 6, 8, 16, 255))
    return joined([(b"IHDR", struct.pack(">II5B", width, height, *kinds)), *rest])


@cache
def bomb() -> bytes:
    """Pack 64 MiB of one letter into some 64 KB."""
    return zlib.compress(b"a" * 2**26, 9)


def _packed_bomb(random: Random, png: bytes) -> bytes:
    """Put a chunk into a PNG that unpacks to a thousand times its size."""
    key = random.choice((b"wheatstone\0", b"comment\0"))
    body = random.choice((key + b"\0" + bomb(), key + b"\1\0\0\0" + bomb()))
    parts = chunks(png)
    extra = random.choice((b"zTXt", b"iTXt", b"iCCP")), body
    return joined([*parts[:1], *[extra] * random.choice((1, 1, 20)), *parts[1:]])


def _false_tags(random: Random, tiff: bytes) -> bytes:
    """Change numbers in the first directory of a TIFF."""
    encoded = bytearray(tiff)
    order, big = "<" if tiff[:1] == b"I" else ">", tiff[2:3] == b"+" or tiff[3:4] == b"+"
    at = struct.unpack_from(order + ("Q" if big else "I"), tiff, 8 if big else 4)[0]
    (count,) = struct.unpack_from(order + ("Q" if big else "H"), tiff, at)
    size, first = (20, at + 8) if big else (12, at + 2)
    for _ in range(random.choice((1, 1, 2, 5))):
        entry = first + size * random.randrange(count)
        value = random.choice((*SIZES, random.randrange(70_000), at, len(tiff) - 1))
        match random.randrange(6):
            case 0:
                struct.pack_into(order + "H", encoded, entry + 2, random.randrange(20))
            case 1:
                struct.pack_into(order + ("Q" if big else "I"), encoded, entry + 4, value)
            case 2:
                struct.pack_into(order + "H", encoded, entry, random.choice(TAGS))
            case 3 if not big:  # the next directory
                struct.pack_into(order + "I", encoded, first + size * count, value)
            case _:
                struct.pack_into(order + "I", encoded, entry + size - (8 if big else 4), value)
    return bytes(encoded)


TAGS = (
    *(256, 257, 258, 259, 262, 273, 277, 278, 279, 284, 317, 322, 323, 324, 325, 338, 339, 34665),
    *(tag for tag, *_ in GEO_TAGS),
)


def _strip_bomb(random: Random, tiff: bytes) -> bytes:
    """Make a TIFF of which a strip or tile unpacks to more than its part of the picture."""
    packed = _tiff(numbers("f4"), compression="zlib", rowsperstrip=HEIGHT)
    encoded = bytearray(packed + bomb())
    (count,) = struct.unpack_from("<H", encoded, struct.unpack_from("<I", encoded, 4)[0])
    first = struct.unpack_from("<I", encoded, 4)[0] + 2
    for entry in range(first, first + 12 * count, 12):
        (tag,) = struct.unpack_from("<H", encoded, entry)
        if tag in (273, 279):
            value = len(packed) if tag == 273 else len(bomb())
            struct.pack_into("<HII", encoded, entry + 2, 4, 1, value)
    return bytes(encoded)


def _false_numbers(random: Random, pnm: bytes) -> bytes:
    """Put absurd numbers into the header of a PBM, PGM, PPM or PFM, or into its text."""
    at = min(len(pnm), random.choice((30, 30, len(pnm))))
    words = pnm[:at].split(b" ")
    for _ in range(random.choice((1, 1, 2))):
        text = random.choice((*NUMBERS, *map(str, SIZES)))
        words[random.randrange(len(words))] = text.encode()
    return b" ".join(words) + pnm[at:]


def _false_frame(random: Random, jpeg: bytes) -> bytes:
    """Claim another size of a JPEG, other factors of its channels, or many scans."""
    encoded = bytearray(jpeg)
    frame = max(jpeg.find(b"\xff\xc0"), jpeg.find(b"\xff\xc2"))
    match random.randrange(3):
        case 0:
            size = (random.choice((8, 16_384, 16_385, 65_535, 0)) for _ in range(2))
            struct.pack_into(">HH", encoded, frame + 5, *size)
        case 1:
            encoded[frame + 9 + random.randrange(9)] = random.randrange(256)
        case _:
            scan = jpeg.rfind(b"\xff\xda")
            return jpeg[:-2] + jpeg[scan:-2] * random.choice((1, 60, 200)) + b"\xff\xd9"
    return bytes(encoded)


WAYS: dict[str, tuple[Callable[[Random, bytes], bytes], ...]] = {
    "PNG": (_behind_checksums, _behind_checksums, _behind_deflate, _false_header, _packed_bomb),
    "TIFF": (_false_tags, _false_tags, _false_tags, _strip_bomb),
    "PPM": (_false_numbers, _false_numbers),
    "JPEG": (_false_frame,),
}
"""Damage that knows the format."""
