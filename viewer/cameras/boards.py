"""Calibration boards: what they look like, and where their corners lie in an image."""

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
SMALL = 1_000_000
"""Pixels of images that are enlarged before markers are looked for: twice as many are found."""
WINDOW = (2, 12)
"""The least and the most pixels to each side of a corner that refining it looks at."""
Grey = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Corners:
    """Corners of a board that were found in an image.

    Attributes:
        ids: (N,) int64, ascending: the corners' numbers on the board, row by row from its top left.
        places: (N, 2) float32, column and row in pixels.
    """

    ids: NDArray[np.int64]
    places: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)

    def of(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Look up where corners lie, (N, 2), by their numbers; all must have been found."""
        return self.places[np.searchsorted(self.ids, ids)]


NO_CORNERS = Corners(np.empty(0, np.int64), np.empty((0, 2), np.float32))


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

    def find(self, grey: Grey) -> Corners:
        """Find the board's corners in an image, (H, W) grey levels.

        Of a board with markers a part may be found; of a chessboard all corners or none.
        """
        return _find_chess(self, grey) if self.kind == "chess" else _find_charuco(self, grey)

    def turned(self, corners: Corners) -> list[Corners]:
        """List what corners may be as well: a chessboard may be taken for one that is turned."""
        if self.kind != "chess" or not len(corners):
            return [corners]
        grid = corners.places.reshape(*reversed(self.grid), 2)
        ways = (grid, grid[::-1, ::-1], grid[::-1], grid[:, ::-1])
        return [Corners(corners.ids, way.reshape(-1, 2)) for way in ways]

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
        marks = [_modules(self, number) + [*(at + inset), 0, 0] for number, at in enumerate(light)]
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
    needed, known = board.columns * board.rows // 2, len(_dictionary(board).bytesList)
    if needed > known:
        raise ValueError(f"{said} needs {needed} markers (dictionary {board.dictionary}: {known})")
    return board


def _dictionary(board: Board) -> Any:
    """Look up the markers that a board is made of."""
    import cv2

    if board.dictionary not in DICTIONARIES:
        raise ValueError(
            f"dictionaries are {', '.join(DICTIONARIES)} (got {board.dictionary!r})"
        )
    name = f"DICT_{board.dictionary.upper()}"
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))


def _modules(board: Board, number: int) -> NDArray[np.float64]:
    """List the black rectangles of a marker, (N, 4) in metres from its top left."""
    import cv2

    words = _dictionary(board)
    count = words.markerSize + 2
    dark = cv2.aruco.generateImageMarker(words, number, count) == 0
    edges = np.diff(np.pad(dark, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    (row, begin), (_, end) = np.nonzero(edges == 1), np.nonzero(edges == -1)
    runs = np.stack([begin, row, end - begin, np.ones_like(row)], axis=1)
    return runs * (board.marker / count)


def _find_charuco(board: Board, grey: Grey) -> Corners:
    import cv2

    size = (board.columns, board.rows)
    pattern = cv2.aruco.CharucoBoard(size, board.square, board.marker, _dictionary(board))
    pattern.setLegacyPattern(board.kind == "charuco-legacy")
    scale = 2 if grey.size < SMALL else 1
    enlarged = cv2.resize(grey, None, fx=scale, fy=scale) if scale > 1 else grey
    places, ids, _, _ = cv2.aruco.CharucoDetector(pattern).detectBoard(enlarged)
    if ids is None or not len(ids):
        return NO_CORNERS
    order = np.argsort(ids.ravel())
    rough = (places.reshape(-1, 2)[order] + np.float32(0.5)) / np.float32(scale) - np.float32(0.5)
    refined = _refined(board, grey, rough)
    return Corners(ids.ravel()[order].astype(np.int64), refined)


def _refined(board: Board, grey: Grey, places: NDArray[np.float32]) -> NDArray[np.float32]:
    """Refine corners between markers, within a window that none of these reaches into.

    OpenCV's own refinement, up to 4.10 at least, ends half a pixel to the lower right.
    """
    import cv2

    if len(places) < 2:
        return places
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    nearest = np.partition(apart, 1, axis=1)[:, 1].min()
    reach = round(float(nearest) * (1 - board.marker / board.square) / 2)
    window = int(np.clip(reach, *WINDOW))
    enough = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 40, 1e-3)
    return np.asarray(
        cv2.cornerSubPix(grey, places.reshape(-1, 1, 2).copy(), (window,) * 2, (-1, -1), enough),
        np.float32,
    ).reshape(-1, 2)


def _find_chess(board: Board, grey: Grey) -> Corners:
    import cv2

    how = cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_ACCURACY | cv2.CALIB_CB_EXHAUSTIVE
    found, places = cv2.findChessboardCornersSB(grey, board.grid, flags=how)
    if not found:
        return NO_CORNERS
    return Corners(np.arange(len(places), dtype=np.int64), places.reshape(-1, 2))
