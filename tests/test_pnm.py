"""PBM, PGM and PPM: what Pillow makes of them, for every maximum, without its loop over pixels."""

import io
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from wheatstone.viewer.io.sources.depth import stored_array, to_eight_bits
from wheatstone.viewer.io.sources.images import read_image
from wheatstone.viewer.io.sources.pnm import read_pnm

HEIGHT, WIDTH = 7, 11


def written(digit: int, maximum: int, seed: int = 1) -> bytes:
    """Write a picture by hand; in bytes its numbers go beyond the maximum now and then."""
    random = np.random.default_rng(seed)
    shape = (HEIGHT, WIDTH, 3) if digit in (3, 6) else (HEIGHT, WIDTH)
    head = f"P{digit} # by hand\n{WIDTH} {HEIGHT}\n" + (f"{maximum}\n" if digit % 3 != 1 else "")
    if digit == 4:
        return head.encode() + random.bytes(HEIGHT * 2)
    numbers = random.integers(0, {1: 1}.get(digit, maximum), shape, endpoint=True)
    if digit < 4:
        return (head + "# pixels\n" + " ".join(map(str, numbers.ravel()))).encode()
    numbers[0, 0] = 255 if maximum < 256 else 65535
    return head.encode() + numbers.astype("u1" if maximum < 256 else ">u2").tobytes() + b"more"


@pytest.mark.parametrize("maximum", [1, 63, 255, 256, 1023, 4095, 65535])
@pytest.mark.parametrize("digit", [1, 2, 3, 4, 5, 6])
def test_pixels_are_those_of_pillow(tmp_path: Path, digit: int, maximum: int) -> None:
    path = tmp_path / "a.ppm"
    path.write_bytes(written(digit, maximum))
    if digit == 6 and maximum == 65535:  # Pillow would round to 8 bits: we divide by 257
        stored = np.frombuffer(path.read_bytes()[-4 - HEIGHT * WIDTH * 6 : -4], ">u2")
        expected = (stored // 257).astype(np.uint8).reshape(HEIGHT, WIDTH, 3)
    else:
        image = Image.open(io.BytesIO(path.read_bytes()))
        pixels = np.asarray(image.convert("L") if image.mode == "1" else image)
        expected, _ = to_eight_bits(path, stored_array(pixels))
    assert np.array_equal(read_image(path).pixels, expected)


def test_a_note_names_the_range_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.pgm"
    for maximum, note in ((1023, "0..1023 scaled to 8 bits"), (65535, "(value // 257)")):
        path.write_bytes(f"P5 2 1 {maximum}\n".encode() + np.array([0, maximum], ">u2").tobytes())
        image = read_image(path)
        assert image.pixels.tolist() == [[0, 255]]
        (notes,) = image.notes
        assert notes.endswith(note)


def test_numbers_are_as_they_are_stored() -> None:
    for head in (b"P5 3 2 63\n\x00\x04\x3f\x01\x02\x03", b"P2 3 2 63 # text\n0 4 63 1 2 3"):
        image = read_pnm(Path("a.pgm"), head)
        assert image.numbers.tolist() == [[0, 4, 63], [1, 2, 3]]


def test_twelve_bits_take_no_longer_than_sixteen(tmp_path: Path) -> None:
    path = tmp_path / "a.pgm"
    path.write_bytes(b"P5 2048 2048 4095\n" + bytes(2 * 2048 * 2048))
    begun = time.thread_time()
    assert read_image(path).pixels.shape == (2048, 2048)
    assert time.thread_time() - begun < 2  # through Pillow's loop it takes 9 s


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"P5 3 2 0\n123456", "maximum must be in"),
        (b"P5 3 2 65536\n123456", "maximum must be in"),
        (b"P5 3 2 255\n12345", "truncated .5 of 6 bytes"),
        (b"P5 -3 2 255\n12345", "its header is not one"),
        (b"P5 " + b"9" * 5000 + b" 2 255\n12345", "its header is not one"),
        (b"P5 99999 2 255\n12345", "at most 16384 pixels a side .* .found 99999x2"),
        (b"P6 8192 8192 65535\n", "truncated .0 of 402653184 bytes"),
        (b"P4 9 2\n123", "truncated .3 of 4 bytes"),
        (b"P1 3 2\n10101", "truncated .5 of 6 pixels"),
        (b"P1 3 2\n101012", "other digits than 0 and 1"),
        (b"P2 3 1 255\n1 2 256", "a number above 255"),
        (b"P2 3 1 255\n1 2 -1", "a pixel that is no number"),
        (b"P2 3 1 255\n1 2 " + b"1" * 5000, "a pixel that is no number"),
        (b"P2 3 1 255\n1 2", "truncated .2 of 3 numbers"),
    ],
)
def test_damage_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "a.pgm").write_bytes(content)
    with pytest.raises(ValueError, match=rf"a\.pgm: .*{words}"):
        read_image(tmp_path / "a.pgm")
