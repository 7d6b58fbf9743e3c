"""Clusters of differing pixels, which the user can visit one after the other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

REACH = 8  # pixels; differing pixels no farther apart belong to one cluster


@dataclass(frozen=True)
class Cluster:
    """A group of pixels near each other: its bounding box and its number of pixels."""

    x: int
    y: int
    width: int
    height: int
    count: int


def clusters(differs: NDArray[np.bool_]) -> list[Cluster]:
    """Group differing pixels, and list the groups in reading order of the boxes around them.

    Args:
        differs: (H, W), or (H, W, 3) of an image in colours; there one channel is enough.
    """
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
    found = [Cluster(*box) for box in boxes]
    return sorted(found, key=lambda cluster: (cluster.y, cluster.x))
