"""Calibration boards: their patterns, and the places of their corners."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

Kind = Literal["charuco", "charuco-legacy", "chess"]
MOST_SQUARES = 100
"""Maximum squares across a board, and down."""
FEWEST_CORNERS = 12
"""Minimum corners of a board, and of a view that can be used."""
MARKER_SHARE = 11 / 15
"""Default side of a marker as a share of its square's side."""
UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}
SHORTEST, LONGEST = 1e-3, 10.0
"""Minimum and maximum side of a square in metres."""
DICTIONARIES = (
    *(f"{bits}x{bits}_{count}" for bits in (4, 5, 6, 7) for count in (50, 100, 250, 1000)),
    *("apriltag_16h5", "apriltag_25h9", "apriltag_36h10", "apriltag_36h11", "aruco_original"),
)
"""OpenCV's dictionaries of markers, named as its constants, such as ``DICT_5X5_100``."""
DICTIONARY = "5x5_100"
"""Default dictionary of markers."""
USUAL_BOARDS = (
    *("chess:11x8", "chess:9x6", "chess:8x6", "chess:7x5"),
    *("charuco:11x8", "charuco:9x6"),
)
"""Usual boards, to choose from; a larger chessboard comes before those that are a part of it."""

SPELLING = re.compile(
    r"(?:(charuco-legacy|charuco|chess)(?:board)?[:(]?)?(\d{1,4})[x\N{MULTIPLICATION SIGN}*,]"
    r"(\d{1,4})\)?",
    re.ASCII,
)
"""The description of a board in small letters without spaces: kind, and two numbers."""


@dataclass(frozen=True)
class Board:
    """A flat calibration board of black and white squares, with or without markers.

    Attributes:
        kind: ``chess``, a plain chessboard; ``charuco``, with a marker in each white square;
            ``charuco-legacy``, one whose first square is white if its rows are even in number, as
            OpenCV before 4.6 drew them.
        columns, rows: squares across and down, the outermost included.
        square: side of a square in metres.
        marker: side of a marker in metres; 0 without markers.
        dictionary: one of ``DICTIONARIES``, which contains the markers; empty without markers.
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
        """Return the number of inner corners, which can be detected, across and down."""
        return self.columns - 1, self.rows - 1

    @property
    def size(self) -> tuple[float, float]:
        """Compute the board's width and height in metres."""
        return self.columns * self.square, self.rows * self.square

    @cached_property
    def points(self) -> NDArray[np.float32]:
        """Compute the corners' positions on the board: (N, 3) metres from its top left, Z = 0."""
        across, down = self.grid
        row, column = np.divmod(np.arange(across * down), across)
        places = np.stack([column + 1, row + 1, np.zeros_like(row)], axis=1)
        return (places * self.square).astype(np.float32)

    @cached_property
    def black(self) -> NDArray[np.float64]:
        """List the black rectangles, (N, 4) in metres: x and y from the top left, then size.

        They do not overlap. Adjacent modules in a row of a marker form one rectangle.
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


def board_of(description: str, square: float, marker: float | None, dictionary: str) -> Board:
    """Make a board from its text description, such as ``charuco:11x8`` or ``chess:9x6``.

    The numbers count squares for ChArUco boards, and inner corners for chessboards. Other usual
    spellings are understood: ``9x6``, ``chessboard 9 x 6``, ``Chessboard(9, 6)``.

    Args:
        square: side of a square in metres.
        marker: side of a marker in metres; None: ``MARKER_SHARE`` of the square's.
        dictionary: one of ``DICTIONARIES``; ignored for chessboards.

    Raises:
        ValueError: no such board is possible; the message is one line for the user.
    """
    match = SPELLING.fullmatch("".join(description.split()).lower())
    if not match:
        raise ValueError(f"a board is charuco:11x8 or chess:9x6, for example (got {description!r})")
    kind, across, down = cast(Kind, match[1] or "chess"), int(match[2]), int(match[3])
    if kind == "chess":
        return _checked(Board(kind, across + 1, down + 1, square), description)
    side = square * MARKER_SHARE if marker is None else marker
    return _checked(Board(kind, across, down, square, side, dictionary), description)


def length(text: str) -> float:
    """Parse a length with its unit, such as ``30mm``, ``3cm``, ``0.03m`` or ``1in``, to metres.

    Raises:
        ValueError: the text is no such length, or below 1 mm, or above 10 m.
    """
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})\s?(mm|cm|m|in)", text, re.ASCII)
    if not match:
        raise ValueError(f"a length is a number and a unit, such as 30mm (got {text!r})")
    metres = float(match[1]) * UNITS[match[2]]
    if not SHORTEST <= metres <= LONGEST:
        raise ValueError(f"lengths go from 1mm to 10m (got {text})")
    return metres


def millimetres(metres: float) -> str:
    """Format a length in the form of the command line, such as ``30mm``."""
    return f"{metres * 1e3:.6g}mm"


def _checked(board: Board, description: str) -> Board:
    """Return a board; raise ``ValueError`` for one that cannot be used."""
    across, down = board.grid
    if max(board.columns, board.rows) > MOST_SQUARES or min(across, down) < 2:
        raise ValueError(f"boards have from 3 to {MOST_SQUARES} squares a side (got {description})")
    if across * down < FEWEST_CORNERS:
        raise ValueError(f"boards need at least {FEWEST_CORNERS} inner corners (got {description})")
    if board.kind == "chess":
        if across == down:
            raise ValueError(
                f"a chessboard as wide as high may be taken for a turned one ({description})"
            )
        return board
    if not 0 < board.marker < board.square:
        sizes = f"{millimetres(board.marker)} in {millimetres(board.square)}"
        raise ValueError(f"markers must be smaller than the squares (got {sizes})")
    needed, known = board.columns * board.rows // 2, len(dictionary_of(board).bytesList)
    if needed > known:
        raise ValueError(
            f"{description} needs {needed} markers (dictionary {board.dictionary}: {known})"
        )
    return board


def dictionary_of(board: Board) -> Any:
    """Return OpenCV's dictionary of a board's markers; raise ``ValueError`` for an unknown name."""
    import cv2

    if board.dictionary not in DICTIONARIES:
        raise ValueError(f"dictionaries are {', '.join(DICTIONARIES)} (got {board.dictionary!r})")
    name = f"DICT_{board.dictionary.upper()}"
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))


def _modules(board: Board, number: int) -> NDArray[np.float64]:
    """List the black rectangles of an ArUco marker, (N, 4) in metres from its top left."""
    import cv2

    words = dictionary_of(board)
    count = words.markerSize + 2
    dark = cv2.aruco.generateImageMarker(words, number, count) == 0
    edges = np.diff(np.pad(dark, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    (row, begin), (_, end) = np.nonzero(edges == 1), np.nonzero(edges == -1)
    runs = np.stack([begin, row, end - begin, np.ones_like(row)], axis=1)
    return np.asarray(runs * (board.marker / count), np.float64)
