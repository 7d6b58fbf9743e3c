"""Chunks of PNGs: texts of every kind, in bounds, and pictures stripped of the rest."""

import io
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from tests.fuzz.pictures import bomb, chunk, chunks, joined, saved
from wheatstone.viewer.io.reading.png_chunks import bare_png, png_header, png_text
from wheatstone.viewer.settings.screenshot import read_recipe

PICTURE = saved("PNG", "RGB")
WORDS = "[look]\ncolormap = 'turbo'  # \N{GREEK SMALL LETTER ALPHA}"
PLAIN = WORDS[:-1].encode("latin-1")
KEY = b"wheatstone\0"
TEXTS = {
    "tEXt": (b"tEXt", KEY + PLAIN),
    "zTXt": (b"zTXt", KEY + b"\0" + zlib.compress(PLAIN)),
    "iTXt": (b"iTXt", KEY + b"\0\0en\0\0" + WORDS.encode()),
    "iTXt packed": (b"iTXt", KEY + b"\1\0\0\0" + zlib.compress(WORDS.encode())),
}


def with_text(part: tuple[bytes, bytes], at: int = 1) -> bytes:
    parts = chunks(PICTURE)
    return joined([*parts[:at], (b"tEXt", b"Software\0other"), part, *parts[at:]])


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("at", [1, 2])
def test_a_recipe_is_found_in_every_kind_of_text(tmp_path: Path, kind: str, at: int) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(with_text(TEXTS[kind], at))
    assert read_recipe(path) == {"look": {"colormap": "turbo"}}


def test_what_pillow_writes_is_read() -> None:
    text = PngImagePlugin.PngInfo()
    text.add_itxt("key", WORDS, zip=True)
    assert png_text(io.BytesIO(saved("PNG", "L", pnginfo=text)), "key", 1000) == WORDS


def test_a_picture_of_any_size_is_not_decoded_for_its_recipe(tmp_path: Path) -> None:
    huge = np.array([30_000, 30_000], ">u4").tobytes() + b"\x08\x02\0\0\0"
    path = tmp_path / "a.png"
    path.write_bytes(joined([(b"IHDR", huge), TEXTS["iTXt"], (b"IEND", b"")]))
    assert read_recipe(path) == {"look": {"colormap": "turbo"}}
    path.write_bytes(joined([(b"IHDR", huge), (b"IDAT", b""), (b"IEND", b"")]))
    assert read_recipe(path) is None


@pytest.mark.parametrize("start", [b"\0", b"\1\0\0\0", b""])
def test_a_text_that_is_too_large_is_refused(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "a.png"
    body = start + bomb() if start else b"a" * 2**21
    path.write_bytes(with_text((b"iTXt" if body[:1] == b"\1" else b"zTXt", KEY + body)))
    with pytest.raises(ValueError, match=r"a\.png: its settings are damaged: .* more than 1 MiB"):
        read_recipe(path)


def test_damaged_texts_are_refused_and_damaged_pictures_left_to_their_reader(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.png"
    for body in (b"\0no deflate", b"\0" + zlib.compress(b"[[[")):
        path.write_bytes(with_text((b"zTXt", KEY + body)))
        with pytest.raises(ValueError, match=r"a\.png: its settings are damaged"):
            read_recipe(path)
    whole = with_text(TEXTS["tEXt"])
    for content in (whole[:60], whole.replace(b"turbo", b"turbp"), b"", b"text", whole[:8]):
        path.write_bytes(content)
        assert read_recipe(path) is None


def test_nothing_but_pixels_is_left() -> None:
    extra = [(b"iCCP", b"bad\0\0" + bomb()), (b"tIME", b"1"), (b"acTL", b"\0" * 8)]
    parts = chunks(PICTURE)
    bare = bare_png(joined([parts[0], *extra, *parts[1:-1]]))
    assert [kind for kind, _ in chunks(bare)] == [b"IHDR", b"IDAT", b"IEND"]
    before, after = (np.asarray(Image.open(io.BytesIO(png))) for png in (PICTURE, bare))
    assert np.array_equal(before, after)
    odd = bytearray(PICTURE)
    odd[26:28] = b"\7\7"  # methods that are none
    assert bare_png(bytes(odd)) == bare_png(PICTURE)


def test_a_header_is_read_from_its_first_bytes() -> None:
    header = png_header(PICTURE[:26])
    assert header and (header.width, header.height, header.depth, header.colour) == (13, 11, 8, 2)
    assert png_header(PICTURE[:25]) is None
    assert png_header(PICTURE[:8] + chunk(b"IDAT", b"a" * 13)) is None
