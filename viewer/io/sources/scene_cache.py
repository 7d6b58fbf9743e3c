"""A disk cache of the first frames of built-in scenes: painting their textures takes a second.

A file holds the SHA-256 of the rest, then the left and the right view, RGB, the disparity, float32,
and whether pixels are occluded, a byte each. A damaged file counts as missing.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

import numpy as np

from wheatstone.gpu.compilations import kept_folder
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.stereo import calibration

LARGEST_KEPT = 1280 * 800
"""Pixels of the largest frame that is cached."""
KEPT = 12
"""Number of frames in the cache, those written last."""
SHARES = 3, 3, 4, 1  # bytes per pixel of each part
DIGEST = hashlib.sha256().digest_size


def read_frame(scene: str, width: int, height: int) -> Frame | None:
    """Read the first frame of a scene, by name and seed; None if it is not in the cache."""
    path = _path(scene, width, height)
    if not path or not path.is_file() or path.stat().st_size != DIGEST + _size(width, height):
        return None
    try:
        stored = np.fromfile(path, np.uint8)
    except OSError:
        return None
    digest, stored = stored[:DIGEST], stored[DIGEST:]
    if hashlib.sha256(stored.tobytes()).digest() != digest.tobytes():
        return None
    ends = np.cumsum(SHARES) * width * height
    left, right, truth, occluded = np.split(stored, ends[:-1])
    shape = height, width
    return Frame(
        left.reshape(*shape, 3),
        right.reshape(*shape, 3),
        0,
        truth.view(np.float32).reshape(shape),
        occluded.view(np.bool_).reshape(shape),
        calibration(width, height),
    )


def keep_frame(scene: str, frame: Frame) -> None:
    """Write the first frame of a scene to the cache, if it is not too large and can be written."""
    height, width = frame.shape
    if not (path := _path(scene, width, height)):
        return
    parts = (frame.left, frame.right, frame.truth, frame.occluded)
    stored = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    unfinished = path.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        unfinished.write_bytes(hashlib.sha256(stored).digest() + stored)
        unfinished.replace(path)
        newest = sorted(path.parent.iterdir(), key=lambda one: -one.stat().st_mtime)
        for old in newest[KEPT:]:
            old.unlink()


def _size(width: int, height: int) -> int:
    return sum(SHARES) * width * height


def _path(scene: str, width: int, height: int) -> Path | None:
    """Return the path of a frame's file; None if it is too large or there is no cache folder."""
    if width * height > LARGEST_KEPT:
        return None
    room = Path(__file__).parent
    folder = kept_folder(
        "scenes", (room.parent / "scenes", room / "stereo.py"), f"numpy{np.__version__}"
    )
    return folder / f"{scene}-{width}x{height}.frame" if folder else None
