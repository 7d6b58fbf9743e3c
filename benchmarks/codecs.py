"""Measure the time to decode the two views of a pair and to encode its disparity, on one core.

Every installed codec is measured with the same images in memory: views of smoothed noise, encoded
by OpenCV, by Pillow and by the program, which filter rows differently, and a disparity in 16 bits.
"""

import io
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.runner import Count, Findings
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.io.files.png_file import encode_png
from wheatstone.viewer.io.reading.png_chunks import png_header
from wheatstone.viewer.io.reading.png_pixels import decoder

SIZES = (1242, 375), (1920, 1080)
HEADER = "size", "file", "codec", "ms a pair", "KiB"
MEASURED_LEVELS = 1, 2, 3, 6
Row = tuple[str, str, str, float, int]


def main(*, repeats: Count = 9) -> Findings:
    """Measure reading and writing with each codec."""
    cv2.setNumThreads(1)
    rows = [row for size in SIZES for row in (*_reading(*size, repeats), *_writing(*size, repeats))]
    cells = [(*words, f"{took:.2f}", f"{size}") for *words, took, size in rows]
    record = [dict(zip(HEADER, row, strict=True)) for row in rows]
    return Findings({"codecs": record}, [markdown(HEADER, cells)])


def _milliseconds(work: Callable[[], object], repeats: int) -> float:
    """Return the shortest time of several calls, in milliseconds: other load only adds to it."""
    work()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def _view(width: int, height: int) -> NDArray[np.uint8]:
    noise = np.random.default_rng(1).integers(0, 256, (height, width), np.uint8)
    return np.asarray(cv2.GaussianBlur(noise, (7, 7), 0), np.uint8)


def _reading(width: int, height: int, repeats: int) -> Iterator[Row]:
    view = _view(width, height)
    by_pillow = io.BytesIO()
    Image.fromarray(view).save(by_pillow, "PNG")
    written = {
        "view by OpenCV": cv2.imencode(".png", view)[1].tobytes(),
        "view by Pillow": by_pillow.getvalue(),
        "view by Wheatstone": encode_png(view),
    }
    for name, encoded in written.items():
        decoders = {"Wheatstone": _by_wheatstone, "OpenCV": _by_opencv, "Pillow": _by_pillow}
        codecs = {**decoders, **_optional()}
        for codec, decode in codecs.items():
            assert np.array_equal(decode(encoded), view), codec
            took = 2 * _milliseconds(partial(decode, encoded), repeats)
            yield f"{width}x{height}", name, f"read: {codec}", took, len(encoded) // 1024


def _by_wheatstone(encoded: bytes) -> Any:
    header = png_header(encoded)
    assert header
    return decoder().pixels(encoded, header)


def _by_opencv(encoded: bytes) -> Any:
    return cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_UNCHANGED)


def _by_pillow(encoded: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(encoded)))


def _optional() -> dict[str, Callable[[bytes], Any]]:
    """Return the decoders of installed packages that the program does not need, by name."""
    decoders: dict[str, Callable[[bytes], Any]] = {}
    for package, function in {"imagecodecs": "png_decode", "pyspng": "load"}.items():
        with suppress(ImportError):
            decoders[package] = getattr(import_module(package), function)
    return decoders


def _writing(width: int, height: int, repeats: int) -> Iterator[Row]:
    row, column = np.mgrid[:height, :width]
    fine = np.rint(_view(width, height) / 64)
    pixels = (40 + 30 * np.sin(column / 200) * np.cos(row / 90) + fine) * 16
    disparity = pixels.astype(np.uint16) * np.uint16(16)
    disparity[np.random.default_rng(2).random(disparity.shape) < 0.1] = 0
    codecs: dict[str, Callable[[], bytes]] = {
        f"level {level}": partial(encode_png, disparity, level) for level in MEASURED_LEVELS
    }
    huffman = cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_HUFFMAN_ONLY
    fast = (cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_SUB, *huffman)
    codecs |= {
        "OpenCV": lambda: cv2.imencode(".png", disparity)[1].tobytes(),
        "OpenCV, sub, Huffman": lambda: cv2.imencode(".png", disparity, fast)[1].tobytes(),
        "zlib alone, level 1": lambda: zlib.compress(disparity.byteswap(), 1),
    }
    for codec, encode in codecs.items():
        took, size = _milliseconds(encode, repeats), len(encode()) // 1024
        yield f"{width}x{height}", "disparity", f"write: {codec}", took, size
