"""Fingerprints of files, which change when their content changes."""

import hashlib
import os
from functools import lru_cache
from pathlib import Path

from wheatstone.viewer.io.reading.regular_files import MIB, open_regular

LARGEST_WHOLE = 64 * MIB  # bytes of a file of which every byte counts
BLOCKS, BLOCK = 64, MIB // 4  # of larger files, evenly spread from the first to the last byte


def fingerprint(path: Path) -> str:
    """Compute a digest of a file's content; empty if it cannot be read.

    For a file larger than ``LARGEST_WHOLE``, such as a long video, the digest is of its size, its
    modification time and ``BLOCKS`` blocks.
    """
    try:
        found = os.stat(path)
        state = found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
        return _fingerprint(path, state)
    except OSError:
        return ""


@lru_cache(maxsize=64)  # the frames of a video are all read from one file
def _fingerprint(path: Path, state: tuple[int, ...]) -> str:
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= LARGEST_WHOLE:
            return hashlib.sha256(file.read()).hexdigest()
        found = hashlib.sha256(f"{size} {state[3]}".encode())
        for number in range(BLOCKS):
            file.seek((size - BLOCK) * number // (BLOCKS - 1))
            found.update(file.read(BLOCK))
        return found.hexdigest()
