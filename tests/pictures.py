"""Reading pictures back in tests."""

from pathlib import Path
from typing import Any

import cv2
from numpy.typing import NDArray


def read(path: Path | str, flags: int = cv2.IMREAD_COLOR) -> NDArray[Any]:
    """The pixels of a file that must be there."""
    pixels: Any = cv2.imread(str(path), flags)
    assert pixels is not None, path
    return pixels  # type: ignore[no-any-return]
