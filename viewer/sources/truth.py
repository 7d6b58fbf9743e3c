"""Ground truth beside the images: PFM (Middlebury), or 16-bit PNG (KITTI and our own scenes)."""

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from viewer.sources.images import read_bytes

PFM_HEADER = re.compile(rb"Pf\s+(\d+)\s+(\d+)\s+(-?[\d.eE+-]+)\s")


def read_truth(path: Path) -> NDArray[np.float32]:
    """Read a disparity map in pixels; NaN where unknown.

    PFM holds float pixels, bottom row first, infinite where unknown; a 16-bit PNG holds 256 times
    the disparity, 0 where unknown.

    Returns:
        (H, W) disparities of the left view.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is neither of the two, or truncated.
    """
    return read_pfm(path) if path.suffix == ".pfm" else _read_png(path)


def read_pfm(path: Path) -> NDArray[np.float32]:
    """Read a one-channel PFM; NaN where a value is not finite.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is something else, or truncated.
    """
    encoded = read_bytes(path)
    header = PFM_HEADER.match(encoded)
    if header is None:
        raise ValueError(
            f"{path}: expected a one-channel PFM, found another header; remove it or replace it"
        )
    width, height, scale = int(header[1]), int(header[2]), float(header[3])
    body = encoded[header.end() :]
    if len(body) < width * height * 4:
        raise ValueError(
            f"{path}: truncated ({len(body)} of {width * height * 4} bytes); "
            "replace it by a whole file"
        )
    stored = np.frombuffer(body, "<f4" if scale < 0 else ">f4", width * height).reshape(
        height, width
    )
    return np.where(np.isfinite(stored), stored, np.nan).astype(np.float32)[::-1].copy()


def _read_png(path: Path) -> NDArray[np.float32]:
    import cv2

    level = cv2.utils.logging.setLogLevel(0)
    stored = cv2.imdecode(np.frombuffer(read_bytes(path), np.uint8), cv2.IMREAD_UNCHANGED)
    cv2.utils.logging.setLogLevel(level)
    if stored is None or stored.dtype != np.uint16 or stored.ndim != 2:
        raise ValueError(
            f"{path}: expected a 16-bit gray PNG of disparities x 256; remove it or replace it"
        )
    return np.where(stored > 0, stored / np.float32(256), np.float32(np.nan)).astype(np.float32)
