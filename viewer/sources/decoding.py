"""OpenCV's decoder of image files, and OpenCV without what it would print."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray


def decode_with_opencv(encoded: bytes) -> NDArray[Any] | None:
    """Decode an image file as it is stored: no bits lost, nothing turned.

    Returns:
        (H, W), or (H, W, channels) with the colours as blue, green, red; None where OpenCV cannot.
    """
    import cv2

    with silent_opencv():
        try:
            stored = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_UNCHANGED)
        except cv2.error:
            return None
    return None if stored is None else np.asarray(stored)


@contextmanager
def silent_opencv() -> Iterator[None]:
    """Keep OpenCV from writing to stderr in the block: the reader's own line is enough."""
    import cv2

    # OpenCV 5 moved the two functions there; OpenCV 4.10 has them at its top only.
    log = getattr(cv2.utils, "logging", cv2)
    level = log.setLogLevel(0)
    try:
        yield
    finally:
        log.setLogLevel(level)
