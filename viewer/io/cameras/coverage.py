"""Coverage: the parts of an image in which corners of boards were detected."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CELLS = (8, 6)
"""Numbers of cells across and down into which an image is divided."""
ACROSS, DOWN = ("left", "", "right"), ("top", "", "bottom")


@dataclass(frozen=True, eq=False)
class Coverage:
    """The number of corners in each cell of an image.

    Attributes:
        counts: (rows, columns) int64, of the size of ``CELLS``.
    """

    counts: NDArray[np.int64]

    @property
    def covered(self) -> int:
        """Count the cells that hold a corner."""
        return int(np.count_nonzero(self.counts))

    @property
    def cells(self) -> int:
        """Return the number of all cells."""
        return self.counts.size

    @property
    def bare(self) -> tuple[str, ...]:
        """Return the names of the image's ninths that are mostly empty, such as ``top left``."""
        return tuple(self._bare())

    def _bare(self) -> Iterator[str]:
        rows, columns = self.counts.shape
        of_row = np.arange(rows) * 3 // rows
        of_column = np.arange(columns) * 3 // columns
        for y, down in enumerate(DOWN):
            for x, across in enumerate(ACROSS):
                part = self.counts[np.ix_(of_row == y, of_column == x)]
                if np.mean(part == 0) > 0.5:
                    yield f"{down} {across}".strip() or "middle"


def coverage(places: Iterable[NDArray[np.float32]], size: tuple[int, int]) -> Coverage:
    """Count the corners in each cell of an image.

    Args:
        places: (N, 2) column and row of corners, for each view.
        size: width and height of the image.
    """
    edges = [np.linspace(-0.5, n - 0.5, cells + 1) for n, cells in zip(size, CELLS, strict=True)]
    x, y = np.concatenate([np.empty((0, 2), np.float32), *places]).T
    counts, _, _ = np.histogram2d(y, x, bins=(edges[1], edges[0]))
    return Coverage(counts.astype(np.int64))
