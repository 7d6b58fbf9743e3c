"""Calibration boards: what they look like, and where their corners lie on them."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

Kind = Literal["charuco", "charuco-legacy", "chess"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_SQUARES = 100
"""Across a board, and down."""
FEWEST_CORNERS = 12
"""Of a board, and of a view that counts."""
MARKER_SHARE = 11 / 15
"""Of a square's side that its marker takes, unless told."""
UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}
SHORTEST, LONGEST = 1e-3, 10.0
"""Lengths in metres that a square may have."""
DICTIONARIES = (
    *(f"{bits}x{bits}_{count}" for bits in (4, 5, 6, 7) for count in (50, 100, 250, 1000)),
    *("apriltag_16h5", "apriltag_25h9", "apriltag_36h10", "apriltag_36h11", "aruco_original"),
)
"""OpenCV's dictionaries of markers, as its constants ``DICT_5X5_100`` and so on are called."""
DICTIONARY = "5x5_100"
"""The one that markers come from, unless told."""


@dataclass(frozen=True)
class Board:
    """A flat board of black and white squares.

    Attributes:
        kind: ``chess``, a plain chessboard; ``charuco``, with a marker in each white square;
            ``charuco-legacy``, one whose first square is white if its rows are even in number, as
            OpenCV before 4.6 drew them.
        columns, rows: squares across and down, the outermost included.
        square: side of a square in metres.
        marker: side of a marker in metres; 0 without markers.
        dictionary: one of ``DICTIONARIES``, where the markers come from; empty without markers.
    """

    kind: Kind
    columns: int
    rows: int
    square: float
    marker: float = 0.0
    dictionary: str = ""

    def __str__(self) -> str:
        inner = self.kind == "chess"
        return f"{self.kind}:{self.columns - inner}x{self.rows - inner}"

    @property
    def grid(self) -> tuple[int, int]:
        """Count the inner corners, which are those that are found: across and down."""
        return self.columns - 1, self.rows - 1

    @property
    def size(self) -> tuple[float, float]:
        """Compute width and height in metres."""
        return self.columns * self.square, self.rows * self.square

    @cached_property
    def points(self) -> NDArray[np.float32]:
        """Compute where the corners lie on the board: (N, 3) metres from its top left, Z = 0."""
        across, down = self.grid
        row, column = np.divmod(np.arange(across * down), across)
        places = np.stack([column + 1, row + 1, np.zeros_like(row)], axis=1)
        return (places * self.square).astype(np.float32)

    @cached_property
    def black(self) -> NDArray[np.float64]:
        """List what is black: (N, 4) rectangles in metres, x and y from the top left, then size.

        None overlap. Modules of a marker that lie side by side are one rectangle.
        """
        row, column = np.divmod(np.arange(self.rows * self.columns), self.columns)
        dark = (row + column) % 2 == self._first_is_white
        sides = np.full((int(dark.sum()), 2), self.square)
        squares = np.hstack([np.stack([column, row], axis=1)[dark] * self.square, sides])
        if self.kind == "chess":
            return squares
        light = np.stack([column, row], axis=1)[~dark] * self.square
        inset = (self.square - self.marker) / 2
        marks = [
            _modules(self, number) + np.array([x + inset, y + inset, 0, 0])
            for number, (x, y) in enumerate(light)
        ]
        return np.vstack([squares, *marks])

    @property
    def _first_is_white(self) -> bool:
        return self.kind == "charuco-legacy" and self.rows % 2 == 0


def board_of(said: str, square: float, marker: float | None, dictionary: str) -> Board:
    """Make the board that words describe, such as ``charuco:11x8`` or ``chess:9x6``.

    ChArUco boards are counted in squares, chessboards in inner corners.

    Args:
        square: side of a square in metres.
        marker: side of a marker in metres; None: ``MARKER_SHARE`` of the square's.
        dictionary: one of ``DICTIONARIES``; chessboards have none, whatever is given.

    Raises:
        ValueError: there is no such board; the message is one line for the user.
    """
    found = re.fullmatch(rf"({'|'.join(KINDS)}):(\d{{1,4}})x(\d{{1,4}})", said, re.ASCII)
    if not found:
        raise ValueError(f"a board is charuco:11x8 or chess:9x6, for example (got {said!r})")
    kind, across, down = cast(Kind, found[1]), int(found[2]), int(found[3])
    if kind == "chess":
        return _checked(Board(kind, across + 1, down + 1, square), said)
    side = square * MARKER_SHARE if marker is None else marker
    return _checked(Board(kind, across, down, square, side, dictionary), said)


def length(text: str) -> float:
    """Read a length with its unit, such as ``30mm``, ``3cm``, ``0.03m`` or ``1in``, in metres.

    Raises:
        ValueError: the word is no such length, or below 1 mm, or above 10 m.
    """
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})\s?(mm|cm|m|in)", text, re.ASCII)
    if not found:
        raise ValueError(f"a length is a number and a unit, such as 30mm (got {text!r})")
    metres = float(found[1]) * UNITS[found[2]]
    if not SHORTEST <= metres <= LONGEST:
        raise ValueError(f"lengths go from 1mm to 10m (got {text})")
    return metres


def millimetres(metres: float) -> str:
    """Write a length as the command line takes it, such as ``30mm``."""
    return f"{metres * 1e3:.6g}mm"


def _checked(board: Board, said: str) -> Board:
    """Return a board; raise ``ValueError`` for one that cannot be used."""
    across, down = board.grid
    if max(board.columns, board.rows) > MOST_SQUARES or min(across, down) < 2:
        raise ValueError(f"boards have from 3 to {MOST_SQUARES} squares a side (got {said})")
    if across * down < FEWEST_CORNERS:
        raise ValueError(f"boards need at least {FEWEST_CORNERS} inner corners (got {said})")
    if board.kind == "chess":
        if across == down:
            raise ValueError(f"a chessboard as wide as high may be taken for a turned one ({said})")
        return board
    if not 0 < board.marker < board.square:
        sizes = f"{millimetres(board.marker)} in {millimetres(board.square)}"
        raise ValueError(f"markers must be smaller than the squares (got {sizes})")
    needed, known = board.columns * board.rows // 2, len(dictionary_of(board).bytesList)
    if needed > known:
        raise ValueError(f"{said} needs {needed} markers (dictionary {board.dictionary}: {known})")
    return board


def dictionary_of(board: Board) -> Any:
    """Look up the markers that a board is made of."""
    import cv2

    if board.dictionary not in DICTIONARIES:
        raise ValueError(f"dictionaries are {', '.join(DICTIONARIES)} (got {board.dictionary!r})")
    name = f"DICT_{board.dictionary.upper()}"
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))


def _modules(board: Board, number: int) -> NDArray[np.float64]:
    """List the black rectangles of a marker, (N, 4) in metres from its top left."""
    import cv2

    words = dictionary_of(board)
    count = words.markerSize + 2
    dark = cv2.aruco.generateImageMarker(words, number, count) == 0
    edges = np.diff(np.pad(dark, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    (row, begin), (_, end) = np.nonzero(edges == 1), np.nonzero(edges == -1)
    runs = np.stack([begin, row, end - begin, np.ones_like(row)], axis=1)
    return np.asarray(runs * (board.marker / count), np.float64)
