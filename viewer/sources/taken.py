"""The views of one frame as read from files, before calibration and rectification."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.footage.planes import AnyView


@dataclass(frozen=True)
class Taken:
    """The views of one frame as they were read, and their files.

    Attributes:
        files: of the left and the right view; None for a right view that has no file of its own.
        left, right: the views: pixels or decoded planes; ``right`` is None for a single image.
        index: position in the source, from 0.
        truth, occluded: as of ``Frame``; of the rectified pair.
    """

    files: tuple[Path, Path | None]
    left: AnyView
    right: AnyView | None
    index: int
    truth: NDArray[np.float32] | None = None
    occluded: NDArray[np.bool_] | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height of the views."""
        return self.left.shape[1], self.left.shape[0]
