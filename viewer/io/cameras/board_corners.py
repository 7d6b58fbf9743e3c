"""Detection of the corners of calibration boards in images."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.cameras.boards import Board, dictionary_of

SMALL, LARGE = 1_000_000, 4_000_000
"""Images of fewer or more pixels are enlarged or reduced before a board is detected."""
LEAST_SIDE = 16
"""OpenCV fails at images with a shorter side, in pixels; no board fits into them."""
ENLARGED = 3.0
"""The factor by which small images are enlarged at most."""
ENOUGH = 0.75
"""Share of a board's corners from which no further search is made."""
FURTHEST = 0.25
"""A corner that its refinement moves by more, as a share of the distance to the next, stays."""
WINDOW = (2, 12)
"""The minimum and maximum half width in pixels of the window that refines a corner."""
Grey = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Corners:
    """The corners of a board that were detected in an image.

    Attributes:
        ids: (N,) int64, ascending: the corners' numbers on the board, row by row from its top left.
        places: (N, 2) float32, column and row in pixels.
    """

    ids: NDArray[np.int64]
    places: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)

    def of(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the positions (N, 2) of corners by their numbers; all must have been detected."""
        return self.places[np.searchsorted(self.ids, ids)]


NO_CORNERS = Corners(np.empty(0, np.int64), np.empty((0, 2), np.float32))


def find_corners(board: Board, grey: Grey) -> Corners:
    """Detect a board's corners in an image, (H, W) grey levels.

    A board with markers may be detected in part; a chessboard completely or not at all.
    """
    return _find_chess(board, grey) if board.kind == "chess" else _find_charuco(board, grey)


def turned(board: Board, corners: Corners) -> list[Corners]:
    """List the possible orders of the corners: a chessboard may be seen rotated or mirrored."""
    if board.kind != "chess" or not len(corners):
        return [corners]
    grid = corners.places.reshape(*reversed(board.grid), 2)
    ways = (grid, grid[::-1, ::-1], grid[::-1], grid[:, ::-1])
    return [Corners(corners.ids, way.reshape(-1, 2)) for way in ways]


def _find_charuco(board: Board, grey: Grey) -> Corners:
    """Detect a board by its markers; search longer if few of them are recognised."""
    # Markers of ten pixels are told apart far more often where they are enlarged.
    corners = _charuco_corners(board, grey, 2.0 if grey.size < SMALL else _shrinking(grey), False)
    if len(corners) >= ENOUGH * len(board.points):
        return corners
    again = _charuco_corners(board, grey, min(_scale_to_large(grey), ENLARGED), True)
    return again if len(again) > len(corners) else corners


def _charuco_corners(board: Board, grey: Grey, scale: float, thorough: bool) -> Corners:
    """Detect a board by its markers, in the image scaled by a factor.

    Args:
        thorough: whether to try more thresholds, smaller and damaged markers, and to look for the
            missing ones where the board must have them.
    """
    import cv2

    size = (board.columns, board.rows)
    pattern = cv2.aruco.CharucoBoard(size, board.square, board.marker, dictionary_of(board))
    pattern.setLegacyPattern(board.kind == "charuco-legacy")
    markers, corners = cv2.aruco.DetectorParameters(), cv2.aruco.CharucoParameters()
    if thorough:
        markers.adaptiveThreshWinSizeMin, markers.adaptiveThreshWinSizeMax = 5, 53
        markers.adaptiveThreshWinSizeStep, markers.minMarkerPerimeterRate = 8, 0.01
        markers.errorCorrectionRate, corners.tryRefineMarkers = 1.0, True
    detector = cv2.aruco.CharucoDetector(pattern, corners, markers)
    scaled = _scaled(grey, scale)
    places, ids, _, _ = detector.detectBoard(scaled)
    if ids is None or not len(ids):
        return NO_CORNERS
    order = np.argsort(ids.ravel())
    at = np.asarray(places.reshape(-1, 2)[order], np.float32)
    # OpenCV's own refinement, up to 4.10 at least, ends half a pixel to the lower right.
    gap = (1 - board.marker / board.square) / 2
    enlarged = scale > 1
    at = _unscaled(_refined(scaled, at, gap) if enlarged else at, scale)
    return Corners(ids.ravel()[order].astype(np.int64), at if enlarged else _refined(grey, at, gap))


def _find_chess(board: Board, grey: Grey) -> Corners:
    """Detect a chessboard by several methods in turn, until one succeeds."""
    import cv2

    if min(grey.shape) < LEAST_SIDE:
        return NO_CORNERS
    scale = _shrinking(grey)
    larger = min(_scale_to_large(grey), ENLARGED)
    by_symmetry = cv2.CALIB_CB_NORMALIZE_IMAGE
    by_squares = cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_ADAPTIVE_THRESH
    tries: list[tuple[Any, int, float]] = [(cv2.findChessboardCornersSB, by_symmetry, scale)]
    tries += [(cv2.findChessboardCorners, by_squares, each) for each in sorted({scale, larger})]
    tries += [(cv2.findChessboardCornersSB, by_symmetry | cv2.CALIB_CB_EXHAUSTIVE, scale)]
    for find, flags, factor in tries:
        success, places = find(_scaled(grey, factor), board.grid, flags=flags)
        if success and places is not None and len(places) == len(board.points):
            ids = np.arange(len(places), dtype=np.int64)
            return Corners(ids, _refined(grey, _unscaled(places.reshape(-1, 2), factor), 0.5))
    return NO_CORNERS


def _scale_to_large(grey: Grey) -> float:
    """Return the factor by which to scale an image to ``LARGE`` pixels in total."""
    return float(np.sqrt(LARGE / max(grey.size, 1)))


def _shrinking(grey: Grey) -> float:
    """Return the factor, at most 1, that reduces a large image so that detection is fast."""
    return min(_scale_to_large(grey), 1.0)


def _scaled(grey: Grey, scale: float) -> Grey:
    import cv2

    if scale == 1:
        return grey
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    height, width = (max(round(side * scale), 1) for side in grey.shape)
    return np.asarray(cv2.resize(grey, (width, height), interpolation=how), np.uint8)


def _unscaled(places: NDArray[Any], scale: float) -> NDArray[np.float32]:
    return np.asarray((places + 0.5) / scale - 0.5, np.float32)


def _refined(grey: Grey, places: NDArray[np.float32], share: float) -> NDArray[np.float32]:
    """Refine corners to subpixels, each within a window that contains no other corner.

    Args:
        share: half width of the window, as a share of the distance to the next corner.
    """
    import cv2

    if len(places) < 2:
        return places
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    nearest = float(np.partition(distances, 1, axis=1)[:, 1].min())
    window = int(np.clip(round(nearest * share), *WINDOW))
    enough = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 40, 1e-3)
    corners = places.reshape(-1, 1, 2).copy()
    cv2.cornerSubPix(grey, corners, (window, window), (-1, -1), enough)
    refined = np.asarray(corners.reshape(-1, 2), np.float32)
    moved = np.linalg.norm(refined - places, axis=1, keepdims=True)
    return np.where(moved <= FURTHEST * nearest, refined, places)
