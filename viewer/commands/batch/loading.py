"""Read a pair: two pictures, one that holds both views, or a frame of a video."""

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from wheatstone.viewer.sources.frame import Frame, Source
from wheatstone.viewer.sources.layouts import views_of
from wheatstone.viewer.sources.levelling import FrameMaker, frames_of
from wheatstone.viewer.sources.opening import open_source
from wheatstone.viewer.sources.said import Said
from wheatstone.viewer.sources.still import read_views
from wheatstone.viewer.sources.taken import Taken

FIRST = tuple[Path, Path | None]
_lock = threading.RLock()  # of what is opened once


@dataclass(frozen=True)
class BatchPair:
    """A pair to compute, and where it lies.

    Attributes:
        name: of the files that are written of it, without suffix; unique.
        left: a picture or a video.
        right: another; None where one holds both views, or for a single image.
        index: of a video's frame, from 0; None of pictures.
        layout: where the views lie, one of ``LAYOUTS``; None: it is found out.
        first: the first pair of its camera, as which it is rectified; None: itself.
        disparities: how many disparities to search; None: as the parameters say.
        min_disparity: the first of them.
    """

    name: str
    left: Path
    right: Path | None = None
    index: int | None = None
    layout: str | None = None
    first: FIRST | None = None
    disparities: int | None = None
    min_disparity: int = 0

    @property
    def files(self) -> tuple[Path, ...]:
        """List the files that it is read from."""
        return (self.left,) if self.right is None else (self.left, self.right)


def load_pair(pair: BatchPair, said: Said) -> tuple[Frame, tuple[str, ...]]:
    """Read a pair; return it with notes on it. Several threads may call this.

    Raises:
        OSError, ValueError: a file cannot be read, or the views do not fit each other.
        Unavailable: it is a video's, and PyAV is not installed.
    """
    if pair.index is not None:
        return opened_video(pair.left, pair.right, said).frame(pair.index), ()
    read = read_views(pair.left, pair.right)
    views = views_of(pair.layout or said.layout, read.left, read.right)
    taken = Taken(
        (pair.left, pair.right), *views.split(str(pair.left), read.left, read.right), 0, None, None
    )
    with _lock:
        alone = said.rectify == "auto" and pair.first is None
        frames = frames_of(said.calibration, said.rectify) if alone else _frames(said, pair.first)
        frame, remarks = frames.frame(taken)
    notes = *read.notes, *(() if pair.layout else (views.note,)), *remarks
    return frame, tuple(note for note in notes if note)


def opened_video(left: Path, right: Path | None, said: Said) -> Source:
    """Open a video, or two; those opened last stay open for their other frames."""
    with _lock:
        return _opened(left, right, said)


@lru_cache(maxsize=2)
def _opened(left: Path, right: Path | None, said: Said) -> Source:
    return open_source(str(left), str(right) if right else None, said=said)


@lru_cache(maxsize=4)
def _frames(said: Said, first: FIRST | None) -> FrameMaker:
    """Look up what makes the frames of one camera: rectified as the first pair has to be."""
    frames = frames_of(said.calibration, said.rectify)
    if first:
        read = read_views(*first)
        views = views_of(said.layout, read.left, read.right)
        pair = views.split(str(first[0]), read.left, read.right)
        frames.frame(Taken(first, *pair, 0, None, None))
    return frames
