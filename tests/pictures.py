"""Reading pictures back in tests."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray


def read(path: Path | str, flags: int = cv2.IMREAD_COLOR) -> NDArray[Any]:
    """The pixels of a file that must be there."""
    pixels: Any = cv2.imread(str(path), flags)
    assert pixels is not None, path
    return pixels  # type: ignore[no-any-return]


def grey(path: Path) -> NDArray[np.uint8]:
    """The grey levels of a file that must be there."""
    return read(path, cv2.IMREAD_GRAYSCALE)
