"""Detection of a board in the image pairs of a rig, and the parts of images that it covers."""

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.cameras.board_corners import Corners, Grey, find_corners, turned
from wheatstone.viewer.io.cameras.boards import (
    DICTIONARY,
    FEWEST_CORNERS,
    USUAL_BOARDS,
    Board,
    board_of,
)

USUAL_SQUARE = 0.03  # metres; corners are found in the same places whatever a square measures
GreyPair = tuple[str, Grey, Grey]
"""Name, left and right image of a pair, (H, W) grey levels each."""


@dataclass(frozen=True, eq=False)
class BoardView:
    """The corners of a board that were detected in a pair of images.

    Attributes:
        left, right: the corners in each image.
        size: width and height of the images in pixels.
    """

    name: str
    left: Corners
    right: Corners
    size: tuple[int, int]

    @cached_property
    def common(self) -> NDArray[np.int64]:
        """List the numbers of the corners that are in both images, ascending."""
        return np.intersect1d(self.left.ids, self.right.ids)

    @property
    def why(self) -> str:
        """Return the reason why the view cannot be used to calibrate; empty if it can be used."""
        counts = len(self.left), len(self.right)
        if not any(counts):
            return "no board found in either image"
        if not all(counts):
            return f"no board found in the {('left', 'right')[counts.index(0)]} image"
        if len(self.common) < FEWEST_CORNERS:
            return f"{len(self.common)} corners are in both images; {FEWEST_CORNERS} are needed"
        return ""


def find_board(board: Board, pair: GreyPair) -> BoardView:
    """Detect a board's corners in both images of a pair."""
    name, left, right = pair
    corners = find_corners(board, left)
    other = _alike(corners, turned(board, find_corners(board, right)))
    return BoardView(name, corners, other, (left.shape[1], left.shape[0]))


def find_boards(
    board: Board, pairs: Iterable[GreyPair], threads: int | None = None
) -> Iterator[BoardView]:
    """Detect a board in pairs, several pairs at a time; yield the views in order.

    Args:
        threads: number of pairs at a time; None: the number of CPU cores.
    """
    count = threads or os.cpu_count() or 1
    workers = ThreadPoolExecutor(count, "boards")
    ahead: deque[Future[BoardView]] = deque()
    try:
        for pair in pairs:
            ahead.append(workers.submit(find_board, board, pair))
            if len(ahead) > count:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        workers.shutdown(wait=False, cancel_futures=True)


def recognised(pair: GreyPair) -> str:
    """Return the name of the standard board that both images of a pair show; empty without one."""
    for name in USUAL_BOARDS:
        if not find_board(board_of(name, USUAL_SQUARE, None, DICTIONARY), pair).why:
            return name
    return ""


def _alike(corners: Corners, ways: list[Corners]) -> Corners:
    """Choose the order of the right image's corners that best matches the left image's corners."""
    if len(ways) == 1 or not len(corners):
        return ways[0]
    return min(ways, key=lambda way: np.abs(_centred(way) - _centred(corners)).sum())


def _centred(corners: Corners) -> NDArray[np.float32]:
    return np.asarray(corners.places - corners.places.mean(axis=0), np.float32)


CELLS = (8, 6)
"""Numbers of cells across and down into which an image is divided."""
ACROSS, DOWN = ("left", "", "right"), ("top", "", "bottom")


@dataclass(frozen=True, eq=False)
class Coverage:
    """The number of detected board corners in each cell of a grid over an image.

    Attributes:
        counts: (rows, columns) int64, of the size of ``CELLS``.
    """

    counts: NDArray[np.int64]

    @property
    def covered(self) -> int:
        """Count the cells of the grid that contain a board corner."""
        return int(np.count_nonzero(self.counts))

    @property
    def cells(self) -> int:
        """Return the number of cells of the grid over the image."""
        return self.counts.size

    @property
    def bare(self) -> tuple[str, ...]:
        """Return the names of the mostly empty parts of the image, such as ``top left``.

        The image is divided into 3 x 3 parts.
        """
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
    """Count the detected board corners in each cell of a grid over an image.

    Args:
        places: (N, 2) column and row of corners, for each view.
        size: width and height of the image.
    """
    edges = [np.linspace(-0.5, n - 0.5, cells + 1) for n, cells in zip(size, CELLS, strict=True)]
    x, y = np.concatenate([np.empty((0, 2), np.float32), *places]).T
    counts, _, _ = np.histogram2d(y, x, bins=(edges[1], edges[0]))
    return Coverage(counts.astype(np.int64))
