"""PNGs that our own code encodes and decodes, against those of Pillow and OpenCV."""

import io
import struct
import zlib
from pathlib import Path
from random import Random
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.fuzz.pictures import chunks, joined, plainly
from wheatstone.gpu.png_filters import undo_filters
from wheatstone.viewer.io.files import png_file
from wheatstone.viewer.io.files.png_file import FASTEST, SMALLEST, encode_png
from wheatstone.viewer.io.reading.png_chunks import PngHeader, png_header
from wheatstone.viewer.io.reading.png_pixels import decoder
from wheatstone.viewer.io.sources.images import read_image

SHAPES = {"grey": (37, 53), "RGB": (37, 53, 3), "one pixel": (1, 1), "one column": (9, 1, 3)}


def pixels_of(shape: tuple[int, ...], dtype: str) -> NDArray[np.generic]:
    """Make a ramp with some noise, whose rows are best filtered in different ways."""
    random = np.random.default_rng(3)
    smooth = np.arange(np.prod(shape)).reshape(shape) * (3 if dtype == "u1" else 700)
    return (smooth + random.integers(0, 9, shape)).astype(dtype)


def decoded(encoded: bytes) -> Any:
    header = png_header(encoded)
    assert header
    return decoder().pixels(encoded, header)


@pytest.mark.parametrize("level", [FASTEST, 2, 3, 4, SMALLEST])
@pytest.mark.parametrize("dtype", ["u1", "u2"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_other_programs_decode_what_is_encoded(
    shape: tuple[int, ...], dtype: str, level: int
) -> None:
    pixels = pixels_of(shape, dtype)
    encoded = encode_png(pixels, level)
    stored: Any = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_UNCHANGED)
    assert np.array_equal(stored if stored.ndim == 2 else stored[..., ::-1], pixels)
    assert np.array_equal(decoded(encoded), pixels)


def test_a_processor_without_isal_encodes_the_same_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    pixels = pixels_of((37, 53), "u2")
    monkeypatch.setattr(png_file, "isal_zlib", None)
    assert np.array_equal(decoded(encode_png(pixels)), pixels)


def filtered(kinds: list[int], pixels: NDArray[np.uint8]) -> bytes:
    """Encode grey or RGB rows, each with its filter, as the specification says."""
    height, width = pixels.shape[:2]
    step = pixels.size // (height * width)
    body, above = b"", bytes(width * step)
    for kind, row in zip(kinds, pixels.reshape(height, -1), strict=True):
        line = row.tobytes()
        body += bytes([kind])
        for at, value in enumerate(line):
            left, corner = (line[at - step], above[at - step]) if at >= step else (0, 0)
            up = above[at]
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda one: abs(guess - one))
            body += bytes([value - (0, left, up, (left + up) // 2, nearest)[kind] & 255])
        above = line
    colour = 0 if pixels.ndim == 2 else 2
    head = struct.pack(">2I5B", width, height, 8, colour, 0, 0, 0)
    return joined([(b"IHDR", head), (b"IDAT", zlib.compress(body)), (b"IEND", b"")])


@pytest.mark.parametrize("shape", [(40, 23), (40, 23, 3)])
def test_every_filter_is_undone(shape: tuple[int, ...]) -> None:
    pixels = pixels_of(shape, "u1").astype(np.uint8)
    runs = [[kind] * 6 for kind in (4, 0, 1, 2, 3)]
    kinds = [kind for run in runs for kind in run] + [Random(1).randrange(5) for _ in range(10)]
    encoded = filtered(kinds, pixels)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(encoded))), pixels)
    assert np.array_equal(decoded(encoded), pixels)


def test_a_filter_that_does_not_exist_is_refused() -> None:
    rows, pixels = np.full((2, 4), 5, np.uint8), np.zeros((2, 3), np.uint8)
    assert not undo_filters(rows, 1, pixels)


@pytest.mark.parametrize("dtype", ["u1", "u2"])
@pytest.mark.parametrize("mode", ["grey", "RGB"])
def test_what_opencv_and_pillow_write_is_decoded(mode: str, dtype: str) -> None:
    pixels = pixels_of(SHAPES[mode], dtype)
    ordered = pixels if pixels.ndim == 2 else np.ascontiguousarray(pixels[..., ::-1])
    assert np.array_equal(decoded(cv2.imencode(".png", ordered)[1].tobytes()), pixels)
    if dtype == "u1" or mode == "grey":
        written = io.BytesIO()
        Image.fromarray(pixels).save(written, "PNG")
        assert np.array_equal(decoded(written.getvalue()), pixels)


def test_files_are_read_alike_with_and_without_the_decoder(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    for shape in SHAPES.values():
        for dtype in ("u1", "u2"):
            path.write_bytes(encode_png(pixels_of(shape, dtype)))
            decoder.cache_clear()
            expected = read_image(path)
            decoder()
            image = read_image(path)
            assert np.array_equal(image.pixels, expected.pixels)
            assert image.notes == expected.notes


WHOLE = encode_png(pixels_of((37, 53), "u1"))
HEAD, BODY, END = chunks(WHOLE)
UNUSUAL = {
    "interlaced": [(b"IHDR", HEAD[1][:-1] + b"\1"), BODY, END],
    "text": [HEAD, (b"tEXt", b"Raw profile type exif\0"), BODY, END],
    "transparent": [HEAD, (b"tRNS", b"\0\0"), BODY, END],
    "rows apart": [HEAD, (b"IDAT", BODY[1][:9]), (b"tIME", bytes(7)), (b"IDAT", BODY[1][9:]), END],
    "no end": [HEAD, BODY],
    "an end with a body": [HEAD, BODY, (b"IEND", b"a")],
    "two heads": [HEAD, HEAD, BODY, END],
    "too few rows": [(b"IHDR", struct.pack(">I", 54) + HEAD[1][4:]), BODY, END],
    "too many rows": [(b"IHDR", HEAD[1][:7] + b"\x24" + HEAD[1][8:]), BODY, END],
    "more after the rows": [HEAD, (b"IDAT", BODY[1] + b"a"), END],
    "a wrong checksum of the rows": [HEAD, (b"IDAT", BODY[1][:-4] + b"aaaa"), END],
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_other_decoders_get_what_is_unusual(kind: str) -> None:
    assert decoded(joined(UNUSUAL[kind])) is None


def test_rows_may_lie_in_several_chunks_beside_harmless_ones() -> None:
    parts = [(b"IDAT", BODY[1][at : at + 9]) for at in range(0, len(BODY[1]), 9)]
    encoded = joined([HEAD, (b"gAMA", bytes(4)), *parts, (b"tIME", bytes(7)), END])
    assert np.array_equal(decoded(encoded), pixels_of((37, 53), "u1"))


def test_a_damaged_file_is_never_taken_for_a_whole_one() -> None:
    whole = pixels_of((37, 53), "u1")
    for seed in range(300):
        broken = plainly(Random(seed), WHOLE)
        header = png_header(broken)
        if header and max(header.width, header.height) <= 8192:
            result = decoder().pixels(broken, header)
            assert result is None or np.array_equal(result, whole)


def test_a_file_that_ends_early_is_refused() -> None:
    header = PngHeader(53, 37, 8, 0)
    assert all(decoder().pixels(WHOLE[:end], header) is None for end in range(26, len(WHOLE)))
