"""Pictures and values that claim, pack or hide more than there is: refused before it is taken."""

import io
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
import tifffile
from PIL import Image

from tests.fuzz.pictures import (
    WAYS,
    bomb,
    chunks,
    damaged,
    joined,
    numbers,
    saved,
    whole,
)
from tests.programs import environment
from wheatstone.viewer.cli.cli import main
from wheatstone.viewer.io.reading.png_chunks import PngHeader, has_exact_rows
from wheatstone.viewer.io.sources.images import LARGEST_FILE, read_image
from wheatstone.viewer.io.sources.pillow_images import scans
from wheatstone.viewer.io.sources.tiff_header import tiff_header
from wheatstone.viewer.io.sources.truth import TruthFiles, read_truth, read_truths
from wheatstone.viewer.io.sources.truth_places import find_truth
from wheatstone.viewer.io.sources.value_files import read_values

ROOT = Path(__file__).parent.parent
SUFFIXES = ("npy", "pfm", "tiff", "png", "pgm")


def png_of(width: int, height: int, depth: int = 8, colour: int = 0) -> bytes:
    """Write a PNG that only claims its size."""
    head = struct.pack(">II5B", width, height, depth, colour, 0, 0, 0)
    return joined([(b"IHDR", head), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")])


def npy_of(
    shape: str, descr: str = "'<f4'", version: bytes = b"\1\0", order: str = "False"
) -> bytes:
    """Write an array that only claims its shape."""
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    size = len(header).to_bytes(2 if version == b"\1\0" else 4, "little")
    return b"\x93NUMPY" + version + size + header


def tiff_of(width: int, height: int) -> bytes:
    """Write a float TIFF that only claims its size."""
    memory = io.BytesIO()
    tifffile.imwrite(memory, numbers("f4"))
    encoded = bytearray(memory.getvalue())
    (first,) = struct.unpack_from("<I", encoded, 4)
    for entry in range(first + 2, first + 2 + 12 * encoded[first], 12):
        (tag,) = struct.unpack_from("<H", encoded, entry)
        if tag in (256, 257):
            struct.pack_into("<HII", encoded, entry + 2, 4, 1, width if tag == 256 else height)
    return bytes(encoded)


CLAIMS = {
    "png": png_of(30_000, 30_000),
    "deep.png": png_of(30_000, 30_000, 16, 2),
    "pgm": b"P5 30000 30000 255\n",
    "ppm": b"P6 30000 30000 65535\n",
    "tiff": tiff_of(30_000, 30_000),
    "pfm": b"Pf\n30000 30000\n-1\n",
    "npy": npy_of("(30000, 30000)"),
    "deep.npy": npy_of("(2000000000, 2000000000)"),
}


@pytest.mark.parametrize("name", ["png", "deep.png", "pgm", "ppm", "tiff"])
def test_an_image_that_claims_too_much_is_refused_by_every_reader(
    tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"a.{name}"
    path.write_bytes(CLAIMS[name])
    with pytest.raises(ValueError, match=r"at most 16384 pixels a side .* .found 30000x30000"):
        read_image(path)
    out = str(tmp_path / "out.png")
    assert main(["render", "invert", str(path), "--variant", "cpu", "--out", out]) == 2
    assert capfd.readouterr().err.splitlines()[-1].startswith(f"wheatstone: {path}: at most 16384")


@pytest.mark.parametrize("name", ["png", "deep.png", "pgm", "tiff", "pfm", "npy", "deep.npy"])
def test_values_that_claim_too_much_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"a.{name}"
    path.write_bytes(CLAIMS[name])
    with pytest.raises(ValueError, match=rf"a\.{name}: at most 16384 pixels a side"):
        read_values(path)


@pytest.mark.parametrize("ending", ["png", "pgm", "ppm", "tiff", "npy", "pfm"])
def test_another_size_is_refused_before_anything_is_decoded(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    claimed = {"npy": npy_of("(7, 5)"), "pfm": b"Pf\n5 7\n-1\n", "tiff": tiff_of(5, 7)}
    claimed |= {"png": png_of(5, 7), "pgm": b"P5 5 7 255\n", "ppm": b"P6 5 7 255\n"}
    path.write_bytes(claimed[ending])
    words = r"must have the left image's size 6x7 .found 5x7"
    if ending not in ("npy", "pfm"):
        with pytest.raises(ValueError, match=words):
            read_image(path, (7, 6))
    if ending != "ppm":
        with pytest.raises(ValueError, match=words):
            read_truth(path, expected=(7, 6))


def test_a_mask_of_another_size_is_refused_by_its_header(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.ones((4, 5), np.float32))
    (tmp_path / "mask.png").write_bytes(png_of(5, 3))
    with pytest.raises(ValueError, match=r"mask\.png: must have the left image's size 5x4"):
        read_truths(TruthFiles(tmp_path / "t.npy", mask=tmp_path / "mask.png"), (4, 5))


@pytest.mark.parametrize("ending", ["png", *SUFFIXES])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    os.mkfifo(path)
    for read in (read_image, read_values):
        with pytest.raises(OSError, match="expected a regular file, found a pipe"):
            read(path)
    path.unlink()
    path.symlink_to("/dev/zero")
    for read in (read_image, read_values):
        with pytest.raises(OSError, match="expected a regular file, found a device"):
            read(path)


def test_a_file_larger_than_the_largest_image_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    with path.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(ValueError, match="larger than 1537 MiB, the most that is read"):
        read_image(path)
    with pytest.raises(ValueError, match="larger than 1025 MiB, the most that is read"):
        read_values(path)


def test_a_truth_is_looked_at_in_its_first_bytes_only(tmp_path: Path) -> None:
    path = tmp_path / "disparity.png"
    with path.open("wb") as file:
        file.write(png_of(5, 4, 16)[:26])
        file.truncate(2**40)
    assert find_truth(tmp_path / "left.png") == TruthFiles(path)


@pytest.mark.parametrize("kind", [b"zTXt", b"iTXt", b"iCCP"])
@pytest.mark.parametrize("mode", ["RGB", "I;16", "deep"])
def test_packed_bombs_beside_the_pixels_stay_packed(tmp_path: Path, kind: bytes, mode: str) -> None:
    png = (
        cv2.imencode(".png", numbers("u2", 3))[1].tobytes()
        if mode == "deep"
        else saved("PNG", mode)
    )
    parts = chunks(png)
    key = b"a\0\0" if kind != b"iTXt" else b"a\0\1\0\0\0"
    path = tmp_path / "a.png"
    path.write_bytes(joined([parts[0], (kind, key + bomb()), *parts[1:]]))
    try:
        pixels = read_image(path).pixels
    except ValueError as error:
        assert "too large" in str(error)
    else:
        path.write_bytes(png)
        assert np.array_equal(pixels, read_image(path).pixels)


@pytest.mark.parametrize("seed", range(3))
def test_a_strip_that_unpacks_to_more_than_its_part_is_refused(tmp_path: Path, seed: int) -> None:
    strip_bomb = WAYS["TIFF"][-1]
    path = tmp_path / "a.tiff"
    path.write_bytes(strip_bomb(Random(seed), b""))
    with pytest.raises(ValueError, match="a strip or tile holds more than its part"):
        read_values(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (npy_of("(3, 4)", "'|O'"), "not an array of plain numbers"),
        (npy_of("(3, 4)", "[('x', '<f4')]"), "not an array of plain numbers"),
        (npy_of("(3, 4)", "'<c8'"), "one number per pixel is needed .got complex64"),
        (npy_of("(3, 4)", "'<f3'"), "no numbers of type '<f3'"),
        (npy_of("(3, -4)"), "not an array of plain numbers"),
        (npy_of("(3, 1" + "0" * 5000 + "x)"), "not an array of plain numbers"),
        (npy_of("(3 4)"), "not an array of plain numbers"),
        (npy_of("(3, 4)"), "truncated .0 of 48 bytes"),
        (npy_of("(0, 4)"), "no pixels"),
        (npy_of("(2, 3, 4)"), r"one number per pixel is needed .got float32 of shape \(2, 3, 4\)"),
        (npy_of("(" * 5000), "not an array of plain numbers"),
        (npy_of("(3, 4)" + " " * 20_000, version=b"\2\0"), "its header is too long"),
        (b"\x93NUMPY\x09\0" + bytes(99), "not an array that NumPy wrote"),
        (b"PK\3\4" + bytes(99), "not an array that NumPy wrote"),
        (b"\x80\x04N." + bytes(99), "not an array that NumPy wrote"),
    ],
)
def test_arrays_that_are_none_are_refused(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(ValueError, match=rf"a\.npy: .*{words}"):
        read_values(tmp_path / "a.npy")


def test_arrays_of_every_version_and_order_are_read(tmp_path: Path) -> None:
    path, values = tmp_path / "a.npy", np.arange(12, dtype=np.float32).reshape(3, 4)
    for version in (b"\1\0", b"\2\0", b"\3\0"):
        for order, text in (("C", "False"), ("F", "True")):
            header = npy_of("(3L, 4L)", version=version, order=text)
            path.write_bytes(header + values.tobytes(order))  # type: ignore[arg-type]  # C or F
            assert np.array_equal(read_values(path).pixels, values)
    np.save(path, np.array([[1e300, -np.inf, 2.5]]))
    assert np.array_equal(read_values(path).pixels, [[np.nan, np.nan, 2.5]], equal_nan=True)


@pytest.mark.parametrize(
    "header",
    [b"PF\n3 4\n-1\n", b"Pf\n-3 4\n-1\n", b"Pf\n3 4\nnan\n", b"Pf\n" + b"9" * 5000 + b" 4\n-1\n"],
)
def test_headers_that_are_no_pfm_are_refused(tmp_path: Path, header: bytes) -> None:
    (tmp_path / "a.pfm").write_bytes(header + bytes(48))
    with pytest.raises(ValueError, match=r"a\.pfm: expected a one-channel PFM"):
        read_values(tmp_path / "a.pfm")


def test_scans_are_counted_and_bounded(tmp_path: Path) -> None:
    plain, progressive = saved("JPEG", "RGB"), saved("JPEG", "RGB", progressive=True)
    assert (scans(plain), scans(progressive)) == (1, 10)
    last = progressive.rfind(b"\xff\xda")
    path = tmp_path / "a.jpg"
    path.write_bytes(progressive[:-2] + progressive[last:-2] * 60 + b"\xff\xd9")
    with pytest.raises(ValueError, match="a JPEG of more than 50 scans"):
        read_image(path)
    path.write_bytes(plain + plain * 60)  # what follows the end is no scan
    assert read_image(path).pixels.shape == (11, 13, 3)


def test_directories_of_a_tiff_that_run_in_a_circle_are_counted_once() -> None:
    memory = io.BytesIO()
    Image.new("L", (5, 4)).save(
        memory, "TIFF", save_all=True, append_images=[Image.new("L", (3, 3))]
    )
    encoded = bytearray(memory.getvalue())
    header = tiff_header(bytes(encoded))
    assert (header.width, header.height, header.bits, header.pages) == (5, 4, (8,), 2)
    (first,) = struct.unpack_from("<I", encoded, 4)
    struct.pack_into("<I", encoded, first + 2 + 12 * encoded[first], first)
    assert tiff_header(bytes(encoded)).pages == 1
    struct.pack_into("<H", encoded, first + 2 + 12, 256)
    with pytest.raises(ValueError, match="has tag 256 twice"):
        tiff_header(bytes(encoded))


def test_decoders_print_nothing_in_threads(tmp_path: Path) -> None:
    """Run in a process of its own: pytest would catch warnings that users see."""
    code = f"""
import sys, threading
from pathlib import Path
from wheatstone.viewer.io.sources.images import read_image
from wheatstone.viewer.io.sources.value_files import read_values
def read(part):
    for path in sorted(Path({str(tmp_path)!r}).iterdir())[part::4]:
        for reader in (read_image, read_values):
            try:
                reader(path)
            except (OSError, ValueError):
                pass
threads = [threading.Thread(target=read, args=(part,)) for part in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""
    for seed in range(400):
        kind, ending = (("TIFF", "tiff"), ("PNG", "png"), ("JPEG", "jpg"))[seed % 3]
        (tmp_path / f"{seed}.{ending}").write_bytes(damaged(Random(seed), kind))
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env=environment()
    )
    assert run.stderr == run.stdout == b""


def test_whole_pictures_of_every_kind_are_read(tmp_path: Path) -> None:
    for kind in ("PNG", "PPM", "JPEG"):
        for content in whole(kind):
            (tmp_path / "a").write_bytes(content)
            shape = read_image(tmp_path / "a").pixels.shape[:2]
            assert shape in ((11, 13), (13, 11))  # the EXIF of some turns them


@pytest.mark.parametrize("colour", [2, 4, 6])
@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("size", [(1, 1), (5, 3), (13, 11)])
def test_rows_of_a_png_are_counted(colour: int, interlaced: bool, size: tuple[int, int]) -> None:
    width, height = size
    passes = ((8, 8, 0, 0), (8, 8, 4, 0), (4, 8, 0, 4), (4, 4, 2, 0), (2, 4, 0, 2), (2, 2, 1, 0))
    steps = (*passes, (1, 2, 0, 1)) if interlaced else ((1, 1, 0, 0),)
    pixel = bytes({2: 6, 4: 4, 6: 8}[colour])
    rows = b"".join(
        b"\0" + pixel * len(range(left, width, right))
        for right, down, left, top in steps
        for _ in range(top, height, down)
        if left < width
    )
    head = struct.pack(">II5B", width, height, 16, colour, 0, 0, interlaced)
    header = PngHeader(width, height, 16, colour)
    for packed, right in ((rows, True), (rows[:-1], False), (rows + b"a", False)):
        body = zlib.compress(packed)
        parts = [(b"IHDR", head), (b"IDAT", body[:5]), (b"IDAT", body[5:]), (b"IEND", b"")]
        assert has_exact_rows(joined(parts), header) == right
    assert not has_exact_rows(joined([*parts[:1], (b"IDAT", zlib.compress(rows) + b"a")]), header)
    assert not has_exact_rows(joined([*parts[:1], (b"IDAT", zlib.compress(rows)[:-4])]), header)
