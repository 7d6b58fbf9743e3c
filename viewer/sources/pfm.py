"""Reading of PFM files: floats of one channel, bottom row first."""

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.sources.sizes import Size, check_size

HEADER = re.compile(
    rb"Pf\s+(\d{1,9})\s+(\d{1,9})\s+"
    rb"(-?)(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,9})?\s"
)
"""Width and height, and a scale whose sign gives the byte order."""


def read_pfm(path: Path, encoded: bytes, expected: Size | None = None) -> NDArray[Any]:
    """Read the numbers of a one-channel PFM, as stored, the top row first.

    Args:
        expected: as for ``check_size``.

    Raises:
        ValueError: it is another kind of file, truncated, or of an impossible size.
    """
    header = HEADER.match(encoded)
    if header is None:
        raise ValueError(
            f"{path}: expected a one-channel PFM, found another header; remove it or replace it"
        )
    width, height = int(header[1]), int(header[2])
    check_size(path, width, height, expected)
    found, needed = len(encoded) - header.end(), width * height * 4
    if found < needed:
        raise ValueError(
            f"{path}: truncated ({found} of {needed} bytes); replace it by a whole file"
        )
    order = "<f4" if header[3] else ">f4"
    stored = np.frombuffer(encoded, order, width * height, header.end())
    return stored.reshape(height, width)[::-1]
