"""Regions of pixels: clusters of differing pixels, and the worst regions of a result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.conventions import CONVENTIONS, as_judged
from wheatstone.viewer.choices.judging import TruthChoice, is_disparity
from wheatstone.viewer.choices.zooming import zoom_to
from wheatstone.viewer.display.frames.latest import Copy
from wheatstone.viewer.display.frames.worker import Task
from wheatstone.viewer.display.picture.truth import ABSENT, judged_of, largest_searched
from wheatstone.viewer.io.files.values import in_units

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session

REACH = 8  # pixels; differing pixels no farther apart belong to one cluster
THRESHOLD = 2.0  # px; a pixel that is farther from the truth, or has no result, is wrong
PARTS, SMALLEST = 8, 16  # regions that fit into the image's shorter side; pixels of a region's
MOST, LEAST = 20, 0.1  # regions to go to; their share of the worst one's wrong pixels


@dataclass(frozen=True)
class Cluster:
    """A group of pixels near each other: its bounding box and its number of pixels."""

    x: int
    y: int
    width: int
    height: int
    count: int


def clusters(differs: NDArray[np.bool_]) -> list[Cluster]:
    """Group differing pixels, (H, W) or (H, W, 3), and list the groups in reading order."""
    import cv2

    differs = differs if differs.ndim == 2 else np.asarray(differs.any(axis=2))
    grown = cv2.dilate(differs.astype(np.uint8), np.ones((REACH + 1, REACH + 1), np.uint8))
    _, labels = cv2.connectedComponents(grown, connectivity=8)
    rows, columns = np.nonzero(differs)
    order = np.argsort(labels[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    starts = np.flatnonzero(np.diff(labels[rows, columns], prepend=0))
    if not len(starts):
        return []
    x, y = (np.minimum.reduceat(places, starts) for places in (columns, rows))
    right, bottom = (np.maximum.reduceat(places, starts) for places in (columns, rows))
    counts = np.diff(starts, append=len(rows))
    boxes = np.stack([x, y, right - x + 1, bottom - y + 1, counts], axis=1).tolist()
    listed = [Cluster(*box) for box in boxes]
    return sorted(listed, key=lambda cluster: (cluster.y, cluster.x))


def wrong(copy: Copy, choice: TruthChoice) -> NDArray[np.bool_]:
    """Return the mask of pixels whose result is wrong, by the chosen convention for ground truth.

    The frame must have ground truth.
    """
    slot, truth = copy.shown.slot, copy.frame.truth
    assert truth is not None
    image = slot.pipeline.image(slot.pipeline.output)
    stored = in_units(copy.values, image, slot.params)
    searched = largest_searched(image, slot.params)
    judged = judged_of(copy.frame, choice)
    disparity, mask = as_judged(CONVENTIONS[choice.convention], stored, judged, searched)
    pixels: NDArray[np.bool_] = mask & ~(np.abs(disparity - truth) <= THRESHOLD)
    return pixels


def worst_regions(wrong: NDArray[np.bool_]) -> list[Cluster]:
    """Return non-overlapping squares of equal size with the most wrong pixels, worst first.

    Connected wrong pixels would extend along the edges of objects across the whole picture.
    """
    height, width = wrong.shape
    side = min(max(min(height, width) // PARTS, SMALLEST), height, width)
    sums = np.pad(wrong.astype(np.int64).cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    y, x = (_places(length, side) for length in (height, width))
    top, bottom = sums[y], sums[y + side]
    counts = bottom[:, x + side] - bottom[:, x] - top[:, x + side] + top[:, x]
    regions: list[Cluster] = []
    for place in np.argsort(-counts, axis=None, kind="stable"):
        row, column = np.unravel_index(place, counts.shape)
        square = Cluster(int(x[column]), int(y[row]), side, side, int(counts[row, column]))
        least = LEAST * regions[0].count if regions else 0
        if square.count <= least or len(regions) == MOST:
            break
        if all(max(abs(square.x - o.x), abs(square.y - o.y)) >= side for o in regions):
            regions.append(square)
    return regions


def _places(length: int, side: int) -> NDArray[np.intp]:
    """Return the starts of squares along an axis: half a side apart, the last one at the end."""
    return np.append(np.arange(0, length - side, max(side // 2, 1)), length - side)


class WorstRegions:
    """A search for the regions of result A with the most wrong pixels, to which the view can jump.

    Args:
        result: returns a copy of the result shown; None before the first one.
    """

    def __init__(self, session: "Session", result: Callable[[], Copy | None]) -> None:
        self._state, self._source = session.state, session.source
        self._worker, self._result = session.worker, result
        self._of: tuple[Copy, TruthChoice] | None = None
        self._finding: Task[list[Cluster]] | None = None
        self._number: int | None = None

    def jump(self, regions: list[Cluster], step: int) -> None:
        """Centre the view on the next or previous region of a list, and show its position.

        Raises:
            ValueError: nothing is wrong.
        """
        if not regions:
            raise ValueError(f"no pixel judged is wrong by more than {THRESHOLD:g} px")
        first = -1 if step > 0 else 0  # so that the first step forward leads to the worst
        self._number = ((first if self._number is None else self._number) + step) % len(regions)
        region, state = regions[self._number], self._state
        state.marked = (region.x, region.y, region.width, region.height)
        zoom_to(state, state.marked, (self._source.width, self._source.height))
        state.hint(
            f"worst region {self._number + 1} of {len(regions)} at ({region.x}, {region.y}): "
            f"{region.count:,} of {region.width * region.height:,} pixels wrong by more than "
            f"{THRESHOLD:g} px, or without a result"
        )

    def find(self) -> Task[list[Cluster]]:
        """Return the task that searches for the worst regions of the result; start it if needed.

        Raises:
            ValueError: there is no disparity or no truth.
        """
        state, copy = self._state, self._result()
        pipeline = state.slot.pipeline
        if not is_disparity(pipeline.image(pipeline.output)):
            raise ValueError(f"{pipeline.name} computes no disparity to compare with ground truth")
        if not copy or copy.frame.truth is None:
            raise ValueError(ABSENT)
        choice = state.truth.judging
        if not self._finding or not self._of or self._of[0] is not copy or self._of[1] != choice:
            self._of, self._number = (copy, choice), None
            self._finding = self._worker.submit(
                "worst regions", lambda _: worst_regions(wrong(copy, choice))
            )
        return self._finding
